use proptest::prelude::*;

use super::super::testing::{examples, fault, heard};
use super::*;

fn shown(line: &str) -> String {
    let heard = heard(&Vw, line.as_bytes()).unwrap().unwrap();
    let label = heard.label.as_ref().map_or("-", |(text, _)| text);
    let importance = heard.importance.map_or("-".to_string(), |importance| importance.to_string());
    format!("{label} {importance} {} | {}", heard.id.as_deref().unwrap_or("-"), heard.shown())
}

/// The examples of Vowpal Wabbit's page on its input format and of its tutorial.
#[test]
fn its_own_examples() {
    assert_eq!(
        shown(
            "1 1.0 |MetricFeatures:3.28 height:1.5 length:2.0 |Says black with white stripes \
             |OtherFeatures NumberOfLegs:4.0 HasStripes"
        ),
        format!(
            "1 1 - | MetricFeatures^height:{} MetricFeatures^length:6.56 Says^black:1 Says^with:1 Says^white:1 \
             Says^stripes:1 OtherFeatures^NumberOfLegs:4 OtherFeatures^HasStripes:1",
            3.28 as Real * 1.5
        )
    );
    assert_eq!(shown("1 1.0 zebra|M:2 height:1.5 |Says black"), "1 1 zebra | M^height:3 Says^black:1");
    assert_eq!(shown("0 | price:.23 sqft:.25 age:.05 2006"), "0 - - | price:0.23 sqft:0.25 age:0.05 2006:1");
    assert_eq!(shown("1 2 'second_house | price:.18 1976"), "1 2 second_house | price:0.18 1976:1");
    assert_eq!(shown("1 1.0 0 'third | a"), "1 1 third | a:1");
    assert_eq!(shown("1 |a:2 city:paris city:köln%20x"), "1 - - | a^city=paris:2 a^city=köln x:2");
}

#[test]
fn what_occurs_in_the_wild() {
    assert_eq!(shown("| a b"), "- - - | a:1 b:1");
    assert_eq!(shown("|a b"), "- - - | a^b:1");
    assert_eq!(shown("1|a b"), "- - 1 | a^b:1");
    assert_eq!(shown("'t |a b"), "- - t | a^b:1");
    assert_eq!(shown("spam 't |a b"), "spam - t | a^b:1");
    assert_eq!(shown("'x 1 |a b"), "'x 1 - | a^b:1");
    assert_eq!(shown("1 |a b|c d|"), "1 - - | a^b:1 c^d:1");
    assert_eq!(shown("1\t|a\tb:2\t c:-1e1  "), "1 - - | a^b:2 a^c:-10");
    assert_eq!(shown("1 |a :0.5 :2 |b :3"), "1 - - | a^0:0.5 a^1:2 b^2:3");
    assert_eq!(shown("1 |a b:0 b b"), "1 - - | a^b:0 a^b:1 a^b:1");
    assert_eq!(
        shown("1 |user^x a%20b 100% %zz a%3a"),
        "1 - - | user^x^a b:1 user^x^100%:1 user^x^%zz:1 user^x^a%3a:1"
    );
    assert_eq!(shown("not%20spam 0 a%7Cb|"), "not spam 0 a|b | ");
    assert_eq!(shown("1 |"), "1 - - | ");
    assert_eq!(heard(&Vw, b" \t"), Ok(None));
    assert_eq!(heard(&Vw, b"  7 |x y").unwrap().unwrap().label, Some(("7".into(), 2)));
}

#[test]
fn faults_say_where_and_what() {
    let fault = |line| fault(&Vw, line);
    assert_eq!(
        fault("1 3:4"),
        "1: expected '|' before the features, as in \"1 | height:1.5 striped\", got \"1 3:4\""
    );
    assert_eq!(fault("1 |a b:1x"), "8: value must be a number, got \"1x\"");
    assert_eq!(fault("1 |a b: c"), "8: value must be a number, got \"\"");
    assert_eq!(fault("1 |a b:1:2"), "8: value must be a number, got \"1:2\"");
    assert_eq!(heard(&Vw, b"NA 2 |a b").unwrap().unwrap().importance, None);
    assert_eq!(fault("1 |a b:inf"), "8: value must be a finite number, got \"inf\"");
    assert_eq!(
        heard(&Vw, b"1 |a b:nan c:NA :nan :2 d:None e:no").unwrap().unwrap().shown(),
        "a^1:2 a^e=no:1"
    );
    assert_eq!(fault("1 |a:z b"), "6: scale of a namespace must be a number, got \"z\"");
    assert_eq!(fault("1 |a:inf b"), "6: scale of a namespace must be a finite number, got \"inf\"");
    let long = "1 |a:1e300 b:1e300";
    assert!(fault(long).contains("must be a finite number"));
    assert_eq!(fault("1 -2 | a"), "3: importance must be a finite number that is not negative, got \"-2\"");
    assert_eq!(fault("1 x | a"), "3: importance must be a finite number that is not negative, got \"x\"");
    assert_eq!(
        fault("0 1 0.5 'third_house | a"),
        "5: base (a prediction to start from) must be 0 or left out, got \"0.5\""
    );
    assert_eq!(
        fault("1:0.5 2:1 | a"),
        "1: label must be one word without a colon (costs are not read), got \"1:0.5\""
    );
    assert_eq!(
        fault("1 1 0 x | a"),
        "7: expected at most label, importance and base before the tag, got \"x\""
    );
}

#[test]
fn an_empty_name_is_refused() {
    let example = WrittenExample { label: b"", importance: 1.0, id: b"", features: &[(b"", 1.0)] };
    let refusal = write(&example, &mut Vec::new()).unwrap_err();
    assert_eq!(refusal.to_string(), "VW cannot hold the feature \"\": its name is empty");
}

#[test]
fn namespaces_are_written_once() {
    let features: &[(&[u8], Real)] =
        &[(b"a^x", 1.0), (b"a^y z", 0.5), (b"b", 2.0), (b"^c", 1.0), (b"d^", 1.0)];
    let mut out = Vec::new();
    write(&WrittenExample { label: b"1", importance: 2.0, id: b"t", features }, &mut out).unwrap();
    assert_eq!(String::from_utf8(out).unwrap(), "1 2 't |a x y%20z:0.5 | b:2 ^c d^\n");
}

proptest! {
    #[test]
    fn what_is_written_reads_back(mut example in examples()) {
        let mut out = Vec::new();
        example.with(|example| write(example, &mut out)).unwrap();
        prop_assert_eq!(memchr::memchr(b'\n', &out), Some(out.len() - 1));
        let heard = heard(&Vw, &out[..out.len() - 1]).unwrap().unwrap();
        if example.label.is_empty() {
            example.importance = 1.0;
        }
        example.assert_heard(&heard);
    }

    #[test]
    fn no_bytes_crash_the_parser(line in prop::collection::vec(any::<u8>(), 0..80)) {
        let _ = heard(&Vw, &line);
    }

    #[test]
    fn near_misses_do_not_crash_the_parser(line in "[-+0-9a-c.:|' \t%2]{0,40}") {
        let _ = heard(&Vw, line.as_bytes());
    }
}
