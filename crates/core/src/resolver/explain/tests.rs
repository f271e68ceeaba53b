use super::super::table::{INDEX, candidates, explained, pins, roots};
use super::super::{Candidates, Pins, resolve};
use super::*;

fn known(source: &SourceId) -> Vec<PackageName> {
    let names: &[&str] = match source {
        SourceId::Registry(_) => &["acme/pdf", "acme/pdfs", "zebra", "report"],
        _ => &["pdf", "release-notes"],
    };
    names.iter().map(|name| name.parse().unwrap()).collect()
}

fn conflict(lines: &str, pins: &Pins, candidates: &Candidates) -> String {
    let conflict = resolve(&roots(lines), pins, candidates).unwrap_err();
    let error = conflict.explain(&Surroundings { default_registry: Some(INDEX), names: &known });
    assert_eq!(error.kind(), crate::error::Kind::Negative);
    format!("\n{}", explained(&error))
}

fn told(roots: &str, table: &str) -> String {
    conflict(roots, &Pins::new(), &candidates(table))
}

#[test]
fn an_unknown_name_gets_the_nearest_one_offered() {
    assert_eq!(
        told("acme/pfd ^1", ""),
        "
error: there is no package `acme/pfd` in the default registry, `file:///index`
help: the nearest names there are `acme/pdf` and `acme/pdfs`
help: if you mean the repository on GitHub, run `skillpm add gh:acme/pfd`
help: `skillpm search pfd` looks through all configured registries
"
    );
}

#[test]
fn an_unknown_name_deep_down_is_told_with_its_chain() {
    assert_eq!(
        told(
            "top *",
            "
            top 2.0.0 -> report ^1
            report 1.0.0 -> reprot *
            report 1.1.0 -> reprot *
        "
        ),
        "
error: there is no package `reprot` in the default registry, `file:///index`
  `report 1.0.0` and `1.1.0` need `reprot *`
    because `top 2.0.0` needs `report ^1`
    because this project needs `top *`
help: the nearest name there is `report`
help: `skillpm search reprot` looks through all configured registries
help: no change of one dependency helps; `[patch]` can put another package in place of one
"
    );
}

#[test]
fn an_unknown_skill_of_a_repository() {
    assert_eq!(
        told("git/release-note *", ""),
        "
error: there is no skill `release-note` in `acme/skills`
help: the nearest name there is `release-notes`
"
    );
}

#[test]
fn no_version_fits_and_the_newest_is_named() {
    assert_eq!(
        told(
            "acme/pdf ^3",
            "
            acme/pdf 1.0.0
            acme/pdf 2.4.1
        "
        ),
        "
error: no version of `acme/pdf` fits `^3`
help: `2.4.1` is the newest; ask for it with `skillpm add acme/pdf@^2`
"
    );
}

#[test]
fn no_version_in_a_repository_fits() {
    assert_eq!(
        told(
            "git/pdf ^3",
            "
            git/pdf 2.0.0 tag:v2.0.0
        "
        ),
        "
error: no version of `pdf` from `acme/skills` fits `^3`
help: `2.0.0` is the newest; ask for it with `skillpm add https://github.com/acme/skills@^2 --skill pdf`
"
    );
}

#[test]
fn a_pre_release_is_pointed_out() {
    assert_eq!(
        told(
            "a ^2",
            "
            a 1.0.0
            a 2.0.0-rc.1
        "
        ),
        "
error: no version of `a` fits `^2`
  `2.0.0-rc.1` is a pre-release; ask for it with `^2.0.0-rc.1`
help: `1.0.0` is the newest; ask for it with `skillpm add a@^1`
"
    );
}

#[test]
fn only_pre_releases_exist() {
    assert_eq!(
        told(
            "a *",
            "
            a 2.0.0-rc.1
        "
        ),
        "
error: no version of `a` fits `*`
help: `2.0.0-rc.1` is a pre-release; ask for it with `skillpm add a@^2.0.0-rc.1`
"
    );
}

#[test]
fn a_yank_is_pointed_out() {
    assert_eq!(
        told(
            "a ^1.2",
            "
            a 1.1.0
            a 1.2.0 yanked
        "
        ),
        "
error: no version of `a` fits `^1.2`
  `1.2.0` was yanked
help: `1.1.0` is the newest; ask for it with `skillpm add a@^1`
"
    );
}

#[test]
fn where_all_was_yanked_the_owners_can_be_asked() {
    assert_eq!(
        told("a *", "a 1.0.0 yanked"),
        "
error: no version of `a` fits `*`
  `1.0.0` was yanked
help: `skillpm info a` shows all versions, and the owners, who alone can take a yank back
"
    );
}

#[test]
fn two_askers_are_told_with_their_chains() {
    assert_eq!(
        told(
            "brand-style ^2, pdf-report ^2",
            "
            brand-style 2.0.0 -> docx-theme ^3
            docx-theme 3.1.0 -> pdf-core =1.3.0
            pdf-report 2.1.0 -> pdf-core ^1.5
            pdf-core 1.3.0
            pdf-core 1.5.2
            brand-style 3.0.0 -> docx-theme ^4
            docx-theme 4.0.0 -> pdf-core ^1.5
        "
        ),
        "
error: no version of `pdf-core` fits all that is asked of it
  `docx-theme 3.1.0` needs `pdf-core =1.3.0`
    because `brand-style 2.0.0` needs `docx-theme ^3`
    because this project needs `brand-style ^2`
  `pdf-report 2.1.0` needs `pdf-core ^1.5`
    because this project needs `pdf-report ^2`
help: `brand-style 3.0.0` would fit; ask for it with `skillpm add brand-style@^3`
"
    );
}

#[test]
fn the_project_against_a_package() {
    assert_eq!(
        told(
            "pdf-core =1.3.0, pdf-report ^2",
            "
            pdf-report 2.1.0 -> pdf-core ^1.5
            pdf-report 2.2.0 -> pdf-core ^1.5
            pdf-core 1.3.0
            pdf-core 1.5.2
        "
        ),
        "
error: no version of `pdf-core` fits all that is asked of it
  this project needs `pdf-core =1.3.0`
  `pdf-report 2.1.0` and `2.2.0` need `pdf-core ^1.5`
    because this project needs `pdf-report ^2`
help: `pdf-core 1.5.2` would fit; ask for it with `skillpm add pdf-core@^1`
"
    );
}

#[test]
fn tilde_against_tilde() {
    assert_eq!(
        told(
            "x *, y *",
            "
            x 1.0.0 -> c ~1.0.0
            y 1.0.0 -> c ~1.1.0
            c 1.0.0
            c 1.1.0
        "
        ),
        "
error: no version of `c` fits all that is asked of it
  `x 1.0.0` needs `c ~1.0.0`
    because this project needs `x *`
  `y 1.0.0` needs `c ~1.1.0`
    because this project needs `y *`
help: no other version of `x` or `y` helps; the rest fits without one of them
"
    );
}

#[test]
fn a_package_that_asks_for_two_versions_at_once() {
    assert_eq!(
        told(
            "a ^1",
            "
            a 1.0.0 -> c =1.0.0, c =1.1.0 as:c-two
            c 1.0.0
            c 1.1.0
        "
        ),
        "
error: no version of `c` fits all that is asked of it
  `a 1.0.0` needs `c =1.0.0` and `c =1.1.0`
    because this project needs `a ^1`
help: no change of one dependency helps; `[patch]` can put another package in place of one
"
    );
}

#[test]
fn several_versions_of_an_asker_are_told_together() {
    assert_eq!(
        told(
            "a ^1, b ^1",
            "
            a 1.0.0 -> c ^1
            a 1.1.0 -> c ^1
            a 1.2.0 -> c ^1.1
            b 1.0.0 -> c ^2
            c 1.0.0
            c 1.1.0
            c 2.0.0
        "
        ),
        "
error: no version of `c` fits all that is asked of it
  `a 1.0.0` to `1.2.0` need `c ^1` or `c ^1.1`
    because this project needs `a ^1`
  `b 1.0.0` needs `c ^2`
    because this project needs `b ^1`
help: no other version of `a` or `b` helps; the rest fits without one of them
"
    );
}

#[test]
fn each_version_fails_for_a_reason_of_its_own() {
    assert_eq!(
        told(
            "a *, b ^1, d *",
            "
            a 2.0.0 -> b ^2
            a 1.1.0 -> c ^2
            a 1.0.0 -> c ^2
            b 1.0.0
            b 2.0.0
            c 1.0.0
            c 2.0.0
            d 1.0.0 -> c ^1
        "
        ),
        "
error: no version of `a` goes with everything else that is needed
  this project needs `a *`
  `a 2.0.0` needs `b ^2`
    but this project needs `b ^1`
  `a 1.0.0` and `1.1.0` need `c ^2`
    but `d 1.0.0` needs `c ^1`
      because this project needs `d *`
help: `b 2.0.0` would fit; ask for it with `skillpm add b@^2`
"
    );
}

#[test]
fn each_version_fails_and_one_of_them_by_an_unknown_name() {
    assert_eq!(
        told(
            "a *, b ^1",
            "
            a 2.0.0 -> b ^2
            a 1.0.0 -> ghost ^2
            b 1.0.0
            b 2.0.0
        "
        ),
        "
error: no version of `a` goes with everything else that is needed
  this project needs `a *`
  `a 2.0.0` needs `b ^2`
    but this project needs `b ^1`
  `a 1.0.0` needs `ghost ^2`, and there is no such package
help: `b 2.0.0` would fit; ask for it with `skillpm add b@^2`
"
    );
}

#[test]
fn a_clash_of_names_offers_another_one() {
    assert_eq!(
        told(
            "acme/pdf ^1, docs *",
            "
            acme/pdf 1.0.0
            docs 1.0.0 -> git/pdf ^2
            git/pdf 2.0.0 tag:v2.0.0
        "
        ),
        "
error: two packages want to be called `pdf`
  this project needs `acme/pdf ^1` from registry `file:///index`
  `docs 1.0.0` needs `pdf ^2` from `acme/skills`
    because this project needs `docs *`
help: give one of them another name, such as `skillpm add acme/pdf@^1 --as acme-pdf`
"
    );
}

#[test]
fn a_clash_of_names_among_packages() {
    assert_eq!(
        told(
            "x *, docs *",
            "
            pdf 1.0.0
            x 1.0.0 -> pdf *
            docs 1.0.0 -> other/pdf ^2
            other/pdf 2.0.0
        "
        ),
        "
error: two packages want to be called `pdf`
  `docs 1.0.0` needs `pdf ^2` from registry `https://other.dev/index`
    because this project needs `docs *`
  `x 1.0.0` needs `pdf *` from registry `file:///index`
    because this project needs `x *`
help: no other version of `docs` or `x` helps; the rest fits without one of them
"
    );
}

#[test]
fn a_tag_against_a_requirement() {
    assert_eq!(
        told(
            "git/pdf * tag:v4.0.0, user *",
            "
            git/pdf 4.0.0 tag:v4.0.0
            git/pdf 3.0.0 tag:v3.0.0
            user 1.0.0 -> git/pdf ^3
        "
        ),
        "
error: nothing that `pdf` from `acme/skills` offers fits all that is asked of it
  this project needs `pdf` at tag `v4.0.0`
  `user 1.0.0` needs `pdf ^3`
    because this project needs `user *`
help: no other version of `pdf` or `user` helps; the rest fits without one of them
"
    );
}

#[test]
fn a_branch_whose_version_does_not_fit() {
    assert_eq!(
        told(
            "git/pdf ^2 branch:main",
            "
            git/pdf 1.4.0 branch:main
        "
        ),
        "
error: `pdf` from `acme/skills` at branch `main` does not fit `^2`
  it states version `1.4.0`
help: `pdf 1.4.0` would fit; ask for `pdf` with `^1` instead of `^2`
"
    );
}

#[test]
fn a_path_without_a_version() {
    assert_eq!(
        told(
            "path/style ^1",
            "
            path/style -
        "
        ),
        "
error: `style` from `../style` does not fit `^1`
  it states no version, and only `*` fits that
help: ask for `style` with `*` instead of `^1`
"
    );
}

#[test]
fn two_directories_of_one_name() {
    assert_eq!(
        told(
            "git/pdf * dir:a/pdf, git/pdf * dir:b/pdf as:b, user *",
            "
            git/pdf 1.0.0 tag:v1.0.0 dir:a/pdf
            git/pdf 1.0.0 tag:v1.0.0 dir:b/pdf
            user 1.0.0 -> git/pdf *
        "
        ),
        "
error: no version of `pdf` from `acme/skills` fits all that is asked of it
  this project needs `pdf *` in `b/pdf`
  this project needs `pdf *` in `a/pdf`
help: no other version of `b` or `pdf` helps; the rest fits without one of them
"
    );
}

#[test]
fn another_registry_is_named() {
    assert_eq!(
        told(
            "other/pdf ^3",
            "
            other/pdf 1.0.0
        "
        ),
        "
error: no version of `pdf` from registry `https://other.dev/index` fits `^3`
help: `1.0.0` is the newest; ask for `pdf` with `^1` instead of `^3`
"
    );
}

#[test]
fn a_pre_release_deep_down_is_pointed_out() {
    assert_eq!(
        told(
            "a *",
            "
            a 1.0.0 -> b ^2
            b 1.0.0
            b 2.0.0-rc.1
        "
        ),
        "
error: no version of `b` fits `^2`
  `a 1.0.0` needs `b ^2`
    because this project needs `a *`
  the newest is `1.0.0`
  `2.0.0-rc.1` would fit, but is a pre-release that not everybody asks for
help: no change of one dependency helps; `[patch]` can put another package in place of one
"
    );
}

#[test]
fn what_nobody_can_follow_is_listed() {
    assert_eq!(
        told(
            "x *, y *, z *",
            "
            x 1.0.0 -> s =1.0.0
            x 2.0.0 -> t =1.0.0
            y 1.0.0 -> s =2.0.0
            y 2.0.0 -> t =2.0.0
            z 1.0.0 -> s =3.0.0
            z 2.0.0 -> t =3.0.0
            s 1.0.0
            s 2.0.0
            s 3.0.0
            t 1.0.0
            t 2.0.0
            t 3.0.0
        "
        ),
        "
error: these requirements do not go together
  this project needs `x *`
  this project needs `y *`
  this project needs `z *`
  `x 1.0.0` needs `s =1.0.0`
  `x 2.0.0` needs `t =1.0.0`
  `y 1.0.0` needs `s =2.0.0`
  `y 2.0.0` needs `t =2.0.0`
  `z 1.0.0` needs `s =3.0.0`
  `z 2.0.0` needs `t =3.0.0`
help: no other version of `x`, `y` or `z` helps; the rest fits without one of them
"
    );
}

#[test]
fn a_ring_that_cannot_close() {
    assert_eq!(
        told(
            "a *",
            "
            a 1.0.0 -> b *
            b 1.0.0 -> a ^2
            b 1.1.0 -> a ^2
        "
        ),
        "
error: no version of `a` fits all that is asked of it
  this project needs `a *`
  `b 1.0.0` and `1.1.0` need `a ^2`
    because `a 1.0.0` needs `b *`
help: no change of one dependency helps; `[patch]` can put another package in place of one
"
    );
}

#[test]
fn an_asker_that_two_others_narrow() {
    assert_eq!(
        told(
            "p *, q *, c ^2",
            "
            p 1.0.0 -> m >=1.1
            q 1.0.0 -> m <1.2
            m 1.0.0 -> c ^2
            m 1.1.0 -> c ^1
            m 1.2.0 -> c ^2
            c 1.0.0
            c 2.0.0
        "
        ),
        "
error: no version of `c` fits all that is asked of it
  this project needs `c ^2`
  `m 1.1.0` needs `c ^1`
    because `p 1.0.0` needs `m >=1.1`
    because this project needs `p *`
    and because `q 1.0.0` needs `m <1.2`
    because this project needs `q *`
help: `c 1.0.0` would fit; ask for it with `skillpm add c@^1`
"
    );
}

#[test]
fn a_precise_version_that_does_not_fit_is_blamed() {
    let table = candidates("c 1.0.0\nc 1.1.0\na 1.0.0 -> c ^1.1");
    assert_eq!(
        conflict("a *, c *", &pins("precise c 1.0.0"), &table),
        "
error: `c 1.0.0` does not fit what is asked of it
  `a 1.0.0` needs `c ^1.1`
    because this project needs `a *`
  `--precise` allows no other version than `c 1.0.0`
help: without `--precise`, `c 1.1.0` is chosen
"
    );
}

#[test]
fn a_precise_version_that_does_not_exist_is_blamed() {
    let table = candidates("c 1.0.0\nc 1.1.0");
    assert_eq!(
        conflict("c ^1", &pins("precise c 1.0.9"), &table),
        "
error: there is no `c 1.0.9`
  the newest is `1.1.0`
help: without `--precise`, `c 1.1.0` is chosen
"
    );
}

#[test]
fn what_cannot_be_used_is_told_with_its_reason() {
    let mut table = candidates("git/pdf 1.0.0 tag:v1.0.0 unread\ngit/pdf 0.9.0 tag:v0.9.0");
    let newest = table.iter().last().unwrap().id();
    table.mark_unavailable(&newest, None, "no skill `pdf` is at tag `v1.0.0`");
    assert_eq!(
        conflict("git/pdf ^1", &Pins::new(), &table),
        "
error: no version of `pdf` from `acme/skills` fits `^1`
  `pdf 1.0.0` cannot be used: no skill `pdf` is at tag `v1.0.0`
help: `0.9.0` is the newest; ask for it with `skillpm add https://github.com/acme/skills@^0.9 --skill pdf`
"
    );
}

#[test]
fn what_is_patched_is_told_as_that() {
    assert_eq!(
        told(
            "a *, b ^1",
            "
            patch a by path/a *
            path/a 1.5.0 -> b ^2
            a 1.1.0 -> b ^3
            b 1.0.0
            b 2.0.0
        "
        ),
        "
error: no version of `b` fits all that is asked of it
  this project needs `b ^1`
  `a 1.1.0` and `1.5.0` (`1.5.0` patched in skillpm.toml) need `b ^3` or `b ^2`
    because this project needs `a *`
help: `b 2.0.0` would fit; ask for it with `skillpm add b@^2`
"
    );
    assert_eq!(
        told(
            "a ^2",
            "
            patch a by path/a *
            path/a 1.5.0
            a 1.1.0
        "
        ),
        "
error: no version of `a` fits `^2`
  `a 1.5.0` from `../a`, patched in skillpm.toml, does not fit
help: `1.5.0` is the newest; ask for it with `skillpm add a@^1`
"
    );
}

#[test]
fn members_are_told_by_name_and_directory() {
    assert_eq!(
        told(
            "a ^1 in:skills/x, a ^2 in:skills/y, b * in:skills/x",
            "
            a 1.0.0
            a 2.0.0
            b 1.0.0
        "
        ),
        "
error: no version of `a` fits all that is asked of it
  `acme/x` (skills/x) needs `a ^1`
  `acme/y` (skills/y) needs `a ^2`
help: `a 2.0.0` would fit; ask for it with `skillpm -C skills/x add a@^2`
"
    );
    assert_eq!(
        told("ghost ^1 in:skills/x", ""),
        "
error: there is no package `ghost` in the default registry, `file:///index`
  `acme/x` (skills/x) needs `ghost ^1`
help: `skillpm search ghost` looks through all configured registries
"
    );
}

#[test]
fn what_is_too_new_is_told_with_its_rule() {
    assert_eq!(
        told(
            "a ^2",
            "
            a 1.0.0
            a 2.0.0 too-new
        "
        ),
        "
error: no version of `a` fits `^2`
  `a 2.0.0` was published today, and `min-release-age` is 7 days
help: `1.0.0` is the newest; ask for it with `skillpm add a@^1`
"
    );
}

#[test]
fn giving_up_is_admitted() {
    let widest = roots("acme/a ^1").pop().map(|line| (line, 400));
    let conflict = Conflict::new(Cause::TooHard { steps: 60_000, candidates: 500, widest });
    let surroundings = Surroundings { default_registry: Some(INDEX), ..Surroundings::default() };
    assert_eq!(
        format!("\n{}", explained(&conflict.explain(&surroundings))),
        "
error: failed to decide which of 500 versions fit together: given up after 60000 steps
help: `a` leaves 400 versions to choose from; ask for fewer of them: `skillpm info acme/a` shows all
help: `[patch]` in skillpm.toml leaves one version of a package, also of one deep down
"
    );
}

#[test]
fn the_shell_gets_what_it_takes_for_one_word() {
    for (word, quoted_word) in
        [("acme/pdf@^1.2", "acme/pdf@^1.2"), ("pdf@>=1, <2", "'pdf@>=1, <2'"), ("a'b", r"'a'\''b'")]
    {
        assert_eq!(quoted(word.to_owned()), quoted_word);
    }
}

#[test]
fn a_precise_version_that_the_project_itself_excludes_is_blamed() {
    assert_eq!(
        conflict("c ^1.1", &pins("precise c 1.0.0"), &candidates("c 1.0.0\nc 1.1.0")),
        "
error: `c 1.0.0` does not fit `^1.1`, which this project asks for
  `--precise` allows no other version than `c 1.0.0`
help: without `--precise`, `c 1.1.0` is chosen
"
    );
}

#[test]
fn a_chain_without_end_is_cut() {
    let mut table: Vec<String> = (0..300).map(|at| format!("a{at} 1.0.0 -> a{} *", at + 1)).collect();
    table.push("a300 1.0.0 -> ghost *".into());
    let text = told("a0 *", &table.join("\n"));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 21);
    assert_eq!(lines[1], "error: there is no package `ghost` in the default registry, `file:///index`");
    assert_eq!(lines[17], "    because `a285 1.0.0` needs `a286 *`");
    assert_eq!(lines[18], "    because in the end this project needs `a0 *`");
}
