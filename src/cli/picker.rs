//! A list on a terminal, which is searched as a person types: the first row is selected, and Enter takes it. Of a
//! checklist several rows are taken; what is chosen stays shown, also where the search leaves it out.
//!
//! ```text
//! ? Which skills? test
//! > [x] test-driven-development  Use when implementing any feature…
//!   [ ] testing-anti-patterns    Use when writing or changing tests…
//!   2 selected: brainstorming, test-driven-development
//!   ↑↓ move, Space select, Enter add, Esc cancel
//! ```

use std::collections::BTreeMap;
use std::io::{self, Write as _};

use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use crossterm::{cursor, execute, queue, terminal};
use unicode_width::UnicodeWidthStr as _;

use super::prompts::cancelled_error;
use super::render::foreign_text::escape_line;
use super::render::human::{truncate_line, truncate_words};
use super::render::terminal::{GOOD, NOTE, stderr_size};
use super::shell::CliShell;
use crate::error::{Error, Result};

/// How many rows are shown at once: with the question and the lines below it, they fit a terminal of 24 lines.
const PAGE_MAX: usize = 15;

/// The lines besides the rows, with a line of what was printed before.
const OTHER_LINES: usize = 5;

/// A row of the list.
#[derive(Debug, Clone)]
pub(super) struct PickerRow {
    /// The same for the same thing in each search.
    pub(super) id: usize,
    pub(super) name: String,
    pub(super) about: String,
}

/// What a search found.
#[derive(Debug, Default)]
pub(super) struct PickerRows {
    pub(super) rows: Vec<PickerRow>,
    /// What is said below the rows, such as why there are none.
    pub(super) note: Option<String>,
}

/// A list to ask for.
pub(super) struct ListPicker<'p> {
    pub(super) question: &'p str,
    pub(super) help: &'p str,
    pub(super) kind: PickerKind,
    /// The rows for the typed words.
    pub(super) find: &'p mut dyn FnMut(&str) -> PickerRows,
}

/// How many rows are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PickerKind {
    /// The selected one.
    One,
    /// Those that were checked; without any, the selected one.
    Several,
    /// Those that were checked, which may be none.
    Any,
}

/// What a key does to the prompt as a whole.
#[derive(Debug, PartialEq, Eq)]
enum PickerStep {
    Continue,
    Take,
    Cancel,
}

/// Whether a row has all typed words, each in its name or in what is said of it.
pub(super) fn has_all_words(name: &str, about: &str, input: &str) -> bool {
    let (name, about) = (name.to_lowercase(), about.to_lowercase());
    let input = input.to_lowercase();
    let mut words = input.split_whitespace();
    words.all(|word| name.contains(word) || about.contains(word))
}

/// What is typed, selected and checked.
struct PickerState<'p> {
    picker: ListPicker<'p>,
    input: String,
    found: PickerRows,
    cursor: usize,
    /// The names by the IDs of the rows.
    checked: BTreeMap<usize, String>,
}

impl ListPicker<'_> {
    /// Asks on the terminal; gives the taken rows by their IDs.
    ///
    /// # Errors
    /// If the person cancels, or the terminal cannot be used.
    pub(super) fn ask(
        self,
        shell: &CliShell,
        checked: BTreeMap<usize, String>,
    ) -> Result<Vec<usize>> {
        // The prompt draws on the terminal itself, and a progress line would be drawn over it.
        shell.hide_progress();
        let failed = |cause: io::Error| Error::usage(format!("failed to prompt: {cause}"));

        let mut state = PickerState::new(self, checked);
        let raw = RawTerminal::enter().map_err(failed)?;
        let step = state.run(shell).map_err(failed);
        drop(raw);

        // What was taken stays above what follows.
        let names = match step {
            Ok(PickerStep::Take) => state.taken_names(),
            _ => "<cancelled>".to_owned(),
        };
        let answered = format!("{} {names}", state.picker.question);
        write_frame(shell, &[question_line(&answered)], None).map_err(failed)?;
        match step? {
            PickerStep::Take => Ok(state.taken().into_keys().collect()),
            _ => Err(cancelled_error()),
        }
    }
}

impl<'p> PickerState<'p> {
    fn new(picker: ListPicker<'p>, checked: BTreeMap<usize, String>) -> Self {
        let mut state = PickerState {
            picker,
            input: String::new(),
            found: PickerRows::default(),
            cursor: 0,
            checked,
        };
        state.search();
        state
    }

    fn run(&mut self, shell: &CliShell) -> io::Result<PickerStep> {
        loop {
            let (lines, column) = self.draw();
            write_frame(shell, &lines, Some(column))?;
            let step = match event::read()? {
                Event::Key(key) if key.kind != KeyEventKind::Release => self.on_key(key),
                Event::Paste(text) => {
                    self.input.push_str(text.trim());
                    self.search();
                    PickerStep::Continue
                }
                _ => PickerStep::Continue,
            };
            if step != PickerStep::Continue {
                return Ok(step);
            }
        }
    }

    fn on_key(&mut self, key: KeyEvent) -> PickerStep {
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        let is_checklist = self.picker.kind != PickerKind::One;
        match key.code {
            KeyCode::Esc => return PickerStep::Cancel,
            KeyCode::Char('c' | 'd') if is_control => return PickerStep::Cancel,
            KeyCode::Enter if self.can_take() => return PickerStep::Take,
            KeyCode::Up => self.move_cursor(-1),
            KeyCode::Char('p') if is_control => self.move_cursor(-1),
            KeyCode::Down => self.move_cursor(1),
            KeyCode::Char('n') if is_control => self.move_cursor(1),
            KeyCode::PageUp => self.move_cursor(-page_step()),
            KeyCode::PageDown => self.move_cursor(page_step()),
            KeyCode::Home => self.cursor = 0,
            KeyCode::End => self.cursor = self.found.rows.len().saturating_sub(1),
            KeyCode::Char(' ') if is_checklist => self.toggle(),
            KeyCode::Right if is_checklist => self.check_shown(true),
            KeyCode::Left if is_checklist => self.check_shown(false),
            KeyCode::Tab if !is_checklist => self.complete(),
            KeyCode::Backspace => self.edit(|input| {
                input.pop();
            }),
            KeyCode::Char('u') if is_control => self.edit(String::clear),
            KeyCode::Char('w') if is_control => self.edit(|input| {
                let kept = input.trim_end().rfind(' ').map_or(0, |at| at + 1);
                input.truncate(kept);
            }),
            KeyCode::Char(_) if is_control => {}
            KeyCode::Char(c) => self.edit(|input| input.push(c)),
            _ => {}
        }
        PickerStep::Continue
    }

    fn edit(&mut self, change: impl FnOnce(&mut String)) {
        change(&mut self.input);
        self.search();
    }

    fn search(&mut self) {
        self.found = (self.picker.find)(&self.input);
        self.cursor = 0;
    }

    fn move_cursor(&mut self, by: isize) {
        let last = self.found.rows.len().saturating_sub(1);
        self.cursor = self.cursor.saturating_add_signed(by).min(last);
    }

    fn toggle(&mut self) {
        if let Some(row) = self.found.rows.get(self.cursor)
            && self.checked.remove(&row.id).is_none()
        {
            self.checked.insert(row.id, row.name.clone());
        }
    }

    /// Checks all rows that the search shows, or none of them.
    fn check_shown(&mut self, is_checked: bool) {
        for row in &self.found.rows {
            if is_checked {
                self.checked.insert(row.id, row.name.clone());
            } else {
                self.checked.remove(&row.id);
            }
        }
    }

    /// Writes the name of the selected row where a person types.
    fn complete(&mut self) {
        if let Some(row) = self.found.rows.get(self.cursor) {
            let name = row.name.clone();
            self.edit(|input| *input = name);
        }
    }

    fn can_take(&self) -> bool {
        self.picker.kind == PickerKind::Any || !self.taken().is_empty()
    }

    /// What Enter takes.
    fn taken(&self) -> BTreeMap<usize, String> {
        if !self.checked.is_empty() || self.picker.kind == PickerKind::Any {
            return self.checked.clone();
        }
        let selected = self.found.rows.get(self.cursor);
        selected
            .map(|row| (row.id, row.name.clone()))
            .into_iter()
            .collect()
    }

    fn taken_names(&self) -> String {
        let names: Vec<String> = self.taken().into_values().collect();
        escape_line(&names.join(", "))
    }

    /// The lines of the prompt, and the column of the cursor in the first one.
    fn draw(&self) -> (Vec<String>, usize) {
        let (width, height) = stderr_size();
        // Of a long text, such as a pasted URL, the end is shown.
        let before = self.picker.question.width() + 3;
        let mut input = escape_line(&self.input);
        while !input.is_empty() && before + input.width() + 1 > width {
            input.remove(0);
        }

        let mut lines = vec![question_line(&format!("{} {input}", self.picker.question))];
        let page = height.saturating_sub(OTHER_LINES).clamp(1, PAGE_MAX);
        lines.extend(self.draw_rows(width, page));
        let below = |text: &str| format!("  {}", truncate_line(text, width.saturating_sub(3)));
        if let Some(note) = &self.found.note {
            lines.push(below(&escape_line(note)));
        }
        if self.picker.kind != PickerKind::One {
            let names: Vec<&str> = self.checked.values().map(String::as_str).collect();
            let separator = if names.is_empty() { "" } else { ": " };
            let names = escape_line(&names.join(", "));
            lines.push(below(&format!(
                "{} selected{separator}{names}",
                self.checked.len()
            )));
        }
        lines.push(format!("{NOTE}{}{NOTE:#}", below(self.picker.help)));
        (lines, before + input.width())
    }

    fn draw_rows(&self, width: usize, page: usize) -> Vec<String> {
        let rows = &self.found.rows;
        // One long name does not take the place of all descriptions.
        let names = rows.iter().map(|row| escape_line(&row.name).width());
        let name_width = names.filter(|name| *name <= width / 3).max().unwrap_or(0);

        let first = (self.cursor + 1).saturating_sub(page);
        let shown = rows.iter().enumerate().skip(first).take(page);
        let draw = |(at, row): (usize, &PickerRow)| {
            let mark = match self.picker.kind {
                PickerKind::One => "",
                _ if self.checked.contains_key(&row.id) => "[x] ",
                _ => "[ ] ",
            };
            let name = escape_line(&row.name);
            let blanks = " ".repeat(name_width.saturating_sub(name.width()) + 2);
            let head = format!("{mark}{name}{blanks}");
            // The marker before it, and the last column, which makes some terminals wrap.
            let about = truncate_words(&row.about, width.saturating_sub(head.width() + 3));
            let line = truncate_line(&format!("{head}{about}"), width.saturating_sub(3));
            if at == self.cursor {
                format!("{NOTE}> {line}{NOTE:#}")
            } else {
                format!("  {line}")
            }
        };
        shown.map(draw).collect()
    }
}

fn page_step() -> isize {
    isize::try_from(PAGE_MAX).unwrap_or(1)
}

/// A question with what was typed or taken, on one line.
fn question_line(text: &str) -> String {
    let shown = truncate_line(text, stderr_size().0.saturating_sub(3));
    format!("{GOOD}?{GOOD:#} {shown}")
}

/// Replaces the prompt on the terminal with these lines; the cursor goes into the first one, or below the last one.
fn write_frame(shell: &CliShell, lines: &[String], column: Option<usize>) -> io::Result<()> {
    let mut frame = Vec::new();
    queue!(
        frame,
        cursor::MoveToColumn(0),
        terminal::Clear(terminal::ClearType::FromCursorDown)
    )?;
    // In raw mode, the terminal does not go to the first column by itself.
    frame.extend_from_slice(shell.style_for_stderr(&lines.join("\r\n")).as_bytes());
    match column {
        None => frame.extend_from_slice(b"\r\n"),
        Some(column) => {
            let below = u16::try_from(lines.len().saturating_sub(1)).unwrap_or(0);
            if below > 0 {
                queue!(frame, cursor::MoveUp(below))?;
            }
            let column = u16::try_from(column).unwrap_or(0);
            queue!(frame, cursor::MoveToColumn(column))?;
        }
    }
    // In one piece, so that nothing flickers.
    let mut err = io::stderr();
    err.write_all(&frame)?;
    err.flush()
}

/// A terminal that gives each key; dropped, it is as it was before.
struct RawTerminal;

impl RawTerminal {
    fn enter() -> io::Result<Self> {
        terminal::enable_raw_mode()?;
        let raw = RawTerminal;
        // The line end behind a pasted URL is no Enter.
        execute!(io::stderr(), event::EnableBracketedPaste)?;
        Ok(raw)
    }
}

impl Drop for RawTerminal {
    fn drop(&mut self) {
        let _ = execute!(io::stderr(), event::DisableBracketedPaste);
        let _ = terminal::disable_raw_mode();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 3] = ["csv", "pdf", "pdf-forms"];

    fn find_names(input: &str) -> PickerRows {
        let rows = NAMES
            .iter()
            .enumerate()
            .filter(|(_, name)| name.contains(input));
        PickerRows {
            rows: rows
                .map(|(id, name)| PickerRow {
                    id,
                    name: (*name).to_owned(),
                    about: String::new(),
                })
                .collect(),
            note: None,
        }
    }

    /// What is taken after these keys, a character each.
    fn take(kind: PickerKind, keys: &str) -> Option<Vec<usize>> {
        let mut find = find_names;
        let picker = ListPicker {
            question: "Which?",
            help: "",
            kind,
            find: &mut find,
        };
        let mut state = PickerState::new(picker, BTreeMap::new());
        for key in keys.chars() {
            let (code, modifiers) = match key {
                '↓' => (KeyCode::Down, KeyModifiers::NONE),
                '↑' => (KeyCode::Up, KeyModifiers::NONE),
                '→' => (KeyCode::Right, KeyModifiers::NONE),
                '←' => (KeyCode::Left, KeyModifiers::NONE),
                '⌫' => (KeyCode::Backspace, KeyModifiers::NONE),
                '⏎' => (KeyCode::Enter, KeyModifiers::NONE),
                '⎋' => (KeyCode::Esc, KeyModifiers::NONE),
                'U' => (KeyCode::Char('u'), KeyModifiers::CONTROL),
                'C' => (KeyCode::Char('c'), KeyModifiers::CONTROL),
                other => (KeyCode::Char(other), KeyModifiers::NONE),
            };
            match state.on_key(KeyEvent::new(code, modifiers)) {
                PickerStep::Continue => {}
                PickerStep::Take => return Some(state.taken().into_keys().collect()),
                PickerStep::Cancel => return None,
            }
        }
        panic!("no answer after {keys}: {:?}", state.draw());
    }

    #[test]
    fn enter_takes_the_selected_row() {
        assert_eq!(take(PickerKind::One, "⏎"), Some(vec![0]));
        assert_eq!(take(PickerKind::One, "pdf⏎"), Some(vec![1]));
        assert_eq!(take(PickerKind::One, "pdf↓⏎"), Some(vec![2]));
        assert_eq!(take(PickerKind::One, "↓↓↓↓↑⏎"), Some(vec![1]));
        // Without a row there is nothing to take.
        assert_eq!(take(PickerKind::One, "x⏎⌫⏎"), Some(vec![0]));
        assert_eq!(take(PickerKind::One, "nothingU⏎"), Some(vec![0]));
        assert_eq!(take(PickerKind::Several, "pdf⏎"), Some(vec![1]));
    }

    #[test]
    fn checked_rows_stay_checked_where_the_search_leaves_them_out() {
        assert_eq!(take(PickerKind::Several, " pdf⏎"), Some(vec![0]));
        assert_eq!(take(PickerKind::Several, "pdf→Ucsv ⏎"), Some(vec![0, 1, 2]));
        assert_eq!(take(PickerKind::Several, "→Updf←⏎"), Some(vec![0]));
        assert_eq!(take(PickerKind::Several, "  ⏎"), Some(vec![0]));
        assert_eq!(take(PickerKind::Any, "⏎"), Some(Vec::new()));
    }

    #[test]
    fn escape_and_ctrl_c_take_nothing() {
        assert_eq!(take(PickerKind::Several, " ⎋"), None);
        assert_eq!(take(PickerKind::One, "pC"), None);
    }
}
