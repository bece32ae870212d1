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
    /// The block that it is from, if it is from a cache.
    pub(crate) cached: Option<Block>,
    /// Are its names to be numbered in the order of the pieces before it can be stored?
    pub(super) is_unnumbered: bool,
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
        let stored = decode(stored, &mut buffers.block, parsed).ok_or_else(|| block.damaged())?;
        let wanted = self.maker.naming;
        // Names can still be hashed.
        let fits = stored == wanted || (stored == Naming::Names && wanted != Naming::Numbers);
        if parsed.batch.nonzeros() > 0 && !fits {
            let [are, are_here] = [stored, wanted].map(known_by);
            return Err(block.failed(&format!("its features are known by {are}, but by {are_here} here")));
        }
        Ok(())
    }
}

/// What features are known by, for messages.
fn known_by(naming: Naming) -> String {
    match naming {
        Naming::Numbers => "numbers".into(),
        Naming::Names => "names".into(),
        Naming::Hashed(bits) => format!("a hash (`hash_bits` {bits})"),
    }
}

impl PieceReader {
    /// Makes the block that is stored of a piece, and then prepares its examples: what is stored has not been prepared, and stands alone.
    pub(super) fn store(&self, read: &mut ReadPiece, buffers: &mut ReadBuffers) {
        encode(&read.parsed, self.maker.naming, &mut buffers.block, &mut read.block);
        self.maker.prepare_all(&mut buffers.raw, &mut read.parsed);
    }
}

impl Work<InputPiece> for PieceReader {
    type Buffers = ReadBuffers;
    type Output = ReadPiece;

    fn run(&self, piece: &mut InputPiece, buffers: &mut ReadBuffers, read: &mut ReadPiece) {
        (read.input, read.offset, read.failure, read.destination) = (piece.input, None, None, None);
        (read.cached, read.is_unnumbered) = (None, false);
        if let PieceContent::Unparsed(Piece::Text(text), _) = &piece.content {
            read.offset = Some(text.offset);
        }
        let (parser, maker, parsed) = (&self.parser, &self.maker, &mut read.parsed);
        match &piece.content {
            PieceContent::Cached(block, bytes) => {
                read.failure = self.decode(block, bytes, buffers, parsed).err();
                read.cached = Some(block.clone());
                maker.prepare_all(&mut buffers.raw, parsed);
            }
            PieceContent::Unparsed(piece, Some(destination)) => {
                parsed.clear();
                (parsed.keeps_rare_labels, parsed.labels.are_watched) = (true, true);
                read.is_unnumbered = maker.names_stay();
                if read.is_unnumbered {
                    parsed.names.begin(destination.names.current());
                }
                parser.parse(maker, piece, Prepare::default(), &mut buffers.example, parsed);
                read.destination = Some(Arc::clone(destination));
                if !read.is_unnumbered {
                    self.store(read, buffers);
                }
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
        let hashed = Naming::Hashed(20);
        for (made, other) in [
            (Naming::Numbers, Naming::Names),
            (Naming::Names, Naming::Numbers),
            (Naming::Numbers, hashed),
            (hashed, Naming::Names),
            (hashed, Naming::Hashed(21)),
        ] {
            read(&path, made, Cache::Beside).unwrap();
            read(&cache, made, Cache::No).unwrap();
            let error = read(&cache, other, Cache::No).unwrap_err();
            assert!(error.contains("a.svm.thwcache: its features"), "{error}");
        }
    }
}
