use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::testing::{Heard, fault, heard, value};
use super::*;

fn read(line: &str) -> Heard {
    heard(&Jsonl::new(Roles::new()), line.as_bytes()).unwrap().unwrap()
}

#[test]
fn what_values_become() {
    assert_eq!(read(r#"{"age": 39, "seen":true,"no":false,"x":null}"#).shown(), "age:39 seen:1");
    assert_eq!(
        read(r#" { "color" : "red" , "user":{"age":-3.5e1,"u":{"v":"w"}} } "#).shown(),
        "color=red:1 user.age:-35 user.u.v=w:1"
    );
    assert_eq!(
        read(r#"{"w":["a","b","a"],"p":[0.5,null,true,7]}"#).shown(),
        "w=a:1 w=b:1 w=a:1 p.0:0.5 p.2:1 p.3:7"
    );
    assert_eq!(read(r#"{"l":[{"a":1},[2,"x"],{}],"e":[],"o":{}}"#).shown(), "l.0.a:1 l.1.0:2 l.1=x:1");
    assert_eq!(read(r#"{"":1,"a":{"":2}}"#).shown(), ":1 a.:2");
    assert_eq!(
        read(r#"{"a\"b":"c\\\/\b\f\n\r\té€\ud83d\ude00\ud83d!"}"#).shown(),
        "a\"b=c\\/\u{8}\u{c}\n\r\té€😀\u{fffd}!:1"
    );
    assert_eq!(read("{}").shown(), "");
    assert_eq!(heard(&Jsonl::new(Roles::new()), b" \t"), Ok(None));
}

#[test]
fn keys_have_roles() {
    let roles = Roles::default()
        .with(Role::Label, "meta.y")
        .with(Role::Importance, "w")
        .with(Role::Id, "id")
        .with(Role::Text, "body")
        .with(Role::Ignored, "x");
    let jsonl = Jsonl::new(roles);
    let line = r#"{"meta":{"y":1.0,"z":2},"w":"0.5","id":17,"body":"Hi \"you\"","zip":10115,"x":{"a":["}",{}]},"n":3}"#;
    let found = heard(&jsonl, line.as_bytes()).unwrap().unwrap();
    assert_eq!(found.label, Some(("1.0".into(), 13)));
    assert_eq!((found.importance, found.id.as_deref()), (Some(0.5), Some("17")));
    assert_eq!(found.texts, [("body".to_string(), "Hi \"you\"".to_string())]);
    assert_eq!(found.shown(), "meta.z:2 zip:10115 n:3");
    let line = r#"{"body":["a","b"],"zip":[1,"2",true,false,null],"x":[1],"x":"s","x":2}"#;
    let found = heard(&jsonl, line.as_bytes()).unwrap().unwrap();
    assert_eq!(found.texts.len(), 2);
    assert_eq!(found.shown(), "zip.0:1 zip=2:1 zip.2:1");
    assert_eq!(fault(&jsonl, r#"{"id":1,"id":2}"#), "14: this key must stand once, got \"2\"");
    assert_eq!(
        fault(&jsonl, r#"{"w":-1}"#),
        "6: importance must be a finite number that is not negative, got \"-1\""
    );
}

#[test]
fn labels_are_handed_on_as_written() {
    let label = |line: &str| read(line).label.map(|(text, _)| text);
    assert_eq!(label(r#"{"label":"spam"}"#).as_deref(), Some("spam"));
    assert_eq!(label(r#"{"label":-1}"#).as_deref(), Some("-1"));
    assert_eq!(label(r#"{"label":false}"#).as_deref(), Some("false"));
    assert_eq!(label(r#"{"label":"\u0061\n"}"#).as_deref(), Some("a\n"));
    assert_eq!(label(r#"{"label":null}"#), None);
    assert_eq!(label(r#"{"label":""}"#), None);
}

#[test]
fn faults_say_where_and_what() {
    let fault = |line: &str| fault(&Jsonl::new(Roles::new()), line);
    assert_eq!(fault("1 2:3"), "1: expected an object, as in {\"label\": 1, \"height\": 1.5}, got \"1 2:3\"");
    assert_eq!(fault("{a:1}"), "2: expected a key in double quotes, got \"a:1}\"");
    assert_eq!(fault("{\"a\" 1}"), "6: expected ':' after the key, got \"1}\"");
    assert_eq!(fault("{\"a\":1 \"b\":2}"), "8: expected ',' or '}' in the object, got \"\\\"b\\\":2}\"");
    assert_eq!(fault("{\"a\":[1 2]}"), "9: expected ',' or ']' in the array, got \"2]}\"");
    assert_eq!(fault("{\"a\":\"x}"), "6: this text must end with a double quote, got \"\\\"x}\"");
    assert_eq!(fault("{\"a\":-}"), "6: expected a number, got \"-}\"");
    assert_eq!(fault("{\"a\":-inf}"), "6: expected a number, got \"-inf}\"");
    assert_eq!(fault("{\"a\":1e999}"), "6: value must be a finite number, got \"1e999\"");
    assert_eq!(fault("{\"a\":1}}"), "8: expected the end of the line after the object, got \"}\"");
    assert_eq!(fault("{\"label\":[1]}"), "10: expected one text or number for this key, got \"[1]}\"");
    assert_eq!(fault("{\"a\":\"\\x\"}"), "7: expected an escape such as \\n or \\u00e9, got \"\\\\x\\\"}\"");
    assert_eq!(
        fault("{\"a\":\"\\u12\"}"),
        "7: expected four hexadecimal digits after \\u, got \"\\\\u12\\\"}\""
    );
    assert_eq!(
        read("{\"a\": NaN, \"b\": \"NA\", \"c\": [1, NaN, 2], \"d\": \"none\"}").shown(),
        "c.0:1 c.2:2 d=none:1"
    );
    assert!(fault("{\"a\":nan}").starts_with("6: expected a text, a number, true, false"));
    let deep = format!("{{\"a\":{}", "[".repeat(100_000));
    assert!(fault(&deep).starts_with("70: objects and arrays are too deep"));
    let ignored = Jsonl::new(Roles::default().with(Role::Ignored, "a"));
    assert!(heard(&ignored, deep.as_bytes()).unwrap_err().message.starts_with("expected the end of"));
    assert!(heard(&ignored, b"{\"a\":[}]}").unwrap_err().message.starts_with("this closes what"));
}

/// Any JSON that holds no label.
fn any_json() -> impl Strategy<Value = Value> {
    let text = || "[a-c\"\\\\\n.é\u{1}😀]{0,4}";
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        value().prop_map(|x| json!(x)),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map(text(), inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// The features of a tree, by plain means.
fn features(name: &str, value: &Value, out: &mut Vec<(Vec<u8>, Real)>) {
    let mut put = |name: String, value| out.push((name.into_bytes(), value));
    match value {
        Value::Null | Value::Bool(false) => {}
        Value::Bool(true) => put(name.to_string(), 1.0),
        Value::Number(x) => put(name.to_string(), x.to_string().parse().unwrap()),
        Value::String(text) if text.is_empty() => {}
        Value::String(text) => put(format!("{name}={text}"), 1.0),
        Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                let inner = if item.is_string() { name.to_string() } else { format!("{name}.{i}") };
                features(&inner, item, out);
            }
        }
        Value::Object(map) => {
            map.iter().for_each(|(key, item)| features(&format!("{name}.{key}"), item, out));
        }
    }
}

proptest! {
    #[test]
    fn it_agrees_with_a_parser_that_makes_trees(tree in any_json(), pretty in any::<bool>()) {
        let object = json!({"k": tree});
        let text = if pretty { serde_json::to_string_pretty(&object) } else { serde_json::to_string(&object) };
        let mut expected = Vec::new();
        features("k", &object["k"], &mut expected);
        let mut found = read(&text.unwrap()).features;
        let order = |(a, x): &(Vec<u8>, Real), (b, y): &(Vec<u8>, Real)| a.cmp(b).then(x.total_cmp(y));
        expected.sort_by(order);
        found.sort_by(order);
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn no_bytes_crash_the_parser(line in prop::collection::vec(any::<u8>(), 0..60)) {
        let _ = heard(&Jsonl::new(Roles::new()), &line);
    }

    #[test]
    fn near_misses_do_not_crash_the_parser(line in "\\{(\"[ax]\":)?[-{}\\[\\]\",:\\\\u0-9a-ftrlns. ]{0,30}\\}?") {
        let _ = heard(&Jsonl::new(Roles::new().with(Role::Ignored, "x")), line.as_bytes());
    }
}
