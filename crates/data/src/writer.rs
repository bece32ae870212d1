//! Batches to files: LIBSVM text, compressed if the name ends in `.zst` or `.gz`.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use thalweg_core::{BIAS, Batch};

use crate::error::{Error, Result};
use crate::labels::Labels;

/// A file in the making. It is complete when [`Writer::finish`] has returned.
pub struct Writer {
    path: PathBuf,
    out: Compressor,
}

enum Compressor {
    Plain(BufWriter<File>),
    Zstd(zstd::Encoder<'static, BufWriter<File>>),
    Gzip(flate2::write::GzEncoder<BufWriter<File>>),
}

impl Compressor {
    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Compressor::Plain(out) => out,
            Compressor::Zstd(out) => out,
            Compressor::Gzip(out) => out,
        }
    }

    fn finish(self) -> std::io::Result<()> {
        match self {
            Compressor::Plain(out) => Ok(out),
            Compressor::Zstd(out) => out.finish(),
            Compressor::Gzip(out) => out.finish(),
        }?
        .flush()
    }
}

impl Writer {
    /// Begins a file.
    pub fn create(path: &Path) -> Result<Self> {
        let failed = |cause| Error::Io { file: path.display().to_string(), cause };
        let file = BufWriter::with_capacity(1 << 16, File::create(path).map_err(failed)?);
        let out = match path.extension().and_then(|extension| extension.to_str()) {
            Some("zst") => Compressor::Zstd(zstd::Encoder::new(file, 0).map_err(failed)?),
            Some("gz") => {
                Compressor::Gzip(flate2::write::GzEncoder::new(file, flate2::Compression::default()))
            }
            _ => Compressor::Plain(file),
        };
        Ok(Self { path: path.to_path_buf(), out })
    }

    /// Writes the examples of a batch; features that are not `wanted`, and the constant, are left out.
    pub fn write(&mut self, batch: &Batch, labels: &Labels, wanted: impl Fn(u32) -> bool) -> Result<()> {
        let (mut line, mut whole, mut decimal) = (Vec::new(), itoa::Buffer::new(), zmij::Buffer::new());
        for i in 0..batch.len() {
            line.clear();
            line.extend_from_slice(batch.labels()[i].map_or("?", |class| labels.name(class)).as_bytes());
            let row = batch.row(i);
            for (feature, x) in row.indices.iter().zip(row.values).filter(|(f, _)| **f != BIAS && wanted(**f))
            {
                line.push(b' ');
                line.extend_from_slice(whole.format(*feature).as_bytes());
                line.push(b':');
                // Most values of most data are 1: no need to find out how to write it.
                if *x == 1.0 {
                    line.push(b'1');
                    continue;
                }
                // The shortest decimal that reads back as the same number.
                let value = decimal.format_finite(*x);
                line.extend_from_slice(value.strip_suffix(".0").unwrap_or(value).as_bytes());
            }
            line.push(b'\n');
            self.out.writer().write_all(&line).map_err(|cause| self.failed(cause))?;
        }
        Ok(())
    }

    fn failed(&self, cause: std::io::Error) -> Error {
        Error::Io { file: self.path.display().to_string(), cause }
    }

    /// Writes what is still in memory.
    pub fn finish(self) -> Result<()> {
        let file = self.path.display().to_string();
        self.out.finish().map_err(|cause| Error::Io { file, cause })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Input, Settings, open};

    #[test]
    fn what_is_written_reads_back_plain_or_compressed() {
        let folder = tempfile::tempdir().unwrap();
        let mut batch = Batch::default();
        batch.push([(1, 0.1), (7, -2.5e-9), (4_000_000_000, 3.0)], Some(1)).unwrap();
        batch.push([(2, 1.0)], Some(0)).unwrap();
        batch.push([(9, 1.0), (BIAS, 1.0)], Some(1)).unwrap();
        let labels = Labels::of_two(&["ham".into(), "spam".into()], false);
        for name in ["plain.svm", "a.svm.zst", "a.svm.gz"] {
            let path = folder.path().join(name);
            let mut writer = Writer::create(&path).unwrap();
            writer.write(&batch, &labels, |feature| feature != 9).unwrap();
            writer.finish().unwrap();
            let settings = Settings { labels: labels.clone(), ..Settings::default() };
            let mut reader = open(&[Input::File(path)], settings).unwrap();
            let (mut back, mut part) = (Batch::default(), Batch::default());
            while reader.read(&mut part).unwrap() {
                back.extend_from(&part, 0..part.len());
            }
            assert_eq!(back.labels(), batch.labels(), "{name}");
            for i in 0..2 {
                assert!(back.row(i).iter().eq(batch.row(i).iter()), "{name}");
            }
            assert!(back.row(2).indices.is_empty(), "{name}");
        }
    }
}
