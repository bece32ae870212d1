use proptest::prelude::*;

use super::super::testing::{Heard, fault, heard, table_start};
use super::*;
use crate::split::record_ends::{Quoting, first_record};
use crate::split::text_pieces::{TextPiece, TextPieces};

fn start(csv: &Csv, records: &[u8]) -> TableStart {
    table_start(records, csv.delimiter)
}

fn with(header: &str, settings: TableSettings) -> Csv {
    let mut csv = Csv::new(settings);
    csv.begin(&start(&csv, header.as_bytes())).unwrap();
    csv
}

fn shown(csv: &Csv, record: &str) -> String {
    let heard = heard(csv, record.as_bytes()).unwrap().unwrap();
    format!("{} | {}", heard.label.as_ref().map_or("-", |(text, _)| text), heard.shown())
}

fn refusal(header: &str, settings: TableSettings) -> String {
    let mut csv = Csv::new(settings);
    let start = TableStart { header: header.as_bytes().into(), first: None, delimiter: csv.delimiter };
    csv.begin(&start).unwrap_err().message
}

#[test]
fn numbers_and_categories() {
    let csv = with("age,work,label,pay", TableSettings::default());
    assert_eq!(shown(&csv, "39,State-gov,<=50K,1e3"), "<=50K | age:39 work=State-gov:1 pay:1000");
    assert_eq!(shown(&csv, " 39 , State-gov ,<=50K, -.5 "), "<=50K | age:39 work=State-gov:1 pay:-0.5");
    assert_eq!(shown(&csv, ",,,"), "- | ");
    assert_eq!(shown(&csv, "NaN,1-2,1,inf"), "1 | work=1-2:1 pay=inf:1");
    assert_eq!(shown(&csv, "NA,\"N/A\",null,None"), "null | ");
    assert_eq!(shown(&csv, "\"39\",\"a \"\"b\"\", c\",\"x\n\" ,\"\""), "x\n | age:39 work=a \"b\", c:1");
    assert_eq!(shown(&csv, "5\" pipe,a\"b\",1,2"), "1 | age=5\" pipe:1 work=a\"b\":1 pay:2");
    assert_eq!(heard(&csv, b""), Ok(None));
    assert_eq!(heard(&csv, b"  "), Ok(None));
    assert_eq!(heard(&csv, b"1,2,yes,4").unwrap().unwrap().label, Some(("yes".into(), 4)));
}

#[test]
fn columns_have_roles() {
    let roles = Roles::default()
        .with(Role::Label, "y")
        .with(Role::Importance, "w")
        .with(Role::Id, "id")
        .with(Role::Text, "body")
        .with(Role::Ignored, "x");
    let csv = with(
        "id\ty\tw\tbody\tzip\tx\tn",
        TableSettings { delimiter: Delimiter::Given(b'\t'), roles, ..TableSettings::default() },
    );
    let heard = heard(&csv, b"a7\tspam\t0.5\tHi, \"you\"\t10115\tz\t3").unwrap().unwrap();
    assert_eq!(heard.id.as_deref(), Some("a7"));
    assert_eq!(heard.label, Some(("spam".into(), 3)));
    assert_eq!(heard.importance, Some(0.5));
    assert_eq!(heard.texts, [("body".to_string(), "Hi, \"you\"".to_string())]);
    assert_eq!(heard.shown(), "zip:10115 n:3");
    assert_eq!(
        fault(&csv, "a\tb\t-1\t\t\t\t"),
        "5: importance must be a finite number that is not negative, got \"-1\""
    );
}

#[test]
fn columns_can_be_found_by_position() {
    let by = |column: &str| TableSettings {
        roles: Roles::default().with(Role::Label, column),
        ..TableSettings::default()
    };
    assert_eq!(shown(&with("a,b,c", by("2")), "1,x,3"), "x | a:1 c:3");
    assert_eq!(shown(&with("a,b,2", by("2")), "1,x,3"), "3 | a:1 b=x:1");
    let mut csv = Csv::new(TableSettings { header: false, ..by("1") });
    assert!(!csv.begin(&start(&csv, b"spam,2,x")).unwrap());
    assert_eq!(shown(&csv, "spam,2,x"), "spam | 2:2 3=x:1");
    assert_eq!(shown(&with("label,,b", TableSettings::default()), "1,0,7"), "1 | 2:0 b:7");
}

#[test]
fn faults_say_where_and_what() {
    let csv = with("label,b,c", TableSettings::default());
    let fault = |record| fault(&csv, record);
    assert_eq!(fault("1,2"), "4: expected 3 fields, as in the first record, got 2");
    assert_eq!(fault("1,2,3,4,5"), "6: expected 3 fields, as in the first record, got 5");
    assert_eq!(fault("1,\"2,3"), "3: this quote must be closed, got \"\\\"2,3\"");
    assert_eq!(
        fault("1,\"2\"x,3"),
        "5: a quote must be closed at the end of its field, and doubled inside it, got \"\\\"x,3\""
    );
    assert_eq!(fault("1,2,1e999"), "5: value must be a finite number, got \"1e999\"");
    assert_eq!(fault("1,-inf,2"), "3: value must be a finite number, got \"-inf\"");
    assert_eq!(
        refusal("a,b", TableSettings::default()),
        "there is no column \"label\" for the label; the columns are \"a\", \"b\""
    );
    assert_eq!(
        refusal("label,a,a", TableSettings::default()),
        "column names must be unique, got \"a\"; if the first line is an example, use `no_header`"
    );
    let mut csv = Csv::new(TableSettings { incomplete: true, ..TableSettings::default() });
    assert!(csv.begin(&start(&csv, b"a,b")).unwrap());
}

#[test]
fn there_may_be_very_many_columns() {
    let header: Vec<String> = (0..100_000).map(|i| format!("a column of this name: {i}")).collect();
    let began = std::time::Instant::now();
    let csv = with(&header.join(","), TableSettings { incomplete: true, ..TableSettings::default() });
    assert_eq!(csv.columns().count(), header.len());
    assert!(began.elapsed().as_secs() < 5, "{:?}", began.elapsed());
}

#[test]
fn lines_that_end_in_cr_alone_are_told_from_one_long_line() {
    for header in ["label,a\r1,2\r0,3", "\"label\",\"a\"\r1,2\r"] {
        let message = refusal(header, TableSettings::default());
        assert!(message.contains("end in CR alone") && message.contains("tr '\\r' '\\n'"), "{message}");
    }
    let mut csv = Csv::new(TableSettings::default());
    assert!(csv.begin(&start(&csv, b"label,\"a\rb\"")).is_ok());
}

#[test]
fn records_may_be_several_lines() {
    let length = |text: &str, delimiter: u8| {
        first_record(text.as_bytes(), Quoting { delimiter }, has_quotes(delimiter), None, false)
            .map(|(length, _)| length)
    };
    assert_eq!(length("a,b\nc", b','), Some(4));
    assert_eq!(length("a,b", b','), None);
    assert_eq!(length("a,\"b\nc\"\"\n\",d\ne", b','), Some(13));
    assert_eq!(length("a, \"b\nc", b','), None);
    assert_eq!(length("a,b \"c\nd", b','), Some(7));
    assert_eq!(length("a\t\"b\nc\"\n", b'\t'), Some(5));
}

/// What a record holds, as far as it can be read.
fn read(csv: &Csv, line: Line) -> (Result<bool, Fault>, Heard) {
    let mut heard = Heard::default();
    (csv.parse(line, &mut ParseBuffers::default(), &mut heard), heard)
}

proptest! {
    #[test]
    fn fields_end_where_they_ended_when_records_were_looked_for(
        text in "a,b\n([ab\", \n]{0,9}|\"[ab, \n]{0,5}(\"\"[a,\n]{0,3})?\" ?[,\n]){0,9}", header in any::<bool>(),
    ) {
        let settings = TableSettings { header, roles: Roles::default(), ..TableSettings::default() };
        let mut csv = Csv::new(settings);
        let source = std::io::Cursor::new(text.clone().into_bytes());
        let mut pieces = TextPieces::of_stream(Box::new(source), csv.layout());
        let mut piece = TextPiece::default();
        while pieces.next(&mut piece).unwrap() {
            csv.begin(piece.table.as_ref().unwrap()).unwrap();
            for line in piece.records() {
                prop_assert_eq!(read(&csv, line), read(&csv, line.bytes().into()));
            }
        }
    }

    #[test]
    fn no_bytes_crash_it(header in "[a-c,\" ]{0,10}", text in prop::collection::vec(any::<u8>(), 0..60)) {
        let mut csv = Csv::new(TableSettings { incomplete: true, ..TableSettings::default() });
        let _ = csv.begin(&start(&csv, header.as_bytes()));
        let _ = heard(&csv, &text);
        let _ = csv.begin(&start(&csv, &text));
    }

    #[test]
    fn near_misses_do_not_crash_it(text in "[-1.ena\", \n\t]{0,30}") {
        let csv = with("a,b", TableSettings { incomplete: true, ..TableSettings::default() });
        if let Some((length, _)) = first_record(text.as_bytes(), Quoting { delimiter: b',' }, true, None, false) {
            prop_assert!(length <= text.len() && text.as_bytes()[length - 1] == b'\n');
            let _ = heard(&csv, &text.as_bytes()[..length - 1]);
        }
        let _ = heard(&csv, text.as_bytes());
    }
}
