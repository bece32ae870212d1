//! Products of features: for every pair of namespaces, each feature of one with each of the other.
//!
//! A product is called `a^x*b^y`, as Vowpal Wabbit prints it, and its value is the product of both values. A namespace with itself
//! gives every pair once, in the order of their names, and a feature with itself only where that says something new: where its value is
//! not 1.

use thalweg_core::Real;

/// Which namespaces interact.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Interactions {
    sides: Vec<Side>,
    /// Places in `sides`.
    pairs: Vec<(usize, usize)>,
}

/// A choice of namespaces.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Side {
    /// All that begin with this character.
    Letter(char),
    /// The one that is called so.
    Name(String),
}

impl Side {
    fn takes(&self, namespace: &[u8]) -> bool {
        match self {
            Side::Letter(letter) => namespace.starts_with(letter.encode_utf8(&mut [0; 4]).as_bytes()),
            Side::Name(name) => namespace == name.as_bytes(),
        }
    }
}

/// What is wrong with a pair of namespaces.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "interactions are two first letters of namespaces, such as ab, or two names, such as user:item; got \"{0}\""
)]
pub struct NotAPair(String);

/// Two letters, or two names with a colon between them.
fn sides(pair: &str) -> Option<[Side; 2]> {
    if let Some((one, other)) = pair.split_once(':') {
        let name = |name: &str| (!name.is_empty()).then(|| Side::Name(name.into()));
        return Some([name(one)?, name(other)?]);
    }
    let mut letters = pair.chars().map(Side::Letter);
    let both = [letters.next()?, letters.next()?];
    letters.next().is_none().then_some(both)
}

/// Is this a pair of namespaces?
pub fn check_pair(pair: &str) -> Result<(), NotAPair> {
    sides(pair).map(|_| ()).ok_or_else(|| NotAPair(pair.into()))
}

impl Interactions {
    /// Of pairs that have been checked; others are passed over.
    pub(crate) fn new(pairs: &[String]) -> Self {
        let mut all = Self::default();
        for both in pairs.iter().filter_map(|pair| sides(pair)) {
            let [one, other] = both.map(|side| all.place(side));
            all.pairs.push((one, other));
        }
        all
    }

    fn place(&mut self, side: Side) -> usize {
        self.sides.iter().position(|known| *known == side).unwrap_or_else(|| {
            self.sides.push(side);
            self.sides.len() - 1
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }
}

/// The features of one example that may interact. Its memory is used again for the next.
#[derive(Debug, Default)]
pub(crate) struct Partners {
    names: Vec<u8>,
    /// The side, where the name ends, the value.
    all: Vec<(usize, std::ops::Range<usize>, Real)>,
    product: Vec<u8>,
}

/// The namespace of a feature: what stands before `^`, or else before `=`, or else all of its name.
fn namespace(name: &[u8]) -> &[u8] {
    let end = memchr::memchr(b'^', name).or_else(|| memchr::memchr(b'=', name));
    &name[..end.unwrap_or(name.len())]
}

impl Partners {
    pub(crate) fn clear(&mut self) {
        self.names.clear();
        self.all.clear();
    }

    /// Takes note of a feature by its full name.
    pub(crate) fn add(&mut self, interactions: &Interactions, name: &[u8], value: Real) {
        let namespace = namespace(name);
        let mut place = None;
        for (number, _) in interactions.sides.iter().enumerate().filter(|(_, side)| side.takes(namespace)) {
            let place = place.get_or_insert_with(|| {
                let start = self.names.len();
                self.names.extend_from_slice(name);
                start..self.names.len()
            });
            self.all.push((number, place.clone(), value));
        }
    }

    /// All products, with their names. They do not depend on the order in which the features came.
    pub(crate) fn cross(&mut self, interactions: &Interactions, mut feature: impl FnMut(&[u8], Real)) {
        let Self { names, all, product } = self;
        all.sort_by(|(_, a, _), (_, b, _)| names[a.clone()].cmp(&names[b.clone()]));
        let of = |side: usize| all.iter().enumerate().filter(move |(_, partner)| partner.0 == side);
        for (one, other) in &interactions.pairs {
            for (i, (_, first, x)) in of(*one) {
                for (j, (_, second, y)) in of(*other) {
                    let again = one == other && (j < i || (j == i && *x == 1.0));
                    let value = x * y;
                    if again || value == 0.0 {
                        continue;
                    }
                    product.clear();
                    product.extend_from_slice(&names[first.clone()]);
                    product.push(b'*');
                    product.extend_from_slice(&names[second.clone()]);
                    feature(product, value);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn products(pairs: &[&str], features: &[(&str, Real)]) -> Vec<(String, Real)> {
        let pairs: Vec<String> = pairs.iter().map(|pair| (*pair).to_string()).collect();
        let interactions = Interactions::new(&pairs);
        let (mut partners, mut all) = (Partners::default(), Vec::new());
        features.iter().for_each(|(name, x)| partners.add(&interactions, name.as_bytes(), *x));
        partners.cross(&interactions, |name, x| all.push((String::from_utf8(name.to_vec()).unwrap(), x)));
        all
    }

    fn expect(found: &[(String, Real)], expected: &[(&str, Real)]) {
        let found: Vec<(&str, Real)> = found.iter().map(|(name, x)| (name.as_str(), *x)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn every_feature_of_one_namespace_meets_every_feature_of_the_other() {
        let features = [("user^a", 2.0), ("user^b", 1.0), ("item^x", 3.0), ("other^z", 1.0)];
        let expected = [("user^a*item^x", 6.0), ("user^b*item^x", 3.0)];
        expect(&products(&["ui"], &features), &expected);
        expect(&products(&["user:item"], &features), &expected);
        expect(&products(&["iu"], &features), &[("item^x*user^a", 6.0), ("item^x*user^b", 3.0)]);
        expect(&products(&["user:nobody"], &features), &[]);
    }

    #[test]
    fn a_namespace_with_itself_gives_every_pair_once() {
        let features = [("user^a", 2.0), ("user^b", 1.0)];
        expect(&products(&["uu"], &features), &[("user^a*user^a", 4.0), ("user^a*user^b", 2.0)]);
        let swapped = [features[1], features[0]];
        assert_eq!(products(&["uu"], &swapped), products(&["uu"], &features));
    }

    #[test]
    fn columns_are_namespaces() {
        let features = [("country=de", 1.0), ("age", 30.0), ("note=x=y", 1.0)];
        expect(&products(&["country:age"], &features), &[("country=de*age", 30.0)]);
        expect(&products(&["note:age"], &features), &[("note=x=y*age", 30.0)]);
    }

    #[test]
    fn pairs_are_two_letters_or_two_names() {
        assert!(["ab", "aa", "äö", "user:item", "a:b"].iter().all(|pair| check_pair(pair).is_ok()));
        assert!(["", "a", "abc", "a:", ":b", ":"].iter().all(|pair| check_pair(pair).is_err()));
    }
}
