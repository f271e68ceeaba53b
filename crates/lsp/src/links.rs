//! Links to the files of a skill that its Markdown files name.

use std::io::Write;
use std::path::PathBuf;

use lsp_types::{
    DocumentLink, DocumentLinkParams, GotoDefinitionParams, GotoDefinitionResponse, Location, Uri,
};
use skillpm_lint::file_links::{FileLink, find_file_links};
use skillpm_lint::relative_to;
use skillpm_ops::lint::read_unsaved_skill;

use crate::checker::unsaved_files;
use crate::documents::{DocumentKind, OpenDocument};
use crate::server::LanguageServer;

impl<W: Write> LanguageServer<'_, W> {
    /// The links of a document.
    pub(crate) fn document_links(
        &mut self,
        params: &DocumentLinkParams,
    ) -> Option<Vec<DocumentLink>> {
        let document = self.documents.find(&params.text_document.uri)?;
        let has_tooltips = self.session.features.link_tooltips;
        let links = self.file_links(document)?.into_iter();
        let links = links.map(|(link, target)| DocumentLink {
            range: document.range(&link.span),
            tooltip: has_tooltips.then(|| tooltip(&link)),
            target: Some(target).filter(|_| link.exists),
            data: None,
        });
        Some(links.collect())
    }

    /// The file that is named at a position, if it exists.
    pub(crate) fn definition(
        &mut self,
        params: &GotoDefinitionParams,
    ) -> Option<GotoDefinitionResponse> {
        let place = &params.text_document_position_params;
        let document = self.documents.find(&place.text_document.uri)?;
        let at = document.byte(place.position);

        let is_here = |link: &FileLink| link.exists && link.span.start <= at && at <= link.span.end;
        let links = self.file_links(document)?.into_iter();
        let (_, target) = links.into_iter().find(|(link, _)| is_here(link))?;
        let location = Location::new(target, lsp_types::Range::default());
        Some(GotoDefinitionResponse::Scalar(location))
    }

    /// The links of a document, each with the URI of its file; `None` for a document of no skill.
    fn file_links(&self, document: &OpenDocument) -> Option<Vec<(FileLink, Uri)>> {
        if !matches!(
            document.kind,
            DocumentKind::SkillPage | DocumentKind::SkillFile
        ) {
            return None;
        }
        let job = self.job(&document.path)?;
        let skill = self.checker.with_context(&job.root.dir, |context| {
            read_unsaved_skill(context, unsaved_files(&job))
        });
        let skill = skill.ok()??;

        let dir: PathBuf = job.root.dir.join(&skill.path);
        let shown = document
            .path
            .strip_prefix(&job.root.dir)
            .unwrap_or(&document.path);
        let shown = shown.to_string_lossy().replace('\\', "/");
        let links = find_file_links(&skill, relative_to(&skill.path, &shown)?).into_iter();
        let located = links.filter_map(|link| {
            let target = crate::uris::from_path(&dir.join(&link.path))?;
            Some((link, target))
        });
        Some(located.collect())
    }
}

fn tooltip(link: &FileLink) -> String {
    if link.exists {
        format!("Open `{}`", link.path)
    } else {
        format!("`{}` does not exist in the skill", link.path)
    }
}
