//! SK712 by how it is built, in whatever language it is told: a program of a stranger's host, and near it a page of another
//! host from which a command is to be copied; and archives that are opened with a password in the command itself.

use super::super::hosts::Address;
use super::super::scan::{Hit, Ledger, Pattern, Round, Tell};
use super::super::show::shown;
use super::super::text::Scope;
use super::prerequisite::{HELP_FIRST, RULE, is_strangers};
use crate::report::Level;

/// Lines on either side in which both ways stand.
const NEAR: usize = 8;

pub(in crate::lint::rules::security) const PATTERNS: &[Pattern] = &[
    Pattern {
        triggers: &[".zip", ".rar", ".7z", ".dmg", ".exe", ".msi", ".pkg", ".iso"],
        scope: Scope::Statement,
        form: r"https?://[^\s)>\x22'`|]+\.(?:zip|rar|7z|dmg|exe|msi|pkg|iso)\b",
        needs: &["://"],
        round: Round::First,
        only: None,
        judge: two_ways,
    },
    Pattern {
        triggers: &["unzip -", "7z x", "7za x", "7zz x", "unrar x", "unar -p", "bsdtar --passphrase"],
        scope: Scope::Around(4),
        form: r"\b(?:unzip\s+(?:-[a-z]+\s+)*?(?P<zip>-P)\s*\S|7z[az]?\s+x\s+(?:\S+\s+){0,4}?-p\S|unrar\s+x\s+(?:\S+\s+){0,3}?-p\S|unar\s+-p\s*\S|bsdtar\s+--passphrase)[^\n]*",
        needs: &["://"],
        round: Round::First,
        only: None,
        judge: opened_at_once,
    },
];

/// Words for where a command is typed, and for the command.
const CONSOLES: [&str; 22] = [
    "terminal",
    "shell",
    "konsole",
    "console",
    "consola",
    "powershell",
    "终端",
    "終端",
    "терминал",
    "ターミナル",
    "터미널",
    "command",
    "befehl",
    "comando",
    "commande",
    "kommando",
    "opdracht",
    "команд",
    "命令",
    "コマンド",
    "명령",
    "copy",
];

/// Words for what opens an archive.
const KEYS: [&str; 25] = [
    "password",
    "passphrase",
    "pass phrase",
    "passcode",
    "pass:",
    "pwd",
    "unlock",
    "locked",
    "| key",
    "key:",
    "kennwort",
    "passwort",
    "contraseña",
    "clave",
    "mot de passe",
    "senha",
    "parola",
    "wachtwoord",
    "hasło",
    "пароль",
    "密码",
    "密碼",
    "口令",
    "パスワード",
    "비밀번호",
];

/// A program for one system, and a page for another.
fn two_ways(hit: &Hit<'_>, ledger: &mut Ledger<'_>) {
    let Some(program) = Address::find(hit.text()).filter(is_strangers) else { return };
    let window = hit.view.source.span(hit.span.start, Scope::Around(NEAR));
    let around = hit.whole()[window].to_lowercase();
    let Some(page) = around.lines().find_map(|line| page_of_commands(line, &program)) else { return };
    let has = |words: &[&str]| words.iter().any(|word| around.contains(word));
    let is_locked = has(&KEYS);
    let is_for_both = has(&["windows", ".exe", ".msi"]) && has(&["macos", "mac ", "mac:", "mac*", "os x"]);
    if !is_locked && !is_for_both {
        return;
    }
    let message = format!(
        "wants a program from `{}` run, and a command that stands on a page of `{}`",
        shown(program.host),
        shown(page.host)
    );
    let tell = Tell::new(&RULE, if is_locked { Level::Error } else { Level::Warning }, message, HELP_FIRST).firm();
    ledger.tell(hit, tell.note("two hosts, for two systems: neither is part of the skill that was reviewed"));
}

/// The page of a third host that a line sends somebody to for a command.
fn page_of_commands<'l>(line: &'l str, program: &Address<'_>) -> Option<Address<'l>> {
    const PROGRAMS: [&str; 13] =
        [".zip", ".rar", ".7z", ".dmg", ".exe", ".msi", ".pkg", ".iso", ".gz", ".git", ".md", ".pdf", ".json"];
    if !CONSOLES.iter().any(|word| line.contains(word)) {
        return None;
    }
    let starts = line.match_indices("http").map(|(at, _)| &line[at..]);
    starts.filter_map(Address::find).find(|page| {
        let path = page.path.trim_end_matches(|c: char| ".,;:)>*`'\"".contains(c));
        let is_page = path.len() > 1 && !PROGRAMS.iter().any(|ending| path.ends_with(ending));
        is_page && owner(page.host) != owner(program.host) && is_strangers(page)
    })
}

/// The last two parts of a host's name.
fn owner(host: &str) -> String {
    let parts: Vec<String> = host.rsplit('.').take(2).map(str::to_lowercase).collect();
    parts.join(".")
}

/// What is fetched, opened with a password and run in the same breath.
fn opened_at_once(hit: &Hit<'_>, ledger: &mut Ledger<'_>) {
    if hit.group("zip").is_some_and(|flag| flag != "-P") {
        return;
    }
    let window = hit.view.source.span(hit.span.start, Scope::Around(4));
    let around = &hit.whole()[window];
    let is_run = ["./", "chmod ", "start ", "open ", ".exe", "--install"].iter().any(|word| around.contains(word));
    let is_fetched = ["curl ", "wget ", "iwr ", "Invoke-WebRequest"].iter().any(|word| around.contains(word));
    let Some(address) = Address::find(around).filter(is_strangers) else { return };
    if is_run && is_fetched {
        let message = format!("runs a program out of a locked archive, from `{}`", shown(address.host));
        let tell = Tell::new(&RULE, Level::Error, message, HELP_FIRST).firm();
        ledger.tell(hit, tell.note("the password does not protect anybody: it keeps scanners from looking inside"));
    }
}
