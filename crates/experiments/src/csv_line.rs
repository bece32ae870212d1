//! The lines of the tables with commas that experiments write.

/// Fields with commas between them, and a line end. A field with commas, quotes or line ends is quoted: specifications of learners have commas.
pub fn csv_line(fields: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let mut line = String::new();
    for field in fields {
        let field = field.as_ref();
        if field.contains([',', '"', '\n', '\r']) {
            line += &format!("\"{}\"", field.replace('"', "\"\""));
        } else {
            line += field;
        }
        line.push(',');
    }
    line.pop();
    line + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_would_not_read_back() {
        let fields = ["plain", "", "ssol:eta=1,lambda=2", "say \"no\"", "a\rb", "größe "];
        assert_eq!(csv_line(fields), "plain,,\"ssol:eta=1,lambda=2\",\"say \"\"no\"\"\",\"a\rb\",größe \n");
    }
}
