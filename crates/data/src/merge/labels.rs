//! Labels of several, joined by name.

use thalweg_core::Class;

use crate::labels::classes::{REST, order};

/// Labels that cannot be those of one model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LabelConflict {
    /// A label is positive here and negative there.
    #[error(
        "label \"{0}\" is the positive class of one model and the negative class of another; say which it is before they learn, with `positive` or `labels`"
    )]
    BothClasses(String),
    /// There are more than two.
    #[error("the labels of the models are not the same two: \"{0}\" and \"{1}\" mean the same class")]
    ThirdLabel(String, String),
}

/// The labels of two models of two classes, negative and positive, empty where one was not seen. `rest` says that all labels but the positive one
/// are negative.
pub fn join_two(a: &[String], b: &[String], rest: bool) -> Result<Vec<String>, LabelConflict> {
    let name = |names: &[String], class: usize| names.get(class).cloned().unwrap_or_default();
    let mut joined = Vec::with_capacity(2);
    for class in 0..2 {
        let (ours, theirs) = (name(a, class), name(b, class));
        for (one, others) in [(&ours, b), (&theirs, a)] {
            if !one.is_empty() && !rest && name(others, 1 - class) == *one {
                return Err(LabelConflict::BothClasses(one.clone()));
            }
        }
        joined.push(match (ours.is_empty(), theirs.is_empty()) {
            (true, _) => theirs,
            (_, true) => ours,
            _ if ours == theirs => ours,
            _ if rest && class == 0 => REST.to_string(),
            _ => return Err(LabelConflict::ThirdLabel(ours.clone().min(theirs.clone()), ours.max(theirs))),
        });
    }
    Ok(joined)
}

/// The labels of two models of many classes that began with the same `known` ones: these first, then all others, in order. Also the class in the whole of
/// each class of the two.
pub fn join_many(a: &[String], b: &[String], known: usize) -> (Vec<String>, [Vec<Class>; 2]) {
    let mut joined: Vec<String> = a.iter().take(known).cloned().collect();
    let mut new: Vec<&String> = a.iter().skip(known).chain(b.iter().skip(known)).collect();
    new.sort_by(|a, b| order(a, b).then_with(|| a.cmp(b)));
    new.dedup();
    joined.extend(new.into_iter().cloned());
    let places = |names: &[String]| {
        let place =
            |name: &String| joined.iter().position(|other| other == name).unwrap_or_default() as Class;
        names.iter().map(place).collect()
    };
    let places = [places(a), places(b)];
    (joined, places)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(all: &[&str]) -> Vec<String> {
        all.iter().map(|name| (*name).to_string()).collect()
    }

    #[test]
    fn two_labels_are_joined_by_class() {
        let join = |a, b, rest| join_two(&names(a), &names(b), rest);
        assert_eq!(join(&["ham", ""], &["", "spam"], false), Ok(names(&["ham", "spam"])));
        assert_eq!(join(&["", ""], &["ham", "spam"], false), Ok(names(&["ham", "spam"])));
        assert_eq!(join(&["a", "spam"], &["b", "spam"], true), Ok(names(&["rest", "spam"])));
        let conflict = join(&["", "ham"], &["ham", "spam"], false).unwrap_err();
        assert_eq!(conflict, LabelConflict::BothClasses("ham".into()));
        let conflict = join(&["a", "c"], &["b", "c"], false).unwrap_err();
        assert_eq!(conflict, LabelConflict::ThirdLabel("a".into(), "b".into()));
    }

    #[test]
    fn many_labels_are_joined_by_name_and_new_ones_put_in_order() {
        let (joined, [a, b]) = join_many(&names(&["x", "10", "9"]), &names(&["x", "y", "9"]), 1);
        assert_eq!(joined, names(&["x", "9", "10", "y"]));
        assert_eq!((a, b), (vec![0, 2, 1], vec![0, 3, 1]));
    }
}
