//! Where a format puts what it reads.

use thalweg_core::Real;

use crate::error::Fault;

/// Where a format puts what it reads.
///
/// A record that turns out to be faulty may have put something already: whoever asked for it throws that away.
pub(crate) trait RecordSink {
    /// A feature that is known by its number.
    fn number(&mut self, feature: u32, value: Real);
    /// Many of them.
    fn numbers(&mut self, features: &[u32], values: &[Real]) {
        features.iter().zip(values).for_each(|(feature, value)| self.number(*feature, *value));
    }
    /// A feature of a namespace (empty: none). Its full name is [`full_name`]: `namespace^name` as Vowpal Wabbit
    /// prints it, or just the name. Values of a name that comes twice are summed.
    fn named(&mut self, namespace: &[u8], name: &[u8], value: Real);
    /// A feature that is called like its column, as `named` without a namespace. In the slot the sink remembers the number of the feature;
    /// it is empty at the beginning of every piece.
    fn column(&mut self, name: &[u8], _slot: &mut Option<u32>, value: Real) {
        self.named(b"", name, value);
    }
    /// The label as written, and the byte of the record where it stands.
    fn label(&mut self, text: &[u8], at: usize);
    /// The importance: finite and not negative.
    fn importance(&mut self, importance: f32);
    /// What an error on the example costs: finite and not negative.
    fn cost(&mut self, _cost: f32) {}
    /// The example's id.
    fn id(&mut self, id: &[u8]);
    /// What stands in a column that was declared as text or URL.
    fn text(&mut self, column: &[u8], text: &str);
}

/// Appends the full name of a feature.
#[inline]
pub(crate) fn full_name(namespace: &[u8], name: &[u8], out: &mut Vec<u8>) {
    if !namespace.is_empty() {
        out.extend_from_slice(namespace);
        out.push(b'^');
    }
    out.extend_from_slice(name);
}

/// Reads an importance.
pub(crate) fn importance(text: &[u8], at: usize) -> Result<f32, Fault> {
    not_negative(text)
        .ok_or_else(|| Fault::at(at, "importance must be a finite number that is not negative", text))
}

/// Reads what an error on an example costs.
pub(crate) fn cost(text: &[u8], at: usize) -> Result<f32, Fault> {
    not_negative(text).ok_or_else(|| Fault::at(at, "cost must be a finite number that is not negative", text))
}

fn not_negative(text: &[u8]) -> Option<f32> {
    fast_float2::parse(text).ok().filter(|number: &f32| number.is_finite() && *number >= 0.0)
}

/// Hands the feature `column=text` to the sink. The name is memory.
pub(crate) fn put_category(sink: &mut impl RecordSink, column: &[u8], text: &[u8], name: &mut Vec<u8>) {
    name.clear();
    name.extend_from_slice(column);
    name.push(b'=');
    name.extend_from_slice(text);
    sink.named(b"", name, 1.0);
}

/// Hands text to the sink; bytes that are not UTF-8 become U+FFFD.
pub(crate) fn put_text(sink: &mut impl RecordSink, column: &[u8], text: &[u8]) {
    match std::str::from_utf8(text) {
        Ok(text) => sink.text(column, text),
        Err(_) => sink.text(column, &String::from_utf8_lossy(text)),
    }
}
