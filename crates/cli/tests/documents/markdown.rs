//! As much of Markdown as the documents use.

/// A Markdown text, cut into code blocks and prose.
pub struct Markdown<'a> {
    pub blocks: Vec<Block<'a>>,
    /// Lines outside of code blocks, with their numbers from 1.
    prose: Vec<(usize, &'a str)>,
}

/// A fenced code block.
pub struct Block<'a> {
    /// What stands behind the opening fence.
    pub info: &'a str,
    pub lines: Vec<&'a str>,
    /// The line of the opening fence, from 1.
    pub line: usize,
}

impl Block<'_> {
    /// The language: the first word behind the fence.
    pub fn language(&self) -> &str {
        self.info.split([' ', ',']).next().unwrap_or_default()
    }

    /// Why a block of commands is not run, if it says so.
    pub fn ignored(&self) -> Option<&str> {
        let (_, rest) = self.info.split_once(',')?;
        rest.strip_prefix("ignore").map(str::trim)
    }
}

/// Where a link points to.
pub struct Link<'a> {
    pub target: &'a str,
    pub line: usize,
}

impl<'a> Markdown<'a> {
    pub fn new(text: &'a str) -> Self {
        let (mut blocks, mut prose): (Vec<Block>, _) = (Vec::new(), Vec::new());
        let mut open = false;
        for (number, line) in (1..).zip(text.lines()) {
            match line.trim_start().strip_prefix("```") {
                Some(_) if open => open = false,
                Some(info) => {
                    blocks.push(Block { info, lines: Vec::new(), line: number });
                    open = true;
                }
                None if open => blocks.last_mut().unwrap().lines.push(line),
                None => prose.push((number, line)),
            }
        }
        assert!(!open, "the block that begins in line {} is not closed", blocks.last().unwrap().line);
        Self { blocks, prose }
    }

    /// The targets of all links and pictures.
    pub fn links(&self) -> Vec<Link<'a>> {
        let mut links = Vec::new();
        for (line, text) in &self.prose {
            for part in without_code(text).into_iter().flat_map(|part| part.split("](").skip(1)) {
                let end = part.find([')', ' ']).unwrap_or(part.len());
                links.push(Link { target: &part[..end], line: *line });
            }
            if let Some((_, target)) = text.strip_prefix('[').and_then(|rest| rest.split_once("]: ")) {
                links.push(Link { target: target.trim(), line: *line });
            }
        }
        links
    }

    /// What links can point to within the document, as GitHub and mdBook spell it.
    pub fn anchors(&self) -> Vec<String> {
        let mut anchors: Vec<String> = Vec::new();
        for (_, line) in &self.prose {
            let text = line.trim_start_matches('#');
            if text.len() == line.len() || !text.starts_with(' ') {
                continue;
            }
            let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
            let plain: String = text.trim().to_lowercase().chars().filter(kept).collect();
            let anchor = plain.replace(' ', "-");
            let again = anchors.iter().filter(|other| **other == anchor).count();
            anchors.push(if again == 0 { anchor } else { format!("{anchor}-{again}") });
        }
        anchors
    }

    /// Everything in the prose that is written as code.
    pub fn inline_code(&self) -> Vec<&'a str> {
        let code = |(_, line): &(usize, &'a str)| line.split('`').skip(1).step_by(2).collect::<Vec<_>>();
        self.prose.iter().flat_map(code).collect()
    }
}

/// The parts of a line that are not written as code. A link's text may be: its target follows all the same.
fn without_code(line: &str) -> Vec<&str> {
    // `[`code`](target)` is cut into "[" and "](target)".
    line.split('`').step_by(2).collect()
}
