//! Scalars: what type YAML sees in a text, and how a text is written so that it reads back.

use std::fmt::Write as _;

/// What type YAML 1.2 (core schema) sees in a scalar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Typed<'n> {
    /// `null`, `~` or nothing at all.
    Null,
    /// `true`, `false`.
    Bool(bool),
    /// A whole number that fits 64 bits with or without sign.
    Int(i128),
    /// Any other number, infinities included.
    Float(f64),
    /// Everything else, dates among it.
    Text(&'n str),
}

/// Finds out what type YAML 1.2 (core schema) sees in a plain scalar.
#[must_use]
pub fn core_type(text: &str) -> Typed<'_> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Typed::Null,
        "true" | "True" | "TRUE" => Typed::Bool(true),
        "false" | "False" | "FALSE" => Typed::Bool(false),
        _ => number(text).unwrap_or(Typed::Text(text)),
    }
}

fn number(text: &str) -> Option<Typed<'static>> {
    for (prefix, radix) in [("0x", 16), ("0o", 8)] {
        if let Some(digits) = text.strip_prefix(prefix) {
            let digits = digits.bytes().all(|b| b.is_ascii_alphanumeric()).then_some(digits)?;
            return u64::from_str_radix(digits, radix).ok().map(|n| Typed::Int(n.into()));
        }
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    match unsigned {
        ".inf" | ".Inf" | ".INF" if text.starts_with('-') => return Some(Typed::Float(f64::NEG_INFINITY)),
        ".inf" | ".Inf" | ".INF" => return Some(Typed::Float(f64::INFINITY)),
        ".nan" | ".NaN" | ".NAN" if unsigned.len() == text.len() => return Some(Typed::Float(f64::NAN)),
        _ => {}
    }
    if !is_decimal(unsigned) {
        return None;
    }
    match text.parse::<i128>() {
        Ok(n) if i64::try_from(n).is_ok() || u64::try_from(n).is_ok() => Some(Typed::Int(n)),
        _ => text.parse().ok().map(Typed::Float),
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
            '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => escape(&mut quoted, c),
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
