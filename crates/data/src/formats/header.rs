//! The header of a table: are these names, and which column is no feature?

/// Does the first column only count rows? Programs that keep an index write it without a name, and pandas reads that back as `Unnamed: 0`.
pub(super) fn is_index(name: &[u8], first_value: &[u8]) -> bool {
    let nameless = name.is_empty() || name.starts_with(b"Unnamed: 0");
    nameless && !first_value.is_empty() && first_value.iter().all(u8::is_ascii_digit)
}

/// Does the first record look like an example, and not like the names of columns? Of the second record, as much is given as there is.
pub(super) fn looks_like_example(first: &[Vec<u8>], second: &[Vec<u8>]) -> bool {
    let number = |text: &Vec<u8>| fast_float2::parse::<f64, _>(text).ok();
    let numbers: Vec<Option<f64>> = first.iter().map(number).collect();
    // Columns may be called 0, 1, 2 and so on.
    let counted = numbers.windows(2).all(|pair| pair[0].zip(pair[1]).is_some_and(|(a, b)| b == a + 1.0));
    let all_numbers = numbers.iter().all(Option::is_some) && !(counted && first.len() > 1);
    let repeated = first.iter().zip(second).any(|(name, value)| !name.is_empty() && name == value);
    all_numbers || repeated
}

/// What is said of a table that seems to have no header.
pub(super) const LOOKS_LIKE_EXAMPLE: &str =
    "the first line looks like an example, not like a header; if it is one, use `no_header`";

/// What is said of an index of rows.
pub(super) const COUNTS_ROWS: &str = "counts the rows and is ignored; `category` 1 or `id_col` 1 uses it";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_count_rows() {
        for (name, value, index) in [
            ("", "0", true),
            ("", "1", true),
            ("Unnamed: 0", "17", true),
            ("Unnamed: 0.1", "0", true),
            ("", "", false),
            ("", "1.5", false),
            ("", "a", false),
            ("id", "0", false),
            ("Unnamed: 7", "0", false),
        ] {
            assert_eq!(is_index(name.as_bytes(), value.as_bytes()), index, "{name} {value}");
        }
    }

    #[test]
    fn examples_are_told_from_names() {
        let fields = |text: &str| text.split(',').map(|field| field.as_bytes().to_vec()).collect::<Vec<_>>();
        for (first, second, example) in [
            ("5.1,3.5,0", "4.9,3.0,1", true),
            ("7", "8", true),
            ("ham,hello", "ham,bye", true),
            ("label,text", "ham,bye", false),
            ("1,2,3", "4,5,6", false),
            ("label,1,2", "1,2,3", false),
            ("a,", "1,", false),
        ] {
            assert_eq!(looks_like_example(&fields(first), &fields(second)), example, "{first}");
        }
    }
}
