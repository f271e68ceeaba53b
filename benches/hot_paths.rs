//! How long the steps take that commands spend their time in: `cargo bench`.
//!
//! Times depend on the machine. `.ci/bench` compares two revisions by instructions, over whole commands.

use std::fmt::Write as _;
use std::path::PathBuf;

use divan::{Bencher, black_box};
use skillpm::catalog::emit::{EmitOptions, find_format};
use skillpm::catalog::{
    Catalog, CatalogView, DiscoveredSkills, GateAssumptions, SkillCandidate, SkillListing,
    SkillRoot, Tier,
};
use skillpm::index::IndexEntry;
use skillpm::lint::{FileContent, LintSettings, SkillDir, SkillFile};
use skillpm::package::{Checksum, PackageDependency, PackageSummary, SourceId, Tree};
use skillpm::resolver::{RootDependency, VersionPins};
use skillpm::{lint, resolver, skill};

fn main() {
    divan::main();
}

/// A `SKILL.md` of some 8 KB, with a list, links and a script in it.
fn skill_md(name: &str) -> String {
    let mut text = format!(
        "---\nname: {name}\ndescription: >-\n  Fills in PDF forms and checks the result. Use it when a form\n  is to be filled in or read.\n\
        license: MIT\nallowed-tools: [Read, Bash]\nmetadata:\n  version: 1.2.3\n  tags: [pdf, forms]\n---\n\n# Forms\n\n"
    );
    for number in 0..60 {
        write!(
            text,
            "{number}. Read `fields/{number}.json`, then run the script ([how](references/run.md)).\n\n\
             ```bash\npython3 scripts/fill.py --field {number} < in.json > out.json\n```\n\n"
        )
        .expect("a string takes any text");
    }
    text
}

#[divan::bench]
fn frontmatter(bencher: Bencher<'_, '_>) {
    let text = skill_md("pdf-forms");
    bencher.bench_local(|| skill::read(black_box(text.as_bytes()), "pdf-forms"));
}

/// A hundred files of 8 KB.
#[divan::bench]
fn checksum(bencher: Bencher<'_, '_>) {
    let text = skill_md("pdf-forms");
    let files = || {
        let mut tree = Tree::builder();
        for number in 0..100 {
            let path = format!("references/{number}.md");
            tree.add(&path, text.clone().into_bytes(), false)
                .expect("the tree is small");
        }
        tree
    };
    bencher
        .with_inputs(files)
        .bench_local_values(|tree| Checksum::from_tree(&tree.finish()));
}

/// Forty packages of twenty versions, each of which requires the next two.
#[divan::bench]
fn resolve(bencher: Bencher<'_, '_>) {
    const PACKAGES: u32 = 40;
    let dependency = |number: u32| PackageDependency {
        alias: format!("p{number}").parse().expect("a name"),
        package: format!("p{number}").parse().expect("a name"),
        source: SourceId::Registry("https://index.example".to_owned()),
        subdir: None,
        req: "^1.2".parse().expect("a requirement"),
        dev: false,
        optional: false,
    };

    let summaries = (0..PACKAGES).flat_map(|number| {
        (0..20).map(move |minor| {
            let next = (number + 1..PACKAGES.min(number + 3)).map(dependency);
            PackageSummary {
                version: Some(semver(minor)),
                dependencies: Some(next.collect()),
                ..PackageSummary::unread(&dependency(number))
            }
        })
    });
    let candidates = summaries.collect();
    let roots = [RootDependency {
        dependency: dependency(0),
        member: None,
    }];
    bencher.bench_local(|| {
        let pins = VersionPins::new();
        resolver::resolve(black_box(&roots), &pins, &candidates).is_ok()
    });
}

fn semver(minor: u64) -> semver::Version {
    semver::Version::new(1, minor, 0)
}

#[divan::bench]
fn index_line(bencher: Bencher<'_, '_>) {
    let name = "acme/pdf-forms".parse().expect("a name");
    let digest = "0".repeat(64);
    let line = format!(
        r#"{{"name":"acme/pdf-forms","vers":"1.2.3","deps":[{{"name":"acme/base","req":"^1"}}],"cksum":"skill-tree-v1:{digest}","archive":"sha256:{digest}","yanked":false,"pubtime":"2026-01-25T10:00:00Z","v":1}}"#
    );
    IndexEntry::parse(&line, &name).expect("the line is valid");
    bencher.bench_local(|| IndexEntry::parse(black_box(&line), &name).is_ok());
}

/// Four hundred skills in each form.
#[divan::bench(args = ["xml", "json", "markdown"])]
fn catalog(bencher: Bencher<'_, '_>, form: &str) {
    let candidates = (0..400).map(|number| {
        let name = format!("skill-{number}");
        let read = skill::read(skill_md(&name).as_bytes(), &name);
        let listing = SkillListing::from(read.skill.expect("the skill is valid"));
        SkillCandidate::new(0, name, listing)
    });
    let discovery = DiscoveredSkills {
        roots: vec![SkillRoot {
            tier: Tier::Workspace,
            label: "workspace".into(),
            path: PathBuf::from("/srv/app/.agents/skills"),
        }],
        candidates: candidates.collect(),
        ..DiscoveredSkills::default()
    };

    let view = CatalogView::with_assumptions(GateAssumptions::any_machine());
    let catalog = Catalog::from_discovery(discovery, &view);
    let form = find_format(form).expect("the form is known");
    bencher.bench_local(|| form.render(black_box(&catalog), &EmitOptions::default()));
}

#[divan::bench]
fn lint_skill(bencher: Bencher<'_, '_>) {
    let subject = SkillDir {
        path: "skills/pdf-forms".to_owned(),
        directory: "pdf-forms".to_owned(),
        files: vec![SkillFile {
            path: "SKILL.md".to_owned(),
            content: FileContent::Text(skill_md("pdf-forms")),
            executable: false,
        }],
        nested: Vec::new(),
    };
    let settings = LintSettings::default();
    bencher.bench_local(|| lint::check(black_box(&subject), &settings));
}
