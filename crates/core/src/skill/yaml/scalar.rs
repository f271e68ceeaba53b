//! Scalars: the type of a plain text in YAML, and a text in quotes that reads back.

use std::fmt::Write as _;

/// The type and value of a scalar in YAML 1.2 (core schema).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TypedScalar<'n> {
    /// `null`, `~` or nothing.
    Null,
    /// `true`, `false`.
    Bool(bool),
    /// An integer that fits 64 bits with or without sign.
    Int(i128),
    /// Any other number, infinities included.
    Float(f64),
    /// Everything else, including dates.
    Text(&'n str),
}

/// Resolves the type of a plain scalar in YAML 1.2 (core schema).
#[must_use]
pub fn core_type(text: &str) -> TypedScalar<'_> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => TypedScalar::Null,
        "true" | "True" | "TRUE" => TypedScalar::Bool(true),
        "false" | "False" | "FALSE" => TypedScalar::Bool(false),
        _ => parse_number(text).unwrap_or(TypedScalar::Text(text)),
    }
}

/// A date of YAML 1.1. Parsers differ in which ones they read as dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DateScalar<'t> {
    /// Whether month and day have two digits each: Python's parser requires that, Go's does not.
    pub is_padded: bool,
    /// What follows the date: nothing, or a time.
    pub time: &'t str,
}

/// Splits a plain scalar that begins with a date: `2026-01-25`, `2026-1-5`, `2026-01-25T10:00:00Z`. `None` if it does not.
#[must_use]
pub fn split_date(text: &str) -> Option<DateScalar<'_>> {
    let end = text.find(['T', 't', ' ']).unwrap_or(text.len());
    let (date, time) = text.split_at(end);

    let parts: Vec<&str> = date.split('-').collect();
    let [year, month, day] = parts[..] else {
        return None;
    };
    let has_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let is_date = year.len() == 4
        && matches!((month.len(), day.len()), (1 | 2, 1 | 2))
        && parts.iter().all(|part| has_digits(part));

    is_date.then_some(DateScalar {
        is_padded: date.len() == "2026-01-25".len(),
        time,
    })
}

fn parse_number(text: &str) -> Option<TypedScalar<'static>> {
    for (prefix, radix) in [("0x", 16), ("0o", 8)] {
        if let Some(digits) = text.strip_prefix(prefix) {
            // `from_str_radix` also takes a sign, which YAML does not allow after the prefix.
            let digits = digits
                .bytes()
                .all(|b| b.is_ascii_alphanumeric())
                .then_some(digits)?;
            return u64::from_str_radix(digits, radix)
                .ok()
                .map(|n| TypedScalar::Int(n.into()));
        }
    }

    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    match unsigned {
        ".inf" | ".Inf" | ".INF" if text.starts_with('-') => {
            return Some(TypedScalar::Float(f64::NEG_INFINITY));
        }
        ".inf" | ".Inf" | ".INF" => return Some(TypedScalar::Float(f64::INFINITY)),
        // `.nan` takes no sign.
        ".nan" | ".NaN" | ".NAN" if unsigned.len() == text.len() => {
            return Some(TypedScalar::Float(f64::NAN));
        }
        _ => {}
    }

    if !is_decimal(unsigned) {
        return None;
    }

    match text.parse::<i128>() {
        Ok(n) if i64::try_from(n).is_ok() || u64::try_from(n).is_ok() => Some(TypedScalar::Int(n)),
        _ => text.parse().ok().map(TypedScalar::Float),
    }
}

/// Whether `text` is digits, with an optional fraction and exponent.
fn is_decimal(text: &str) -> bool {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };

    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));

    digits(whole)
        && digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && exponent.is_none_or(|e| {
            let e = e.strip_prefix(['-', '+']).unwrap_or(e);
            !e.is_empty() && digits(e)
        })
}

/// Writes `text` as a double-quoted scalar on one line, which every YAML and JSON reader reads back as `text`.
#[must_use]
pub fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            // Line breaks to YAML 1.1, or characters that YAML does not allow as they are.
            '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                escape(&mut quoted, c);
            }
            _ if c.is_control() => escape(&mut quoted, c),
            _ => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

fn escape(quoted: &mut String, c: char) {
    write!(quoted, "\\u{:04X}", u32::from(c)).expect("a string takes all that is written to it");
}
