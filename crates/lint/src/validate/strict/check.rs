//! What the validator refuses once it has a tree: keys that stand twice, merges of what cannot be merged, mappings side
//! by side that are indented differently.

use std::collections::HashSet;

use super::cursor::Mark;
use super::{Fault, Kind, Node, Value};

/// Checks a tree, and takes out what is merged (`<<`), which the validator reads and then forgets.
pub(super) fn check(mut root: Node) -> Result<Node, Fault> {
    check_below(&mut root)?;
    only_texts_as_keys(&root)?;
    Ok(root)
}

fn check_below(node: &mut Node) -> Result<(), Fault> {
    match &mut node.value {
        Value::Text(..) => Ok(()),
        Value::List(items) => items.iter_mut().try_for_each(check_below),
        Value::Fields(fields) => check_fields(fields, node.start),
    }
}

fn check_fields(fields: &mut Vec<(Node, Node)>, start: Mark) -> Result<(), Fault> {
    drop_merges(fields, start)?;
    let mut seen = HashSet::new();
    for (key, value) in fields.iter_mut() {
        check_below(key)?;
        if matches!(key.value, Value::Fields(_)) {
            return Err(Fault::syntax("found unhashable key", key.start).within("while constructing a mapping"));
        }
        check_below(value)?;
        if let Value::Text(text, _) = &key.value
            && !seen.insert(text.as_str())
        {
            let problem = format!("Duplicate key '{text}' found");
            return Err(Fault::new(Kind::Duplicate, problem, key.start).within("While parsing"));
        }
    }
    let mut columns = fields.iter().filter(|(_, value)| matches!(value.value, Value::Fields(_)));
    let Some((_, first)) = columns.next() else { return Ok(()) };
    match columns.find(|(_, value)| value.start.column != first.start.column) {
        None => Ok(()),
        Some((_, value)) => {
            let problem = "Found mapping with indentation inconsistent with previous mapping";
            Err(Fault::syntax(problem, value.start).within("While parsing"))
        }
    }
}

/// Takes out the entry `<<`.
fn drop_merges(fields: &mut Vec<(Node, Node)>, start: Mark) -> Result<(), Fault> {
    let mut merged = false;
    let mut at = 0;
    while at < fields.len() {
        if !matches!(&fields[at].0.value, Value::Text(text, true) if text == "<<") {
            at += 1;
            continue;
        }
        let (key, mut value) = fields.remove(at);
        if merged {
            return Err(Fault::crash("DuplicateKeyError: while constructing a mapping", key.start));
        }
        merged = true;
        check_merged(&mut value, start)?;
    }
    Ok(())
}

/// What is merged is a mapping, or a list of them.
fn check_merged(value: &mut Node, start: Mark) -> Result<(), Fault> {
    let wrong = |expected, value: &Node| {
        let found = if matches!(value.value, Value::List(_)) { "sequence" } else { "scalar" };
        let problem = format!("expected {expected} for merging, but found {found}");
        Err(Fault::syntax(problem, start).within("while constructing a mapping"))
    };
    match &mut value.value {
        Value::Fields(_) => check_below(value),
        Value::List(items) => items.iter_mut().try_for_each(|item| match item.value {
            Value::Fields(_) => check_below(item),
            _ => wrong("a mapping", item),
        }),
        Value::Text(..) => wrong("a mapping or list of mappings", value),
    }
}

/// A list as a key is let through until the values are looked at.
fn only_texts_as_keys(node: &Node) -> Result<(), Fault> {
    match &node.value {
        Value::Text(..) => Ok(()),
        Value::List(items) => items.iter().try_for_each(only_texts_as_keys),
        Value::Fields(fields) => fields.iter().try_for_each(|(key, value)| match key.value {
            Value::Text(..) => only_texts_as_keys(value),
            _ => Err(Fault::crash("AssertionError: <class 'tuple'>", key.start)),
        }),
    }
}
