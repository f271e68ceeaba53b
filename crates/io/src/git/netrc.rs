//! Logins of `~/.netrc`, as curl reads them, and so git.
//!
//! ```text
//! machine git.acme.dev login joe password "s3 cret"
//! default login anonymous password joe@acme.dev
//! ```

/// A user and password.
pub(super) struct NetrcLogin {
    pub user: String,
    pub password: String,
}

/// The first login for a host, and for `user`, if one is given. That of `default` counts only if `is_default_allowed`.
pub(super) fn find_login(
    text: &str,
    host: &str,
    user: Option<&str>,
    is_default_allowed: bool,
) -> Option<NetrcLogin> {
    let mut words = split_words(text).into_iter();
    let mut is_host = false;
    let mut login: Option<String> = None;
    let mut password: Option<String> = None;

    loop {
        let word = words.next();
        if matches!(word.as_deref(), None | Some("machine" | "default")) {
            let is_user =
                user.is_none() || login.as_deref().is_none_or(|login| Some(login) == user);
            if let (true, true, Some(password)) = (is_host, is_user, password.take()) {
                let user = login
                    .or_else(|| user.map(str::to_owned))
                    .unwrap_or_default();
                return Some(NetrcLogin { user, password });
            }
            login = None;
        }
        match word?.as_str() {
            "machine" => {
                let machine = words.next()?;
                is_host = machine.eq_ignore_ascii_case(host);
            }
            "default" => is_host = is_default_allowed,
            "login" | "user" => login = words.next(),
            "password" => password = words.next(),
            "account" => {
                words.next();
            }
            // As curl, which knows no other words either.
            _ => {}
        }
    }
}

/// The words of a file, without comments and macros.
fn split_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut is_macro = false;
    for line in text.lines() {
        // A macro ends with an empty line.
        if is_macro {
            is_macro = !line.trim().is_empty();
            continue;
        }

        let mut rest = line.trim_start();
        while !rest.is_empty() && !rest.starts_with('#') {
            let (word, after) = split_word(rest);
            if word == "macdef" {
                is_macro = true;
                break;
            }
            words.push(word);
            rest = after.trim_start();
        }
    }
    words
}

/// The first word, which may be in quotes with escapes, and the rest.
fn split_word(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find(char::is_whitespace).unwrap_or(text.len());
        return (text[..end].to_owned(), &text[end..]);
    };

    let mut word = String::new();
    let mut chars = quoted.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return (word, &quoted[at + 1..]),
            '\\' => word.extend(chars.next().map(|(_, c)| match c {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                other => other,
            })),
            _ => word.push(c),
        }
    }
    (word, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, host: &str, user: Option<&str>) -> Option<String> {
        let login = find_login(text, host, user, true)?;
        Some(format!("{}:{}", login.user, login.password))
    }

    #[test]
    fn first_login_of_the_host_is_found() {
        let text = "# work\nmachine a.dev login joe password one\nmachine A.dev\n\tlogin ann\n\tpassword two\n\
            machine b.dev password \"a b\\\"c\" login x account y # note\n\
            macdef init\nmachine c.dev login no password no\n\nmachine d.dev login l password machine\n";
        for (host, user, login) in [
            ("a.dev", None, Some("joe:one")),
            ("a.dev", Some("ann"), Some("ann:two")),
            ("a.dev", Some("eve"), None),
            ("b.dev", None, Some("x:a b\"c")),
            ("c.dev", None, None),
            ("d.dev", None, Some("l:machine")),
            ("sub.a.dev", None, None),
        ] {
            assert_eq!(found(text, host, user).as_deref(), login, "{host} {user:?}");
        }
    }

    #[test]
    fn default_is_for_the_own_host_only() {
        let text = "machine a.dev login joe\ndefault login any password all";
        assert_eq!(found(text, "b.dev", None).as_deref(), Some("any:all"));
        assert!(find_login(text, "b.dev", None, false).is_none());
        // A login without a password is none.
        assert!(find_login(text, "a.dev", None, false).is_none());
    }

    #[test]
    fn damaged_files_have_no_login() {
        for text in [
            "",
            "machine",
            "machine a.dev login",
            "machine a.dev password",
            "\"",
            "\"\\",
        ] {
            assert!(found(text, "a.dev", None).is_none(), "{text}");
        }
    }
}
