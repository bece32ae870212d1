//! How programs spell that there is no value.

/// Does a text stand for a missing value? So do empty fields, and what pandas, R, SQL, Excel and Python write for one.
#[inline]
pub(crate) fn is_missing(text: &[u8]) -> bool {
    match text {
        [] => true,
        // Most texts begin like none of them.
        [b'N' | b'n' | b'\\' | b'#' | b'<' | b'-', ..] if text.len() <= 4 => matches!(
            text,
            b"NA"
                | b"\\N"
                | b"NaN"
                | b"nan"
                | b"NAN"
                | b"N/A"
                | b"n/a"
                | b"null"
                | b"NULL"
                | b"Null"
                | b"None"
                | b"#N/A"
                | b"<NA>"
                | b"NaT"
                | b"-nan"
                | b"-NaN"
        ),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_words_stand_for_nothing() {
        for missing in ["", "NA", "NaN", "nan", "N/A", "null", "NULL", "None", "\\N", "-nan"] {
            assert!(is_missing(missing.as_bytes()), "{missing}");
        }
        for value in ["-", "0", "none of them", "Na", "NAME", "N", "nil", "?", " "] {
            assert!(!is_missing(value.as_bytes()), "{value}");
        }
    }
}
