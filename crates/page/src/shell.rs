//! What every page has: its head with the rule of what may run, its heading, its sections, its foot.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

use crate::text;

/// The style of all pages.
pub(crate) const STYLE: &str = include_str!("page.css");

/// What a page is about.
pub(crate) struct Shell<'a> {
    /// Such as `Training`.
    pub(crate) kind: &'a str,
    pub(crate) title: &'a str,
    pub(crate) command: &'a str,
    pub(crate) made_at: &'a str,
    pub(crate) version: &'a str,
}

/// A part of a page, with what it is called in the list of parts.
pub(crate) struct Section {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) html: String,
}

/// What makes a page move.
pub(crate) struct Script {
    /// JSON that may stand in a page.
    pub(crate) data: String,
    pub(crate) code: &'static str,
}

impl Shell<'_> {
    /// The page. Nothing is applied and nothing runs but what is here.
    pub(crate) fn html(&self, styles: &[&str], sections: &[Section], script: Option<&Script>) -> String {
        let quoted = |text: &str| format!("'{}'", hash(text));
        let script_rule = script.map_or("'none'".into(), |script| quoted(script.code));
        let style_rule: Vec<String> = styles.iter().map(|style| quoted(style)).collect();
        let mut html = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src {script_rule}; style-src {}; base-uri 'none'; form-action 'none'\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
             <title>{} – {}</title>\n",
            style_rule.join(" "),
            text::plain(self.kind),
            text::plain(self.title),
        );
        html += &styles.iter().map(|style| format!("<style>{style}</style>\n")).collect::<String>();
        html += "</head>\n<body>\n";
        html += &self.header(sections);
        html += "<main>\n";
        for section in sections {
            html += &format!(
                "<section aria-labelledby=\"{id}\">\n<h2 id=\"{id}\">{}</h2>\n{}</section>\n",
                text::name(&section.name),
                section.html,
                id = section.id
            );
        }
        html += "</main>\n";
        html += &self.footer();
        if let Some(Script { data, code }) = script {
            html += &format!(
                "<script type=\"application/json\" id=\"data\">{data}</script>\n<script>{code}</script>\n"
            );
        }
        html + "</body>\n</html>\n"
    }

    fn header(&self, sections: &[Section]) -> String {
        let mut html = format!(
            "<header>\n<p class=\"kind\">{}</p>\n<h1>{}</h1>\n",
            text::plain(self.kind),
            text::name(self.title)
        );
        let made: Vec<String> = [self.made_at, self.version]
            .into_iter()
            .filter(|text| !text.is_empty())
            .map(text::sentence)
            .collect();
        if !made.is_empty() {
            html += &format!("<p class=\"made\">{}</p>\n", made.join(" · "));
        }
        if !self.command.is_empty() {
            html += &format!("<pre class=\"command\"><code>{}</code></pre>\n", text::command(self.command));
        }
        if sections.len() > 1 {
            let links: String = sections
                .iter()
                .map(|section| {
                    format!("<li><a href=\"#{}\">{}</a></li>", section.id, text::name(&section.name))
                })
                .collect();
            html += &format!("<nav aria-label=\"Sections\"><ul>{links}</ul></nav>\n");
        }
        html + "</header>\n"
    }

    fn footer(&self) -> String {
        let by = if self.version.is_empty() {
            String::new()
        } else {
            format!("Made by {}. ", text::sentence(self.version))
        };
        format!("<footer><p>{by}This page is complete: it loads nothing and sends nothing.</p></footer>\n")
    }
}

/// What the browser must find before it runs or applies what stands in the page.
fn hash(text: &str) -> String {
    format!("sha256-{}", BASE64_STANDARD.encode(Sha256::digest(text)))
}
