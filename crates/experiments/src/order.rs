//! Orders of the rows of a data set: random ones by a seed, or those of a file.

use std::borrow::Cow;
use std::path::Path;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;

/// An order in which all rows of a data set are gone through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    rows: Vec<u32>,
}

/// Why orders cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum OrderError {
    /// The file cannot be read.
    #[error("{file}: {cause}")]
    Io {
        /// The file.
        file: String,
        /// Why.
        cause: std::io::Error,
    },
    /// A line has something that is not the number of a row.
    #[error("{file}:{line}: the number of a row must be a whole number below {rows}, got \"{text}\"")]
    NotARow {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What stands there.
        text: String,
        /// How many rows there are.
        rows: usize,
    },
    /// A line does not have every row once.
    #[error(
        "{file}:{line}: an order has each of the {rows} rows once, this one has {found}, {different} of them different"
    )]
    NotAnOrder {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// How many rows there are.
        rows: usize,
        /// How many the line has.
        found: usize,
        /// How many different ones.
        different: usize,
    },
    /// The file has no line.
    #[error("{file}: there is no order in it; a line has the numbers of all rows, from 0")]
    Nothing {
        /// The file.
        file: String,
    },
}

impl Order {
    /// The order of the data.
    pub fn of_data(rows: usize) -> Self {
        Self { rows: (0..rows as u32).collect() }
    }

    /// A random order, the same one for the same seed and number of rows on every machine.
    pub fn shuffled(rows: usize, seed: u64) -> Self {
        let mut order = Self::of_data(rows);
        order.rows.shuffle(&mut Pcg64::seed_from_u64(seed));
        order
    }

    /// So many random orders, with the seeds `first_seed`, `first_seed + 1` and so on.
    pub fn several(rows: usize, orders: usize, first_seed: u64) -> Vec<Self> {
        (0..orders as u64).map(|i| Self::shuffled(rows, first_seed.wrapping_add(i))).collect()
    }

    /// The orders of a file: a line has the numbers of all rows, from 0, separated by spaces.
    pub fn read(file: &Path, rows: usize) -> Result<Vec<Self>, OrderError> {
        let name = file.display().to_string();
        let text =
            std::fs::read_to_string(file).map_err(|cause| OrderError::Io { file: name.clone(), cause })?;
        Self::parse(&text, &name, rows)
    }

    pub(crate) fn parse(text: &str, file: &str, rows: usize) -> Result<Vec<Self>, OrderError> {
        let mut orders = Vec::new();
        for (i, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let (file, line_number) = (file.to_string(), i + 1);
            let (mut order, mut seen) = (Vec::with_capacity(rows), vec![false; rows]);
            for word in line.split_whitespace() {
                let row = word.parse::<u32>().ok().filter(|row| (*row as usize) < rows);
                let Some(row) = row else {
                    return Err(OrderError::NotARow { file, line: line_number, text: word.into(), rows });
                };
                seen[row as usize] = true;
                order.push(row);
            }
            let different = seen.iter().filter(|seen| **seen).count();
            if order.len() != rows || different != rows {
                let found = order.len();
                return Err(OrderError::NotAnOrder { file, line: line_number, rows, found, different });
            }
            orders.push(Self { rows: order });
        }
        if orders.is_empty() { Err(OrderError::Nothing { file: file.into() }) } else { Ok(orders) }
    }

    /// The rows, first to last.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// The first rows only: what is learned from where the others are held out.
    #[must_use]
    pub fn first(&self, rows: usize) -> Self {
        Self { rows: self.rows[..rows.min(self.rows.len())].to_vec() }
    }
}

/// Several orders of the same rows. Random ones are made when they are needed.
#[derive(Clone, Debug)]
pub enum Orders {
    /// Random orders, with seeds that follow each other.
    Random {
        /// How many rows there are.
        rows: usize,
        /// How many orders.
        count: usize,
        /// The seed of the first.
        seed: u64,
    },
    /// These.
    Given(Vec<Order>),
}

impl Orders {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Random { count, .. } => *count,
            Self::Given(orders) => orders.len(),
        }
    }

    /// None?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One of them.
    pub fn get(&self, i: usize) -> Cow<'_, Order> {
        match self {
            Self::Random { rows, seed, .. } => {
                Cow::Owned(Order::shuffled(*rows, seed.wrapping_add(i as u64)))
            }
            Self::Given(orders) => Cow::Borrowed(&orders[i]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_orders_have_every_row_once_and_depend_on_the_seed_alone() {
        let [a, b] = &Order::several(100, 2, 7)[..] else { panic!("two were asked for") };
        let mut sorted = a.rows().to_vec();
        sorted.sort_unstable();
        assert_eq!(sorted, Order::of_data(100).rows());
        assert_ne!(a, b);
        assert_eq!(*b, Order::shuffled(100, 8));
        let random = Orders::Random { rows: 100, count: 2, seed: 7 };
        assert_eq!((random.get(0).as_ref(), random.get(1).as_ref(), random.len()), (a, b, 2));
    }

    #[test]
    fn the_published_orders_of_german_are_read() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/german.permutations.txt");
        let orders = Order::read(&file, 1000).unwrap();
        assert_eq!((orders.len(), &orders[0].rows()[..3]), (20, &[834, 733, 434][..]));
        let error = Order::read(&file, 999).unwrap_err().to_string();
        assert!(error.contains(":1: the number of a row must be a whole number below 999"), "{error}");
    }

    #[test]
    fn what_is_no_order_is_refused() {
        let error = |text| Order::parse(text, "o.txt", 3).unwrap_err().to_string();
        assert!(error("0 1 2\n0 1 x\n").starts_with("o.txt:2: the number of a row"));
        assert!(error("0 1 1\n").contains("has 3, 2 of them different"));
        assert!(error("\n").contains("no order in it"));
    }
}
