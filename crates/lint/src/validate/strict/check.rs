//! The checks of the validator on a parsed tree: duplicate keys, invalid merges, and sibling mappings with different
//! indentation.

use std::collections::HashSet;

use super::cursor::YamlMark;
use super::{FaultKind, StrictNode, StrictValue, YamlFault};

/// Checks a tree, and removes merges (`<<`), which the validator reads and then drops.
pub(super) fn check(mut root: StrictNode) -> Result<StrictNode, YamlFault> {
    check_children(&mut root)?;
    only_texts_as_keys(&root)?;
    Ok(root)
}

fn check_children(node: &mut StrictNode) -> Result<(), YamlFault> {
    match &mut node.value {
        StrictValue::Text(..) => Ok(()),
        StrictValue::List(items) => items.iter_mut().try_for_each(check_children),
        StrictValue::Fields(fields) => check_fields(fields, node.start),
    }
}

fn check_fields(
    fields: &mut Vec<(StrictNode, StrictNode)>,
    start: YamlMark,
) -> Result<(), YamlFault> {
    drop_merges(fields, start)?;

    let mut seen = HashSet::new();
    for (key, value) in fields.iter_mut() {
        // The validator constructs a key before its value, so an error in the key is reported
        // first.
        check_children(key)?;
        // Only a mapping is rejected at this point: a list as a key fails later.
        if matches!(key.value, StrictValue::Fields(_)) {
            return Err(YamlFault::syntax("found unhashable key", key.start)
                .with_context("while constructing a mapping"));
        }
        check_children(value)?;

        if let StrictValue::Text(text, _) = &key.value
            && !seen.insert(text.as_str())
        {
            let problem = format!("Duplicate key '{text}' found");
            return Err(YamlFault::new(FaultKind::Duplicate, problem, key.start)
                .with_context("While parsing"));
        }
    }

    // The validator requires sibling mappings to begin in the same column.
    let mut columns = fields
        .iter()
        .filter(|(_, value)| matches!(value.value, StrictValue::Fields(_)));
    let Some((_, first)) = columns.next() else {
        return Ok(());
    };

    match columns.find(|(_, value)| value.start.column != first.start.column) {
        None => Ok(()),
        Some((_, value)) => {
            let problem = "Found mapping with indentation inconsistent with previous mapping";
            Err(YamlFault::syntax(problem, value.start).with_context("While parsing"))
        }
    }
}

/// Removes the entry `<<`.
fn drop_merges(
    fields: &mut Vec<(StrictNode, StrictNode)>,
    start: YamlMark,
) -> Result<(), YamlFault> {
    let mut merged = false;
    let mut at = 0;
    while at < fields.len() {
        if !matches!(&fields[at].0.value, StrictValue::Text(text, true) if text == "<<") {
            at += 1;
            continue;
        }

        let (key, mut value) = fields.remove(at);
        // The parser raises an exception for this, which the validator does not catch.
        if merged {
            return Err(YamlFault::crash(
                "DuplicateKeyError: while constructing a mapping",
                key.start,
            ));
        }
        // One merge is allowed and dropped; the values it would add are not read.
        merged = true;
        check_merged(&mut value, start)?;
    }

    Ok(())
}

/// Checks that a merged value is a mapping, or a list of mappings.
fn check_merged(value: &mut StrictNode, start: YamlMark) -> Result<(), YamlFault> {
    match &mut value.value {
        StrictValue::Fields(_) => check_children(value),
        StrictValue::List(items) => items.iter_mut().try_for_each(|item| match item.value {
            StrictValue::Fields(_) => check_children(item),
            _ => Err(unmergeable_value("a mapping", item, start)),
        }),
        StrictValue::Text(..) => {
            let expected = "a mapping or list of mappings";
            Err(unmergeable_value(expected, value, start))
        }
    }
}

fn unmergeable_value(expected: &str, value: &StrictNode, start: YamlMark) -> YamlFault {
    let found = if matches!(value.value, StrictValue::List(_)) {
        "sequence"
    } else {
        "scalar"
    };
    let problem = format!("expected {expected} for merging, but found {found}");
    YamlFault::syntax(problem, start).with_context("while constructing a mapping")
}

/// Rejects keys that are not strings. A list as a key is only rejected after all values are checked.
fn only_texts_as_keys(node: &StrictNode) -> Result<(), YamlFault> {
    match &node.value {
        StrictValue::Text(..) => Ok(()),
        StrictValue::List(items) => items.iter().try_for_each(only_texts_as_keys),
        StrictValue::Fields(fields) => fields.iter().try_for_each(|(key, value)| match key.value {
            StrictValue::Text(..) => only_texts_as_keys(value),
            _ => Err(YamlFault::crash(
                "AssertionError: <class 'tuple'>",
                key.start,
            )),
        }),
    }
}
