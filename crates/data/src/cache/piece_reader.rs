//! Pieces become examples, and blocks of caches become what they were.

use std::sync::Arc;

use thalweg_core::Batch;

use super::block::{BlockBuffers, decode, encode};
use super::file::Block;
use super::input_pieces::{InputPiece, PieceContent};
use super::origin::CacheDestination;
use crate::error::{Error, Result};
use crate::examples::example_maker::{ExampleBuffers, ExampleMaker};
use crate::examples::parsed_piece::ParsedPiece;
use crate::examples::piece_parser::PieceParser;
use crate::names::feature_names::Naming;
use crate::ordered_map::Work;
use crate::prepare::preparation::Prepare;
use crate::split::Piece;

/// Reads pieces of inputs.
pub(crate) struct PieceReader {
    pub(crate) parser: Box<dyn PieceParser>,
    pub(crate) maker: ExampleMaker,
}

/// A piece that was read.
#[derive(Default)]
pub(crate) struct ReadPiece {
    /// Which input it is from, and where it begins there, if that is text.
    pub(crate) input: usize,
    pub(crate) offset: Option<u64>,
    pub(crate) parsed: ParsedPiece,
    /// Why reading ends here.
    pub(crate) failure: Option<Error>,
    /// Where the piece is to be stored, and the block that it makes.
    pub(super) destination: Option<Arc<CacheDestination>>,
    pub(super) block: Vec<u8>,
}

/// Memory for reading pieces, used again.
#[derive(Default)]
pub(crate) struct ReadBuffers {
    block: BlockBuffers,
    example: ExampleBuffers,
    /// Examples before they are prepared.
    raw: Batch,
}

impl PieceReader {
    /// How examples are read, besides their source: caches are kept with it.
    pub(crate) fn how(&self, format: &str) -> String {
        format!("{format} {} {:?} {}", self.parser.name(), self.parser.splitting(), self.maker.how())
    }

    fn decode(
        &self,
        block: &Block,
        bytes: &[u8],
        buffers: &mut ReadBuffers,
        parsed: &mut ParsedPiece,
    ) -> Result<()> {
        let stored = block.bytes(bytes)?;
        decode(stored, &mut buffers.block, parsed).ok_or_else(|| block.damaged())?;
        let naming = self.maker.naming;
        let has_names = !parsed.names.new_names().is_empty();
        if parsed.batch.nonzeros() > 0 && (naming == Naming::Numbers) == has_names {
            return Err(block.failed(if has_names {
                "its features have names, but are known by numbers here"
            } else {
                "its features are numbers, but are known by names here"
            }));
        }
        Ok(())
    }
}

impl Work<InputPiece> for PieceReader {
    type Buffers = ReadBuffers;
    type Output = ReadPiece;

    fn run(&self, piece: &mut InputPiece, buffers: &mut ReadBuffers, read: &mut ReadPiece) {
        (read.input, read.offset, read.failure, read.destination) = (piece.input, None, None, None);
        if let PieceContent::Unparsed(Piece::Text(text), _) = &piece.content {
            read.offset = Some(text.offset);
        }
        let (parser, maker, parsed) = (&self.parser, &self.maker, &mut read.parsed);
        match &piece.content {
            PieceContent::Cached(block, bytes) => {
                read.failure = self.decode(block, bytes, buffers, parsed).err();
                maker.prepare_all(&mut buffers.raw, parsed);
            }
            PieceContent::Unparsed(piece, Some(destination)) => {
                // What is stored has not been prepared, and stands alone.
                parsed.clear();
                (parsed.keeps_rare_labels, parsed.labels.are_watched) = (true, true);
                parser.parse(maker, piece, Prepare::default(), &mut buffers.example, parsed);
                encode(parsed, &mut buffers.block, &mut read.block);
                read.destination = Some(Arc::clone(destination));
                maker.prepare_all(&mut buffers.raw, parsed);
            }
            PieceContent::Unparsed(piece, None) => {
                parsed.clear();
                parsed.names.begin(maker.shared_names.current());
                parser.parse(maker, piece, maker.prepare, &mut buffers.example, parsed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::examples::reading::Reading;
    use crate::{Cache, Input, Settings, open};

    use super::*;

    #[test]
    fn a_cache_is_not_read_with_another_naming_than_it_was_made_with() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.svm");
        std::fs::write(&path, "1 3:1\n0 4:1\n").unwrap();
        let read = |path: &std::path::Path, naming, cache| {
            let reading = Reading { naming: Some(naming), ..Reading::default() };
            let settings = Settings { reading, cache, ..Settings::default() };
            let all = open(&[Input::File(path.into())], settings).and_then(|mut reader| {
                let mut batch = Batch::default();
                while reader.read(&mut batch)? {}
                Ok(())
            });
            all.map_err(|error| error.to_string())
        };
        let cache = crate::cache::path_of(&path);
        for (made, other) in [(Naming::Numbers, Naming::Names), (Naming::Names, Naming::Numbers)] {
            read(&path, made, Cache::Beside).unwrap();
            read(&cache, made, Cache::No).unwrap();
            let error = read(&cache, other, Cache::No).unwrap_err();
            assert!(error.contains("a.svm.thwcache: its features"), "{error}");
        }
    }
}
