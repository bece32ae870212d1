//! Examples to Parquet and Arrow files: a column for each feature, or lists of features where there are too many for that.

use std::sync::Arc;

use arrow_array::builder::{Float32Builder, ListBuilder, PrimitiveBuilder, StringBuilder, UInt32Builder};
use arrow_array::types::ArrowPrimitiveType;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use thalweg_core::keyed_hash::KeyedMap;

use super::arrow_sparse::{INDICES, NAMES, VALUES};
use super::listing::WriterSettings;
use super::roles::{Role, Roles};
use super::written::{FormatWriter, NumberedExample, WriteFault};
use crate::error::Unwritable;
use crate::names::feature_names::FeatureNames;
use crate::split::row_format::RowFormat;

/// Whoever looks at a table with more columns than this sees nothing.
const MOST_COLUMNS: usize = 1000;
/// Rows, and features of them, that are kept before they are written.
const ROWS: usize = 4096;
const FEATURES: usize = 1 << 20;
/// A group of rows of a Parquet file is complete with so many bytes: it is kept in memory until then.
const GROUP: usize = 32 << 20;

#[cfg(not(thalweg_real = "f64"))]
type RealType = arrow_array::types::Float32Type;
#[cfg(thalweg_real = "f64")]
type RealType = arrow_array::types::Float64Type;

type RealBuilder = PrimitiveBuilder<RealType>;

/// A file in the making, which is handed out piece by piece as bytes.
pub(crate) struct ColumnWriter {
    file: File,
    schema: Arc<Schema>,
    format: RowFormat,
    labels: StringBuilder,
    importances: Float32Builder,
    ids: StringBuilder,
    features: Features,
    rows: usize,
    pending: usize,
}

enum File {
    Parquet(Box<ArrowWriter<Vec<u8>>>),
    Arrow(FileWriter<Vec<u8>>),
    Stream(StreamWriter<Vec<u8>>),
}

/// The forms that features are written in.
enum Features {
    /// A column for each; which is whose.
    Columns(KeyedMap<u32, usize>, Vec<RealBuilder>),
    Indices(ListBuilder<UInt32Builder>, ListBuilder<RealBuilder>),
    Names(ListBuilder<StringBuilder>, ListBuilder<RealBuilder>),
}

impl ColumnWriter {
    /// A file with columns for label, importance and id, and with these features. Arrow may be a stream.
    pub(crate) fn new(
        format: RowFormat,
        is_stream: bool,
        settings: &WriterSettings,
    ) -> Result<Self, WriteFault> {
        let roles = WriterSettings::roles();
        let names: Option<Vec<(u32, &[u8])>> = settings.wanted_names().map(Iterator::collect);
        Self::with(format, is_stream, &roles, names.as_deref()).map_err(failed)
    }

    /// With names, the features are these; without, they are known by numbers.
    fn with(
        format: RowFormat,
        is_stream: bool,
        roles: &Roles,
        names: Option<&[(u32, &[u8])]>,
    ) -> Result<Self, ArrowError> {
        let role = |role, kind| {
            let name = roles.column(role).unwrap_or_default();
            Field::new(String::from_utf8_lossy(name), kind, true)
        };
        let mut fields = vec![
            role(Role::Label, DataType::Utf8),
            role(Role::Importance, DataType::Float32),
            role(Role::Id, DataType::Utf8),
        ];
        let list = |name, kind| Field::new_list(name, Field::new_list_field(kind, true), true);
        let features = match names {
            None => {
                fields.push(list(INDICES, DataType::UInt32));
                fields.push(list(VALUES, RealType::DATA_TYPE));
                Features::Indices(ListBuilder::default(), ListBuilder::default())
            }
            Some(names) if fits_columns(names, roles) => {
                let column =
                    |name: &[u8]| Field::new(String::from_utf8_lossy(name), RealType::DATA_TYPE, true);
                fields.extend(names.iter().map(|(_, name)| column(name)));
                let places = names.iter().enumerate().map(|(column, (feature, _))| (*feature, column));
                Features::Columns(places.collect(), names.iter().map(|_| RealBuilder::new()).collect())
            }
            Some(_) => {
                fields.push(list(NAMES, DataType::Utf8));
                fields.push(list(VALUES, RealType::DATA_TYPE));
                Features::Names(ListBuilder::default(), ListBuilder::default())
            }
        };
        let schema = Arc::new(Schema::new(fields));
        let file = match (format, is_stream) {
            (RowFormat::Parquet, _) => {
                let compression = Compression::ZSTD(ZstdLevel::default());
                let properties = WriterProperties::builder().set_compression(compression).build();
                let writer = ArrowWriter::try_new(Vec::new(), Arc::clone(&schema), Some(properties))?;
                File::Parquet(Box::new(writer))
            }
            (RowFormat::Arrow, true) => File::Stream(StreamWriter::try_new(Vec::new(), &schema)?),
            (RowFormat::Arrow, false) => File::Arrow(FileWriter::try_new(Vec::new(), &schema)?),
        };
        let (labels, importances, ids) = (StringBuilder::new(), Float32Builder::new(), StringBuilder::new());
        Ok(Self { file, schema, format, labels, importances, ids, features, rows: 0, pending: 0 })
    }

    fn add(&mut self, example: &NumberedExample) -> Result<(), Unwritable> {
        let text = |what, text| {
            let refused = |_| Unwritable::new(self.format.title(), what, text, "it is not UTF-8");
            std::str::from_utf8(text).map_err(refused)
        };
        let name = |feature| match example.names {
            FeatureNames::Names(names) => names.name(feature).unwrap_or_default(),
            FeatureNames::Numbers | FeatureNames::Hashed(_) => b"",
        };
        for &(feature, x) in example.features {
            self.pending += 1;
            match &mut self.features {
                Features::Indices(indices, values) => {
                    indices.values().append_value(feature);
                    values.values().append_value(x);
                }
                Features::Names(names, values) => {
                    names.values().append_value(text("the feature", name(feature))?);
                    values.values().append_value(x);
                }
                Features::Columns(places, columns) => {
                    let Some(&column) = places.get(&feature) else {
                        let (format, name) = (self.format.title(), name(feature));
                        return Err(Unwritable::new(format, "the feature", name, "it has no column"));
                    };
                    fill(&mut columns[column], self.rows);
                    columns[column].append_value(x);
                }
            }
        }
        match &mut self.features {
            Features::Indices(indices, values) => (indices.append(true), values.append(true)),
            Features::Names(names, values) => (names.append(true), values.append(true)),
            Features::Columns(..) => ((), ()),
        };
        let id = text("the id", example.id)?;
        self.ids.append_option((!id.is_empty()).then_some(id));
        self.labels.append_option(example.label.filter(|label| !label.is_empty()));
        self.importances.append_option((example.importance != 1.0).then_some(example.importance));
        self.rows += 1;
        Ok(())
    }

    /// Appends what is ready to be written.
    fn take(&mut self, out: &mut Vec<u8>) -> Result<(), ArrowError> {
        if self.rows >= ROWS || self.pending >= FEATURES {
            self.encode()?;
        }
        out.append(match &mut self.file {
            File::Parquet(file) => file.inner_mut(),
            File::Arrow(file) => file.get_mut(),
            File::Stream(file) => file.get_mut(),
        });
        Ok(())
    }

    fn encode(&mut self) -> Result<(), ArrowError> {
        if self.rows == 0 {
            return Ok(());
        }
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(self.labels.finish()),
            Arc::new(self.importances.finish()),
            Arc::new(self.ids.finish()),
        ];
        match &mut self.features {
            Features::Indices(indices, values) => {
                columns.push(Arc::new(indices.finish()));
                columns.push(Arc::new(values.finish()));
            }
            Features::Names(names, values) => {
                columns.push(Arc::new(names.finish()));
                columns.push(Arc::new(values.finish()));
            }
            Features::Columns(_, builders) => {
                for builder in builders {
                    fill(builder, self.rows);
                    columns.push(Arc::new(builder.finish()));
                }
            }
        }
        (self.rows, self.pending) = (0, 0);
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns)?;
        match &mut self.file {
            File::Parquet(file) => {
                file.write(&batch)?;
                if file.in_progress_size() >= GROUP {
                    file.flush()?;
                }
            }
            File::Arrow(file) => file.write(&batch)?,
            File::Stream(file) => file.write(&batch)?,
        }
        Ok(())
    }
}

impl FormatWriter for ColumnWriter {
    fn write(&mut self, example: &NumberedExample, out: &mut Vec<u8>) -> Result<(), WriteFault> {
        self.add(example)?;
        self.take(out).map_err(failed)
    }

    fn finish(mut self: Box<Self>, out: &mut Vec<u8>) -> Result<(), WriteFault> {
        self.encode().map_err(failed)?;
        let rest = match self.file {
            File::Parquet(file) => file.into_inner().map_err(ArrowError::from),
            File::Arrow(file) => file.into_inner(),
            File::Stream(file) => file.into_inner(),
        };
        out.append(&mut rest.map_err(failed)?);
        Ok(())
    }
}

fn failed(cause: ArrowError) -> WriteFault {
    WriteFault::Encoder(std::io::Error::other(cause))
}

/// Examples before the next one to have a value in this column have none.
fn fill(column: &mut RealBuilder, rows: usize) {
    use arrow_array::builder::ArrayBuilder;
    column.append_nulls(rows - column.len());
}

/// Can each of the features have a column of its own?
fn fits_columns(names: &[(u32, &[u8])], roles: &Roles) -> bool {
    let fits = |name: &[u8]| {
        !name.is_empty() && std::str::from_utf8(name).is_ok() && roles.of(name) == Role::Feature
    };
    names.len() <= MOST_COLUMNS && names.iter().all(|(_, name)| fits(name))
}
