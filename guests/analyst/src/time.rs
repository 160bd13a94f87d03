//! Points in time as milliseconds, so that readers can compare what tools wrote in several forms.

/// Milliseconds since 1970 in UTC.
pub(crate) type Millis = i64;

pub(crate) const MINUTE: Millis = 60_000;

/// Reads an RFC 3339 time; `T` may be a space, and a missing offset means UTC.
pub(crate) fn parse(text: &str) -> Option<Millis> {
    let text = text.trim();
    let (date, rest) = (text.get(..10)?, text.get(11..)?);
    if !matches!(text.get(10..11)?, "T" | "t" | " ") {
        return None;
    }
    let mut parts = date.split('-').map(str::parse::<i64>);
    let (year, month, day) = (parts.next()?.ok()?, parts.next()?.ok()?, parts.next()?.ok()?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let end = rest.find(['Z', 'z', '+', '-']).unwrap_or(rest.len());
    let (clock, offset) = rest.split_at(end);
    Some(days(year, month, day) * 86_400_000 + clock_millis(clock)? - offset_millis(offset)?)
}

/// Days since 1970 of a date in the Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> i64 {
    // Years begin in March here, so that the leap day is the last one.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// The RFC 3339 form of a time, in UTC.
pub(crate) fn format(millis: Millis) -> String {
    let (days, rest) = (millis.div_euclid(86_400_000), millis.rem_euclid(86_400_000));
    // The inverse of `days`, by the same calendar that begins in March.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (rest / 3_600_000, rest / MINUTE % 60, rest / 1000 % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

fn clock_millis(clock: &str) -> Option<i64> {
    let mut parts = clock.trim().split(':');
    let (hour, minute): (i64, i64) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    let (whole, fraction) = parts.next().map_or(("0", ""), |seconds| seconds.split_once('.').unwrap_or((seconds, "")));
    let second: i64 = whole.parse().ok()?;
    if parts.next().is_some() || !(0..24).contains(&hour) || !(0..60).contains(&minute) || !(0..=60).contains(&second) {
        return None;
    }
    let digits: String = fraction.chars().take(3).collect();
    let fraction: i64 = if digits.is_empty() { 0 } else { format!("{digits:0<3}").parse().ok()? };
    Some(((hour * 60 + minute) * 60 + second) * 1000 + fraction)
}

fn offset_millis(offset: &str) -> Option<i64> {
    let sign = match offset.chars().next() {
        None | Some('Z' | 'z') => return Some(0),
        Some('-') => -1,
        Some(_) => 1,
    };
    let (hours, minutes) = offset.get(1..)?.split_once(':').or_else(|| offset.get(1..)?.split_at_checked(2))?;
    let minutes: i64 = if minutes.is_empty() { 0 } else { minutes.parse().ok()? };
    Some(sign * (hours.parse::<i64>().ok()? * 60 + minutes) * MINUTE)
}

#[cfg(test)]
mod tests {
    use super::{format, parse};

    #[test]
    fn a_time_is_written_as_it_is_read() {
        for text in ["1970-01-01T00:00:00Z", "2000-02-29T23:59:59Z", "2024-12-31T12:30:15Z", "1969-12-31T23:00:00Z"] {
            assert_eq!(format(parse(text).unwrap()), text);
        }
    }

    #[test]
    fn times_in_the_forms_that_tools_write() {
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("1970-01-02T00:00:01.5Z", Some(86_401_500)),
            ("2000-03-01T00:00:00Z", Some(951_868_800_000)),
            ("2024-02-29T12:00:00+01:00", Some(1_709_204_400_000)),
            ("2024-02-29 12:00:00.123456-0130", Some(1_709_213_400_123)),
            ("2026-04-18T10:45:00", Some(1_776_509_100_000)),
            ("2026-13-01T00:00:00Z", None),
            ("2026-01-01T25:00:00Z", None),
            ("2026-01-01", None),
            ("yesterday at noon!", None),
            ("ééééééééééé", None),
        ] {
            assert_eq!(parse(text), expected, "{text}");
        }
    }
}
