//! Dates and times as features.
//!
//! `2024-02-29 13:05` in the column `when` becomes `when.weekday=thu`, `when.month=feb`, `when.hour=13` and `when.years` with the value 24.16:
//! what repeats are categories, and what goes on is a number. It counts years since 2000, so that its values are about as large as those of other
//! features and tell minutes apart in single precision.
//!
//! Weekday, month and hour are those of the place where the time was written; without one, and for numbers, they are those of UTC. A date without a
//! time has no hour.

use thalweg_core::Real;

use super::sink::RecordSink;
use crate::error::Fault;

const DAY: i64 = 86_400;
/// Days from 1970 to 2000.
const DAYS_TO_2000: f64 = 10_957.0;
const DAYS_PER_YEAR: f64 = 365.2425;
const WEEKDAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// A moment, or a whole day.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Moment {
    /// Days since 1970-01-01 where it was written.
    day: i64,
    /// Seconds since midnight there.
    second: Option<f64>,
    /// How much later it is there than in UTC, in seconds.
    ahead: i64,
}

impl Moment {
    /// A day, counted from 1970-01-01.
    pub(super) fn of_day(day: i64) -> Self {
        Self { day, second: None, ahead: 0 }
    }

    /// So many units after 1970 began, `units` of which make a second.
    #[cfg(feature = "columns")]
    pub(super) fn of_unix(count: i64, units: i64) -> Self {
        let (day, rest) = (count.div_euclid(DAY * units), count.rem_euclid(DAY * units));
        Self { day, second: Some(rest as f64 / units as f64), ahead: 0 }
    }

    /// Reads ISO 8601 with or without a time, or seconds (or thousandths, millionths, billionths of them) since 1970.
    fn parse(text: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(text).ok()?.trim();
        if text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit()) {
            // 20240229; as seconds it would be in the year 1970.
            if let Some(day) = day_of(&text[..4], &text[4..6], &text[6..]) {
                return Some(Self::of_day(day));
            }
        }
        if text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit()) {
            // A year, which begins on its first day.
            return day_of(text, "01", "01").map(Self::of_day);
        }
        if let Ok(number) = text.parse::<f64>() {
            return Self::of_number(number);
        }
        let separator = text.get(4..5).filter(|c| ["-", "/"].contains(c))?;
        let (date, rest) = text.split_at_checked(10)?;
        let mut parts = date.split(separator);
        let day = day_of(parts.next()?, parts.next()?, parts.next()?).filter(|_| parts.next().is_none())?;
        if rest.is_empty() {
            return Some(Self::of_day(day));
        }
        let time = rest.strip_prefix(['T', 't', ' '])?.trim();
        let (clock, zone) = time.split_at(time.find(['Z', 'z', '+', '-', 'U', ' ']).unwrap_or(time.len()));
        Some(Self { day, second: Some(clock_of(clock)?), ahead: zone_of(zone.trim())? })
    }

    /// By its size it is seconds, or thousandths, millionths, billionths of them.
    fn of_number(number: f64) -> Option<Self> {
        let units = match number.abs() {
            size if size < 1e11 => 1.0,
            size if size < 1e14 => 1e3,
            size if size < 1e17 => 1e6,
            size if size < 1e20 => 1e9,
            _ => return None,
        };
        let seconds = number / units;
        let day = (seconds / DAY as f64).floor();
        Some(Self { day: day as i64, second: Some(seconds - day * DAY as f64), ahead: 0 })
    }

    /// Hands its features to the sink. The name holds that of the column, and does so again afterwards.
    pub(super) fn put(self, name: &mut Vec<u8>, sink: &mut impl RecordSink) {
        let length = name.len();
        let mut feature = |feature: &str, value: Real| {
            name.extend_from_slice(feature.as_bytes());
            sink.named(b"", name, value);
            name.truncate(length);
        };
        feature(&format!(".weekday={}", WEEKDAYS[(self.day + 3).rem_euclid(7) as usize]), 1.0);
        feature(&format!(".month={}", MONTHS[month_of(self.day) - 1]), 1.0);
        if let Some(second) = self.second {
            feature(&format!(".hour={:02}", (second / 3600.0) as u32), 1.0);
        }
        feature(".years", self.years() as Real);
    }

    /// Since 2000 began in UTC.
    fn years(self) -> f64 {
        let seconds = self.second.unwrap_or_default() - self.ahead as f64;
        (self.day as f64 + seconds / DAY as f64 - DAYS_TO_2000) / DAYS_PER_YEAR
    }
}

/// Hands the features of a date to the sink, if it is one.
pub(super) fn put_date(
    sink: &mut impl RecordSink,
    name: &mut Vec<u8>,
    text: &[u8],
    at: usize,
) -> Result<(), Fault> {
    let what =
        "expected a date, such as 2024-02-29, 2024-02-29T13:05:00+01:00 or 1709208300 (seconds since 1970)";
    Moment::parse(text).ok_or_else(|| Fault::at(at, what, text))?.put(name, sink);
    Ok(())
}

/// Does a text look like a date or a time, and like nothing else?
pub fn looks_like_date(text: &str) -> bool {
    let plain = text.parse::<f64>().is_ok();
    !plain && Moment::parse(text.as_bytes()).is_some()
}

fn number(digits: &str) -> Option<i64> {
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// Days since 1970-01-01, if there is such a date.
fn day_of(year: &str, month: &str, day: &str) -> Option<i64> {
    if (year.len(), month.len(), day.len()) != (4, 2, 2) {
        return None;
    }
    let (year, month, day) = (number(year)?, number(month)?, number(day)?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    // Years begin with March, so that the day that some do not have is their last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let of_year = (153 * month + 2) / 5 + day - 1;
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    (1..=days).contains(&day).then_some(365 * year + leap_days + of_year - 719_468)
}

/// The month of a day, from 1 to 12.
fn month_of(day: i64) -> usize {
    let of_era = (day + 719_468).rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    (if month < 10 { month + 3 } else { month - 9 }) as usize
}

/// Seconds since midnight.
fn clock_of(clock: &str) -> Option<f64> {
    let mut parts = clock.splitn(3, ':');
    let (hours, minutes) = (parts.next()?, parts.next()?);
    if (hours.len(), minutes.len()) != (2, 2) {
        return None;
    }
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    let seconds = parts.next().unwrap_or("00").replace(',', ".");
    let whole = seconds.split('.').next().unwrap_or_default();
    // Some minutes have a 61st second.
    let seconds =
        seconds.parse::<f64>().ok().filter(|seconds| whole.len() == 2 && (0.0..61.0).contains(seconds))?;
    (hours < 24 && minutes < 60).then_some((hours * 3600 + minutes * 60) as f64 + seconds.min(59.999_999))
}

/// How much later it is than in UTC, in seconds.
fn zone_of(zone: &str) -> Option<i64> {
    if matches!(zone, "" | "Z" | "z" | "UTC") {
        return Some(0);
    }
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let digits = zone.strip_prefix(['+', '-'])?.replace(':', "");
    let (hours, minutes) = digits.split_at_checked(2)?;
    let minutes = if minutes.is_empty() { 0 } else { number(minutes).filter(|_| minutes.len() == 2)? };
    number(hours)
        .filter(|hours| *hours < 24 && minutes < 60)
        .map(|hours| sign * (hours * 3600 + minutes * 60))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::testing::Heard;
    use super::*;

    fn shown(text: &str) -> String {
        let mut heard = Heard::default();
        match put_date(&mut heard, &mut b"t".to_vec(), text.as_bytes(), 0) {
            Ok(()) => {
                let all: Vec<String> = heard
                    .features
                    .iter()
                    .map(|(name, x)| {
                        format!(
                            "{}{}",
                            String::from_utf8_lossy(name),
                            if *x == 1.0 { String::new() } else { format!(":{x:.4}") }
                        )
                    })
                    .collect();
                all.join(" ")
            }
            Err(fault) => fault.message,
        }
    }

    #[test]
    fn dates_and_times_as_they_are_written() {
        let afternoon = "t.weekday=thu t.month=feb t.hour=13 t.years:24.1635";
        for text in [
            "2024-02-29 13:05:00",
            "2024-02-29T13:05",
            "2024-02-29T13:05:00Z",
            " 2024-02-29t13:05:00.000000z ",
            "2024/02/29 13:05:00 UTC",
            "1709211900",
            "1709211900.0",
            "1709211900000",
            "1709211900000000",
            "1709211900000000000",
        ] {
            assert_eq!(shown(text), afternoon, "{text}");
        }
        // The clock of the place, and the time of the world.
        for text in ["2024-02-29T15:05:00+02:00", "2024-02-29T15:05:00+0200", "2024-02-29 15:05:00 +02"] {
            assert_eq!(shown(text), afternoon.replace("13", "15"), "{text}");
        }
        assert_eq!(shown("2024-02-29"), "t.weekday=thu t.month=feb t.years:24.1620");
        assert_eq!(shown("20240229"), shown("2024-02-29"));
        assert_eq!(shown("1969-12-31T23:59:59Z"), "t.weekday=wed t.month=dec t.hour=23 t.years:-29.9992");
        assert_eq!(shown("-1"), shown("1969-12-31T23:59:59Z"));
        for text in [
            "2023-02-29",
            "2024-13-01",
            "2024-00-01",
            "2024-1-1",
            "29.02.2024",
            "02/29/2024",
            "2024-02-29X",
            "2024-02-29T24:00",
            "2024-02-29T1:05",
            "2024-02-29T13:05:99",
            "2024-02-29T13:05+99",
            "yesterday",
            "nan",
            "inf",
            "1e30",
            "2024-02-29T",
            "é024-02-29",
        ] {
            assert!(shown(text).starts_with("expected a date"), "{text}: {}", shown(text));
        }
        assert!(looks_like_date("2024-02-29") && !looks_like_date("20240229") && !looks_like_date("7"));
    }

    proptest! {
        #[test]
        fn days_are_counted_one_after_the_other(day in -700_000i64..1_150_000) {
            let month = month_of(day);
            let next = month_of(day + 1);
            prop_assert!(next == month || next == month % 12 + 1);
            let seconds = Moment::parse((day as f64 * 86_400.0).to_string().as_bytes()).unwrap();
            prop_assert_eq!(Moment { second: None, ..seconds }, Moment::of_day(day));
        }

        #[test]
        fn no_text_crashes_it(text in "\\PC{0,30}|[-0-9T:.+Z ]{0,30}|20[0-9]{2}-[01][0-9]-[0-3][0-9][T ][-0-9:+.Zz ]{0,14}") {
            let _ = shown(&text);
        }
    }
}
