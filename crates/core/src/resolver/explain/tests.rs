use super::super::table::{INDEX, candidates, explained, pins, roots};
use super::super::{Candidates, VersionPins, resolve};
use super::remedy::shell_quoted;
use super::*;

fn known(source: &SourceId) -> Vec<PackageName> {
    let names: &[&str] = match source {
        SourceId::Registry(_) => &["acme/pdf", "acme/pdfs", "zebra", "report"],
        _ => &["pdf", "release-notes"],
    };
    names.iter().map(|name| name.parse().unwrap()).collect()
}

fn conflict(lines: &str, pins: &VersionPins, candidates: &Candidates) -> String {
    let conflict = resolve(&roots(lines), pins, candidates).unwrap_err();
    let error = conflict.explain(&ExplainContext {
        default_registry: Some(INDEX),
        names: &known,
    });
    assert_eq!(error.kind(), crate::error::FailureKind::Negative);
    format!("\n{}", explained(&error))
}

fn explanation(roots: &str, table: &str) -> String {
    conflict(roots, &VersionPins::new(), &candidates(table))
}

#[test]
fn unknown_name_gets_similar_names_suggested() {
    assert_eq!(
        explanation("acme/pfd ^1", ""),
        "
error: no matching package named `acme/pfd` found in the default registry, `file:///index`
help: did you mean `acme/pdf` or `acme/pdfs`?
help: for the repository on GitHub, run `skillpm add gh:acme/pfd`
help: to search all configured registries, run `skillpm search pfd`
"
    );
}

#[test]
fn unknown_transitive_name_is_reported_with_its_chain() {
    assert_eq!(
        explanation(
            "top *",
            "
            top 2.0.0 -> report ^1
            report 1.0.0 -> reprot *
            report 1.1.0 -> reprot *
        "
        ),
        "
error: no matching package named `reprot` found in the default registry, `file:///index`
  `report 1.0.0` and `1.1.0` need `reprot *`
    because `top 2.0.0` needs `report ^1`
    because this project needs `top *`
help: did you mean `report`?
help: to search all configured registries, run `skillpm search reprot`
help: no change to a single dependency helps; `[patch]` in skillpm.toml can replace a package
"
    );
}

#[test]
fn unknown_skill_of_a_repository_is_reported() {
    assert_eq!(
        explanation("git/release-note *", ""),
        "
error: no matching skill named `release-note` found in `acme/skills`
help: did you mean `release-notes`?
"
    );
}

#[test]
fn no_version_fits_and_the_newest_is_named() {
    assert_eq!(
        explanation(
            "acme/pdf ^3",
            "
            acme/pdf 1.0.0
            acme/pdf 2.4.1
        "
        ),
        "
error: failed to select a version for `acme/pdf`: no version matches `^3`
help: `2.4.1` is the newest version; to use it, run `skillpm add acme/pdf@^2`
"
    );
}

#[test]
fn no_version_in_a_repository_fits() {
    assert_eq!(
        explanation(
            "git/pdf ^3",
            "
            git/pdf 2.0.0 tag:v2.0.0
        "
        ),
        "
error: failed to select a version for `pdf` from `acme/skills`: no version matches `^3`
help: `2.0.0` is the newest version; to use it, run `skillpm add https://github.com/acme/skills@^2 --skill pdf`
"
    );
}

#[test]
fn a_pre_release_is_pointed_out() {
    assert_eq!(
        explanation(
            "a ^2",
            "
            a 1.0.0
            a 2.0.0-rc.1
        "
        ),
        "
error: failed to select a version for `a`: no version matches `^2`
  `2.0.0-rc.1` is a pre-release; `^2.0.0-rc.1` allows it
help: `1.0.0` is the newest version; to use it, run `skillpm add a@^1`
"
    );
}

#[test]
fn package_with_only_pre_releases_is_reported() {
    assert_eq!(
        explanation(
            "a *",
            "
            a 2.0.0-rc.1
        "
        ),
        "
error: failed to select a version for `a`: no version matches `*`
help: `2.0.0-rc.1` is a pre-release; to use it, run `skillpm add a@^2.0.0-rc.1`
"
    );
}

#[test]
fn a_yank_is_pointed_out() {
    assert_eq!(
        explanation(
            "a ^1.2",
            "
            a 1.1.0
            a 1.2.0 yanked
        "
        ),
        "
error: failed to select a version for `a`: no version matches `^1.2`
  `1.2.0` was yanked
help: `1.1.0` is the newest version; to use it, run `skillpm add a@^1`
"
    );
}

#[test]
fn yank_of_all_versions_suggests_the_owners() {
    assert_eq!(
        explanation("a *", "a 1.0.0 yanked"),
        "
error: failed to select a version for `a`: no version matches `*`
  `1.0.0` was yanked
help: only the owners can undo a yank; `skillpm info a` lists them and all versions
"
    );
}

#[test]
fn two_requirements_are_reported_with_their_chains() {
    assert_eq!(
        explanation(
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
error: failed to select a version for `pdf-core`: no version meets all requirements
  `docx-theme 3.1.0` needs `pdf-core =1.3.0`
    because `brand-style 2.0.0` needs `docx-theme ^3`
    because this project needs `brand-style ^2`
  `pdf-report 2.1.0` needs `pdf-core ^1.5`
    because this project needs `pdf-report ^2`
help: `brand-style 3.0.0` would fit; to use it, run `skillpm add brand-style@^3`
"
    );
}

#[test]
fn conflict_of_the_project_with_a_package_is_explained() {
    assert_eq!(
        explanation(
            "pdf-core =1.3.0, pdf-report ^2",
            "
            pdf-report 2.1.0 -> pdf-core ^1.5
            pdf-report 2.2.0 -> pdf-core ^1.5
            pdf-core 1.3.0
            pdf-core 1.5.2
        "
        ),
        "
error: failed to select a version for `pdf-core`: no version meets all requirements
  this project needs `pdf-core =1.3.0`
  `pdf-report 2.1.0` and `2.2.0` need `pdf-core ^1.5`
    because this project needs `pdf-report ^2`
help: `pdf-core 1.5.2` would fit; to use it, run `skillpm add pdf-core@^1`
"
    );
}

#[test]
fn conflict_of_two_tilde_requirements_is_explained() {
    assert_eq!(
        explanation(
            "x *, y *",
            "
            x 1.0.0 -> c ~1.0.0
            y 1.0.0 -> c ~1.1.0
            c 1.0.0
            c 1.1.0
        "
        ),
        "
error: failed to select a version for `c`: no version meets all requirements
  `x 1.0.0` needs `c ~1.0.0`
    because this project needs `x *`
  `y 1.0.0` needs `c ~1.1.0`
    because this project needs `y *`
help: no other version of `x` or `y` helps; the other dependencies resolve without one of them
"
    );
}

#[test]
fn package_that_requires_two_versions_at_once_is_reported() {
    assert_eq!(
        explanation(
            "a ^1",
            "
            a 1.0.0 -> c =1.0.0, c =1.1.0 as:c-two
            c 1.0.0
            c 1.1.0
        "
        ),
        "
error: failed to select a version for `c`: no version meets all requirements
  `a 1.0.0` needs `c =1.0.0` and `c =1.1.0`
    because this project needs `a ^1`
help: no change to a single dependency helps; `[patch]` in skillpm.toml can replace a package
"
    );
}

#[test]
fn several_versions_of_a_requester_are_reported_together() {
    assert_eq!(
        explanation(
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
error: failed to select a version for `c`: no version meets all requirements
  `a 1.0.0` to `1.2.0` need `c ^1` or `c ^1.1`
    because this project needs `a ^1`
  `b 1.0.0` needs `c ^2`
    because this project needs `b ^1`
help: no other version of `a` or `b` helps; the other dependencies resolve without one of them
"
    );
}

#[test]
fn each_failing_version_is_reported_with_its_reason() {
    assert_eq!(
        explanation(
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
error: failed to select a version for `a`: every version conflicts with other requirements
  this project needs `a *`
  `a 2.0.0` needs `b ^2`
    but this project needs `b ^1`
  `a 1.0.0` and `1.1.0` need `c ^2`
    but `d 1.0.0` needs `c ^1`
      because this project needs `d *`
help: `b 2.0.0` would fit; to use it, run `skillpm add b@^2`
"
    );
}

#[test]
fn unknown_name_among_failing_versions_is_reported() {
    assert_eq!(
        explanation(
            "a *, b ^1",
            "
            a 2.0.0 -> b ^2
            a 1.0.0 -> ghost ^2
            b 1.0.0
            b 2.0.0
        "
        ),
        "
error: failed to select a version for `a`: every version conflicts with other requirements
  this project needs `a *`
  `a 2.0.0` needs `b ^2`
    but this project needs `b ^1`
  `a 1.0.0` needs `ghost ^2`, but no such package was found
help: `b 2.0.0` would fit; to use it, run `skillpm add b@^2`
"
    );
}

#[test]
fn clash_of_names_suggests_another_name() {
    assert_eq!(
        explanation(
            "acme/pdf ^1, docs *",
            "
            acme/pdf 1.0.0
            docs 1.0.0 -> git/pdf ^2
            git/pdf 2.0.0 tag:v2.0.0
        "
        ),
        "
error: conflicting names: two packages would be installed as `pdf`
  this project needs `acme/pdf ^1` from registry `file:///index`
  `docs 1.0.0` needs `pdf ^2` from `acme/skills`
    because this project needs `docs *`
help: install one of them under another name, such as with `skillpm add acme/pdf@^1 --as acme-pdf`
"
    );
}

#[test]
fn clash_of_names_among_dependencies_is_explained() {
    assert_eq!(
        explanation(
            "x *, docs *",
            "
            pdf 1.0.0
            x 1.0.0 -> pdf *
            docs 1.0.0 -> other/pdf ^2
            other/pdf 2.0.0
        "
        ),
        "
error: conflicting names: two packages would be installed as `pdf`
  `docs 1.0.0` needs `pdf ^2` from registry `https://other.dev/index`
    because this project needs `docs *`
  `x 1.0.0` needs `pdf *` from registry `file:///index`
    because this project needs `x *`
help: no other version of `docs` or `x` helps; the other dependencies resolve without one of them
"
    );
}

#[test]
fn tag_that_does_not_fit_a_requirement_is_explained() {
    assert_eq!(
        explanation(
            "git/pdf * tag:v4.0.0, user *",
            "
            git/pdf 4.0.0 tag:v4.0.0
            git/pdf 3.0.0 tag:v3.0.0
            user 1.0.0 -> git/pdf ^3
        "
        ),
        "
error: failed to select a version for `pdf` from `acme/skills`: no candidate meets all requirements
  this project needs `pdf` at tag `v4.0.0`
  `user 1.0.0` needs `pdf ^3`
    because this project needs `user *`
help: no other version of `pdf` or `user` helps; the other dependencies resolve without one of them
"
    );
}

#[test]
fn branch_whose_version_does_not_fit_is_explained() {
    assert_eq!(
        explanation(
            "git/pdf ^2 branch:main",
            "
            git/pdf 1.4.0 branch:main
        "
        ),
        "
error: failed to select a version for `pdf` from `acme/skills` at branch `main`: it does not match `^2`
  its version is `1.4.0`
help: `pdf 1.4.0` would fit; change the requirement of `pdf` from `^2` to `^1`
"
    );
}

#[test]
fn path_without_a_version_is_explained() {
    assert_eq!(
        explanation(
            "path/style ^1",
            "
            path/style -
        "
        ),
        "
error: failed to select a version for `style` from `../style`: it does not match `^1`
  it has no version, which only `*` matches
help: change the requirement of `style` from `^1` to `*`
"
    );
}

#[test]
fn two_directories_of_one_name_are_explained() {
    assert_eq!(
        explanation(
            "git/pdf * dir:a/pdf, git/pdf * dir:b/pdf as:b, user *",
            "
            git/pdf 1.0.0 tag:v1.0.0 dir:a/pdf
            git/pdf 1.0.0 tag:v1.0.0 dir:b/pdf
            user 1.0.0 -> git/pdf *
        "
        ),
        "
error: failed to select a version for `pdf` from `acme/skills`: no version meets all requirements
  this project needs `pdf *` in `b/pdf`
  this project needs `pdf *` in `a/pdf`
help: no other version of `b` or `pdf` helps; the other dependencies resolve without one of them
"
    );
}

#[test]
fn another_registry_is_named() {
    assert_eq!(
        explanation(
            "other/pdf ^3",
            "
            other/pdf 1.0.0
        "
        ),
        "
error: failed to select a version for `pdf` from registry `https://other.dev/index`: no version matches `^3`
help: `1.0.0` is the newest version; change the requirement of `pdf` from `^3` to `^1`
"
    );
}

#[test]
fn transitive_pre_release_is_pointed_out() {
    assert_eq!(
        explanation(
            "a *",
            "
            a 1.0.0 -> b ^2
            b 1.0.0
            b 2.0.0-rc.1
        "
        ),
        "
error: failed to select a version for `b`: no version matches `^2`
  `a 1.0.0` needs `b ^2`
    because this project needs `a *`
  the newest version is `1.0.0`
  `2.0.0-rc.1` would fit, but it is a pre-release, which not every requirement allows
help: no change to a single dependency helps; `[patch]` in skillpm.toml can replace a package
"
    );
}

#[test]
fn conflict_that_is_not_direct_is_listed() {
    assert_eq!(
        explanation(
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
error: failed to resolve dependencies: these requirements conflict
  this project needs `x *`
  this project needs `y *`
  this project needs `z *`
  `x 1.0.0` needs `s =1.0.0`
  `x 2.0.0` needs `t =1.0.0`
  `y 1.0.0` needs `s =2.0.0`
  `y 2.0.0` needs `t =2.0.0`
  `z 1.0.0` needs `s =3.0.0`
  `z 2.0.0` needs `t =3.0.0`
help: no other version of `x`, `y` or `z` helps; the other dependencies resolve without one of them
"
    );
}

#[test]
fn cycle_that_cannot_be_satisfied_is_explained() {
    assert_eq!(
        explanation(
            "a *",
            "
            a 1.0.0 -> b *
            b 1.0.0 -> a ^2
            b 1.1.0 -> a ^2
        "
        ),
        "
error: failed to select a version for `a`: no version meets all requirements
  this project needs `a *`
  `b 1.0.0` and `1.1.0` need `a ^2`
    because `a 1.0.0` needs `b *`
help: no change to a single dependency helps; `[patch]` in skillpm.toml can replace a package
"
    );
}

#[test]
fn requester_that_two_others_narrow_is_explained() {
    assert_eq!(
        explanation(
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
error: failed to select a version for `c`: no version meets all requirements
  this project needs `c ^2`
  `m 1.1.0` needs `c ^1`
    because `p 1.0.0` needs `m >=1.1`
    because this project needs `p *`
    and because `q 1.0.0` needs `m <1.2`
    because this project needs `q *`
help: `c 1.0.0` would fit; to use it, run `skillpm add c@^1`
"
    );
}

#[test]
fn a_precise_version_that_does_not_fit_is_blamed() {
    let table = candidates("c 1.0.0\nc 1.1.0\na 1.0.0 -> c ^1.1");
    assert_eq!(
        conflict("a *, c *", &pins("precise c 1.0.0"), &table),
        "
error: failed to select `c 1.0.0`: it does not meet all requirements
  `a 1.0.0` needs `c ^1.1`
    because this project needs `a *`
  `--precise` allows only `c 1.0.0`
help: without `--precise`, `c 1.1.0` is selected
"
    );
}

#[test]
fn a_precise_version_that_does_not_exist_is_blamed() {
    let table = candidates("c 1.0.0\nc 1.1.0");
    assert_eq!(
        conflict("c ^1", &pins("precise c 1.0.9"), &table),
        "
error: `c 1.0.9` not found
  the newest version is `1.1.0`
help: without `--precise`, `c 1.1.0` is selected
"
    );
}

#[test]
fn unavailable_candidate_is_reported_with_its_reason() {
    let mut table = candidates("git/pdf 1.0.0 tag:v1.0.0 unread\ngit/pdf 0.9.0 tag:v0.9.0");
    let newest = table.iter().last().unwrap().id();
    table.mark_unavailable(&newest, None, "no skill `pdf` is at tag `v1.0.0`");
    assert_eq!(
        conflict("git/pdf ^1", &VersionPins::new(), &table),
        "
error: failed to select a version for `pdf` from `acme/skills`: no version matches `^1`
  `pdf 1.0.0` cannot be used: no skill `pdf` is at tag `v1.0.0`
help: `0.9.0` is the newest version; to use it, run `skillpm add https://github.com/acme/skills@^0.9 --skill pdf`
"
    );
}

#[test]
fn patched_candidate_is_reported_as_patched() {
    assert_eq!(
        explanation(
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
error: failed to select a version for `b`: no version meets all requirements
  this project needs `b ^1`
  `a 1.1.0` and `1.5.0` (`1.5.0` patched in skillpm.toml) need `b ^3` or `b ^2`
    because this project needs `a *`
help: `b 2.0.0` would fit; to use it, run `skillpm add b@^2`
"
    );
    assert_eq!(
        explanation(
            "a ^2",
            "
            patch a by path/a *
            path/a 1.5.0
            a 1.1.0
        "
        ),
        "
error: failed to select a version for `a`: no version matches `^2`
  `a 1.5.0` from `../a`, patched in skillpm.toml, does not match
help: `1.5.0` is the newest version; to use it, run `skillpm add a@^1`
"
    );
}

#[test]
fn members_are_reported_by_name_and_directory() {
    assert_eq!(
        explanation(
            "a ^1 in:skills/x, a ^2 in:skills/y, b * in:skills/x",
            "
            a 1.0.0
            a 2.0.0
            b 1.0.0
        "
        ),
        "
error: failed to select a version for `a`: no version meets all requirements
  `acme/x` (skills/x) needs `a ^1`
  `acme/y` (skills/y) needs `a ^2`
help: `a 2.0.0` would fit; to use it, run `skillpm -C skills/x add a@^2`
"
    );
    assert_eq!(
        explanation("ghost ^1 in:skills/x", ""),
        "
error: no matching package named `ghost` found in the default registry, `file:///index`
  `acme/x` (skills/x) needs `ghost ^1`
help: to search all configured registries, run `skillpm search ghost`
"
    );
}

#[test]
fn too_new_version_is_reported_with_its_policy() {
    assert_eq!(
        explanation(
            "a ^2",
            "
            a 1.0.0
            a 2.0.0 too-new
        "
        ),
        "
error: failed to select a version for `a`: no version matches `^2`
  `a 2.0.0` was published today, and `min-release-age` is 7 days
help: `1.0.0` is the newest version; to use it, run `skillpm add a@^1`
"
    );
}

#[test]
fn exhausted_budget_is_reported() {
    let widest = roots("acme/a ^1").pop().map(|line| (line, 400));
    let conflict = Conflict::new(ConflictCause::TooComplex {
        steps: 60_000,
        candidates: 500,
        widest,
    });
    let context = ExplainContext {
        default_registry: Some(INDEX),
        ..ExplainContext::default()
    };
    assert_eq!(
        format!("\n{}", explained(&conflict.explain(&context))),
        "
error: failed to resolve dependencies: gave up after 60000 steps with 500 candidate versions
help: narrow the requirement of `a`, which matches 400 versions; `skillpm info acme/a` lists them
help: to pin a package to one version, also a transitive dependency, use `[patch]` in skillpm.toml
"
    );
}

#[test]
fn shell_words_are_quoted() {
    for (word, quoted_word) in [
        ("acme/pdf@^1.2", "acme/pdf@^1.2"),
        ("pdf@>=1, <2", "'pdf@>=1, <2'"),
        ("a'b", r"'a'\''b'"),
    ] {
        assert_eq!(shell_quoted(word.to_owned()), quoted_word);
    }
}

#[test]
fn a_precise_version_that_the_project_itself_excludes_is_blamed() {
    assert_eq!(
        conflict(
            "c ^1.1",
            &pins("precise c 1.0.0"),
            &candidates("c 1.0.0\nc 1.1.0")
        ),
        "
error: failed to select `c 1.0.0`: it does not match `^1.1`, which this project requires
  `--precise` allows only `c 1.0.0`
help: without `--precise`, `c 1.1.0` is selected
"
    );
}

#[test]
fn long_chain_is_cut() {
    let mut table: Vec<String> = (0..300)
        .map(|at| format!("a{at} 1.0.0 -> a{} *", at + 1))
        .collect();
    table.push("a300 1.0.0 -> ghost *".into());
    let text = explanation("a0 *", &table.join("\n"));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 21);
    assert_eq!(
        lines[1],
        "error: no matching package named `ghost` found in the default registry, `file:///index`"
    );
    assert_eq!(lines[17], "    because `a285 1.0.0` needs `a286 *`");
    assert_eq!(
        lines[18],
        "    because this project (through packages not shown) needs `a0 *`"
    );
}
