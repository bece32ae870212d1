//! URLs to features.
//!
//! A URL need not be valid: the scheme may be missing, bytes may be anything. What cannot be found is not a feature.
//! A feature has the value 1 for each time that it occurs. Names are in lower case (ASCII), `http://www.Shop.co.uk:8080/a/b.php?id=7` has
//!
//! | name | what it says |
//! | --- | --- |
//! | `scheme=http` | the scheme, if there is one |
//! | `host=www.shop.co.uk` | the host |
//! | `tld=uk` | its last label |
//! | `domain=shop.co.uk` | the part that looks registered: two labels, or three if the last is a country's and the one before it is a usual second level (`co.uk`, `com.au`) |
//! | `label.3=shop` | each label with its level, counted from the end |
//! | `labels=4` | how many there are |
//! | `ip` | the host is an address: `1.2.3.4`, `[::1]`, `3232235777`, `0x7f000001` |
//! | `port=8080` | the port, if one is written |
//! | `user` | somebody stands before an `@` |
//! | `path=a`, `path=b` | words of the path (letters, digits and bytes beyond ASCII; `%20` parts words) |
//! | `depth=2` | how many steps the path has |
//! | `extension=php` | of the last step |
//! | `key=id`, `query=id=7` | keys of the query, and keys with each word of their values |
//! | `fragment` | there is a `#` |
//! | `length=32`, `host.length=8`, `path.length=8`, `query.length=4` | lengths in bytes: the largest power of two that is not larger |
//! | `digits=4` | likewise, how many digits the URL has |

use std::ops::RangeInclusive;

use super::words::{character_ngrams, characters};

/// A host label that is usual below a country's domain, so that the registered part has three labels.
const SECOND_LEVELS: [&[u8]; 14] = [
    b"ac", b"asso", b"co", b"com", b"edu", b"gob", b"gouv", b"gov", b"id", b"mil", b"ne", b"net", b"or",
    b"org",
];

/// Turns URLs into features, with buffers that live on from one to the next.
#[derive(Clone, Debug, Default)]
pub struct UrlTokenizer {
    url: Vec<u8>,
    plain: String,
    name: Vec<u8>,
}

/// The pieces of a URL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Parts<'a> {
    scheme: &'a [u8],
    user: bool,
    host: &'a [u8],
    port: &'a [u8],
    path: &'a [u8],
    query: &'a [u8],
    fragment: bool,
}

impl UrlTokenizer {
    /// Calls `feature` with the name of every feature of the URL, as often as it occurs (a word may be twice in the path). Names
    /// begin with `prefix`.
    ///
    /// `ngrams` are lengths of character n-grams of the whole URL, named as those of texts.
    pub fn url(
        &mut self,
        ngrams: Option<&RangeInclusive<usize>>,
        prefix: &[u8],
        url: &[u8],
        mut feature: impl FnMut(&[u8]),
    ) {
        let Self { url: lower, plain, name } = self;
        lower.clear();
        lower.extend(url.trim_ascii().iter().map(u8::to_ascii_lowercase));
        name.clear();
        name.extend_from_slice(prefix);
        let mut names = Names { prefix: prefix.len(), name, feature: &mut feature };
        let parts = split(lower);
        if !lower.is_empty() {
            names.host(&parts);
            names.path(parts.path);
            names.query(parts.query);
            names.flag(b"fragment", parts.fragment);
            names.size(b"length=", lower.len());
            names.size(b"host.length=", parts.host.len());
            names.size(b"path.length=", parts.path.len());
            names.size(b"query.length=", parts.query.len());
            names.size(b"digits=", lower.iter().filter(|b| b.is_ascii_digit()).count());
        }
        if let Some(lengths) = ngrams {
            characters(&String::from_utf8_lossy(lower), plain);
            name.truncate(prefix.len());
            name.push(b'#');
            character_ngrams(plain, lengths, name, &mut feature);
        }
    }
}

struct Names<'a, F> {
    prefix: usize,
    name: &'a mut Vec<u8>,
    feature: F,
}

impl<F: FnMut(&[u8])> Names<'_, F> {
    fn put(&mut self, parts: &[&[u8]]) {
        self.name.truncate(self.prefix);
        parts.iter().for_each(|part| self.name.extend_from_slice(part));
        (self.feature)(self.name);
    }

    fn known(&mut self, what: &[u8], text: &[u8]) {
        if !text.is_empty() {
            self.put(&[what, text]);
        }
    }

    fn flag(&mut self, what: &[u8], is: bool) {
        if is {
            self.put(&[what]);
        }
    }

    fn number(&mut self, what: &[u8], number: usize) {
        self.put(&[what, itoa::Buffer::new().format(number).as_bytes()]);
    }

    /// A size as the largest power of two that is not larger: 100 and 120 say the same.
    fn size(&mut self, what: &[u8], size: usize) {
        self.number(what, if size == 0 { 0 } else { 1 << size.ilog2() });
    }

    fn host(&mut self, parts: &Parts) {
        self.known(b"scheme=", parts.scheme);
        self.flag(b"user", parts.user);
        self.known(b"host=", parts.host);
        self.known(b"port=", parts.port);
        if parts.host.is_empty() {
            return;
        }
        if is_address(parts.host) {
            return self.flag(b"ip", true);
        }
        let labels = || parts.host.rsplit(|b| *b == b'.').filter(|label| !label.is_empty());
        let Some(last) = labels().next() else { return };
        self.put(&[b"tld=", last]);
        self.put(&[b"domain=", domain(parts.host)]);
        for (i, label) in labels().enumerate() {
            self.put(&[b"label.", itoa::Buffer::new().format(i + 1).as_bytes(), b"=", label]);
        }
        self.number(b"labels=", labels().count());
    }

    fn path(&mut self, path: &[u8]) {
        words(path, |word| self.put(&[b"path=", word]));
        let steps = || path.split(|b| *b == b'/').filter(|step| !step.is_empty());
        self.number(b"depth=", steps().count());
        let last = steps().next_back().unwrap_or_default();
        if let Some(dot) = memchr::memrchr(b'.', last) {
            let extension = &last[dot + 1..];
            let usual = (1..=8).contains(&extension.len()) && extension.iter().all(u8::is_ascii_alphanumeric);
            if usual && dot > 0 {
                self.put(&[b"extension=", extension]);
            }
        }
    }

    fn query(&mut self, query: &[u8]) {
        for pair in query.split(|b| matches!(b, b'&' | b';')).filter(|pair| !pair.is_empty()) {
            let (key, value) = match memchr::memchr(b'=', pair) {
                Some(equals) => (&pair[..equals], &pair[equals + 1..]),
                None => (pair, &pair[pair.len()..]),
            };
            self.put(&[b"key=", key]);
            words(value, |word| self.put(&[b"query=", key, b"=", word]));
        }
    }
}

/// Runs of letters, digits and bytes beyond ASCII; `%` with two hexadecimal digits parts words.
fn words(text: &[u8], mut word: impl FnMut(&[u8])) {
    let (mut at, mut start) = (0, None);
    while at < text.len() {
        let byte = text[at];
        if byte.is_ascii_alphanumeric() || !byte.is_ascii() {
            start.get_or_insert(at);
            at += 1;
            continue;
        }
        if let Some(start) = start.take() {
            word(&text[start..at]);
        }
        let escape =
            byte == b'%' && text[at + 1..].iter().take(2).filter(|b| b.is_ascii_hexdigit()).count() == 2;
        at += if escape { 3 } else { 1 };
    }
    if let Some(start) = start {
        word(&text[start..]);
    }
}

fn split(url: &[u8]) -> Parts<'_> {
    let mut parts = Parts::default();
    let mut rest = url;
    if let Some(hash) = memchr::memchr(b'#', rest) {
        parts.fragment = true;
        rest = &rest[..hash];
    }
    if let Some(mark) = memchr::memchr(b'?', rest) {
        parts.query = &rest[mark + 1..];
        rest = &rest[..mark];
    }
    let mut has_host = true;
    if let Some((scheme, behind)) = scheme(rest) {
        parts.scheme = scheme;
        rest = behind;
        has_host = rest.starts_with(b"//");
    }
    rest = rest.strip_prefix(b"//").unwrap_or(rest);
    if !has_host {
        parts.path = rest;
        return parts;
    }
    let (mut authority, path) = rest.split_at(memchr::memchr(b'/', rest).unwrap_or(rest.len()));
    parts.path = path;
    if let Some(at) = memchr::memrchr(b'@', authority) {
        parts.user = true;
        authority = &authority[at + 1..];
    }
    // In `[::1]:80` only the last colon, behind the bracket, is that of a port.
    let bracket = memchr::memrchr(b']', authority).unwrap_or(0);
    match memchr::memrchr(b':', authority).filter(|colon| *colon >= bracket) {
        Some(colon) => (parts.host, parts.port) = (&authority[..colon], &authority[colon + 1..]),
        None => parts.host = authority,
    }
    parts
}

/// The scheme and what follows its colon. `shop.com:80/` and `localhost:80` have a port, not a scheme.
fn scheme(url: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = memchr::memchr(b':', url)?;
    let (scheme, rest) = (&url[..colon], &url[colon + 1..]);
    let legal = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'.' | b'-');
    if !scheme.first()?.is_ascii_alphabetic() || !scheme.iter().all(legal) {
        return None;
    }
    let port = rest.split(|b| *b == b'/').next().unwrap_or_default();
    let is_port = !port.is_empty() && port.iter().all(u8::is_ascii_digit);
    let is_host = is_port || scheme.contains(&b'.');
    (rest.starts_with(b"//") || !is_host).then_some((scheme, rest))
}

/// The part of the host that looks registered.
fn domain(host: &[u8]) -> &[u8] {
    let host = host.strip_suffix(b".").unwrap_or(host);
    let dots: [Option<usize>; 3] = {
        let mut dots = memchr::memrchr_iter(b'.', host);
        [dots.next(), dots.next(), dots.next()]
    };
    let [Some(last), second, third] = dots else { return host };
    let middle = &host[second.map_or(0, |dot| dot + 1)..last];
    let before = if host.len() - last == 3 && SECOND_LEVELS.contains(&middle) { third } else { second };
    before.map_or(host, |dot| &host[dot + 1..])
}

/// An IPv6 address in brackets, an IPv4 address, or the same as one number, decimal or hexadecimal.
fn is_address(host: &[u8]) -> bool {
    let byte = |text: &[u8]| {
        (1..=3).contains(&text.len())
            && text.iter().all(u8::is_ascii_digit)
            && text.iter().fold(0, |sum, b| 10 * sum + u32::from(b - b'0')) < 256
    };
    let dotted = host.split(|b| *b == b'.').count() == 4 && host.split(|b| *b == b'.').all(byte);
    let hexadecimal = |digits: &[u8]| !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit);
    host.starts_with(b"[")
        || dotted
        || host.iter().all(u8::is_ascii_digit)
        || host.strip_prefix(b"0x").is_some_and(hexadecimal)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn names(url: &str) -> Vec<String> {
        let mut found = Vec::new();
        UrlTokenizer::default().url(None, b"", url.as_bytes(), |name| {
            found.push(String::from_utf8(name.to_vec()).unwrap());
        });
        found
    }

    #[test]
    fn all_features_of_a_url() {
        assert_eq!(
            names("http://bob@www.Shop.co.uk:8080/a/x%20y/b.PHP?id=7-8&q#top").join(" "),
            "scheme=http user host=www.shop.co.uk port=8080 tld=uk domain=shop.co.uk label.1=uk label.2=co \
             label.3=shop label.4=www labels=4 path=a path=x path=y path=b path=php depth=3 extension=php \
             key=id query=id=7 query=id=8 key=q fragment length=32 host.length=8 path.length=8 query.length=8 \
             digits=8"
        );
        assert_eq!(names(""), Vec::<String>::new());
        assert_eq!(names(" \n"), Vec::<String>::new());
    }

    #[test]
    fn urls_come_apart() {
        let of = |url: &'static str| {
            let parts = split(url.as_bytes());
            let text = |bytes| std::str::from_utf8(bytes).unwrap();
            [parts.scheme, parts.host, parts.port, parts.path, parts.query].map(text).join("|")
        };
        assert_eq!(of("shop.com"), "|shop.com|||");
        assert_eq!(of("shop.com:80/x"), "|shop.com|80|/x|");
        assert_eq!(of("localhost:8080"), "|localhost|8080||");
        assert_eq!(of("//cdn.net/x?y=http://z/"), "|cdn.net||/x|y=http://z/");
        assert_eq!(of("mailto:bob@x.org"), "mailto|||bob@x.org|");
        assert_eq!(of("https://a@b@c.de:1:2/"), "https|c.de:1|2|/|");
        assert_eq!(of("http://[::1]:80/"), "http|[::1]|80|/|");
        assert_eq!(of("http://[::1]/"), "http|[::1]||/|");
        assert_eq!(of("http:///x"), "http|||/x|");
        assert_eq!(of("/just/a/path"), "|||/just/a/path|");
        assert_eq!(of("://?#"), "|||//|");
    }

    #[test]
    fn domains_look_registered() {
        let of = |host: &'static str| std::str::from_utf8(domain(host.as_bytes())).unwrap();
        assert_eq!(of("a.b.shop.com"), "shop.com");
        assert_eq!(of("shop.co.uk"), "shop.co.uk");
        assert_eq!(of("www.shop.co.uk."), "shop.co.uk");
        assert_eq!(of("co.uk"), "co.uk");
        assert_eq!(of("www.shop.de"), "shop.de");
        assert_eq!(of("localhost"), "localhost");
        assert_eq!(of("."), "");
    }

    #[test]
    fn addresses() {
        let is = |host: &str| is_address(host.as_bytes());
        assert!(is("1.2.3.255") && is("[::1]") && is("3232235777") && is("0x7f000001"));
        assert!(!is("1.2.3.256") && !is("1.2.3") && !is("1.2.3.4.com") && !is("0x") && !is("a1.2.3.4"));
        assert!(names("http://10.0.0.1/x").contains(&"ip".to_string()));
        assert!(!names("http://10.0.0.1/x").iter().any(|name| name.starts_with("tld")));
    }

    #[test]
    fn character_ngrams_are_those_of_the_whole_url() {
        let mut found = Vec::new();
        UrlTokenizer::default().url(Some(&(4..=4)), b"u:", b"A.b/", |name| {
            found.push(String::from_utf8(name.to_vec()).unwrap());
        });
        assert!(found.iter().all(|name| name.starts_with("u:")));
        assert_eq!(found[found.len() - 3..], ["u:#_a.b", "u:#a.b/", "u:#.b/_"]);
    }

    proptest! {
        #[test]
        fn no_bytes_crash_it(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            UrlTokenizer::default().url(Some(&(3..=5)), b"p", &bytes, |name| {
                assert!(name.starts_with(b"p"));
            });
        }

        #[test]
        fn near_misses_do_not_crash_it_and_nothing_stays_behind(url in "(https?|a)?[:/@.?#&=;%\\[\\]a1é]{0,25}") {
            let mut tokenizer = UrlTokenizer::default();
            let (mut first, mut second) = (Vec::new(), Vec::new());
            tokenizer.url(None, b"", url.as_bytes(), |name| first.push(name.to_vec()));
            tokenizer.url(Some(&(2..=3)), b"other", b"http://other/?x=1", |_| {});
            tokenizer.url(None, b"", url.as_bytes(), |name| second.push(name.to_vec()));
            prop_assert_eq!(first, second);
        }
    }
}
