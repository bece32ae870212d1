//! Chromium without a window: opens a page, and tells what became of it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// Opening a page takes a second or two; a machine with other work may need more.
const LONGEST: Duration = Duration::from_secs(120);

/// A browser that was found.
pub(crate) struct Chromium {
    program: PathBuf,
}

/// The size of the window.
#[derive(Clone, Copy)]
pub(crate) enum Window {
    Wide,
    Phone,
    SmallPhone,
}

impl Window {
    /// A page within a window of this size. Chromium's own windows are never as narrow as a phone, but frames are.
    fn around(self, html: &str) -> String {
        let width = match self {
            Self::Wide => return html.into(),
            Self::Phone => 390,
            Self::SmallPhone => 360,
        };
        let quoted = html.replace('&', "&amp;").replace('"', "&quot;");
        format!(
            "<!DOCTYPE html><body><iframe width=\"{width}\" height=\"800\" frameborder=\"0\" srcdoc=\"{quoted}\"></iframe></body>"
        )
    }
}

/// What became of a page.
pub(crate) struct Seen {
    /// The page as it is after its script has run.
    pub(crate) dom: String,
    /// What the browser wrote to its console.
    pub(crate) complaints: Vec<String>,
}

impl Chromium {
    pub(crate) fn find() -> Option<Self> {
        let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
        let usual = ["chromium", "chromium-browser", "google-chrome"].map(PathBuf::from);
        let starts = |program: &PathBuf| {
            let tried =
                Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
            tried.is_ok_and(|status| status.success())
        };
        named.into_iter().chain(usual).find(starts).map(|program| Self { program })
    }

    /// Opens a page as it is.
    pub(crate) fn open(&self, html: &str) -> Seen {
        let folder = tempfile::tempdir().unwrap();
        let page = folder.path().join("page.html");
        std::fs::write(&page, html).unwrap();
        self.run(&page, folder.path())
    }

    /// Opens a copy of a page without its policy, runs a function with this body in it, and returns what it returns.
    pub(crate) fn ask(&self, html: &str, window: Window, body: &str) -> Value {
        let policy = html.lines().find(|line| line.contains("Content-Security-Policy")).unwrap();
        let question = format!(
            "<script>{{ let answer; try {{ answer = (() => {{ {body} }})(); if (errors.length) answer = errors; }} catch (error) {{ answer = 'failed: ' + error; }}
             parent.document.body.textContent = 'ANSWER' + encodeURIComponent(JSON.stringify(answer)) + 'END'; }}</script>"
        );
        // The log of the browser may lack what was written last, so errors are also caught where they happen.
        let watch = "<script>window.errors = []; addEventListener('error', (event) => errors.push(event.message)); \
                     console.error = console.warn = (...words) => errors.push(words.join(' '));</script>";
        let copy =
            html.replace(policy, watch).replace("</body>\n</html>", &format!("{question}</body>\n</html>"));
        let seen = self.open(&window.around(&copy));
        assert_eq!(seen.complaints, Vec::<String>::new());
        let answer = seen
            .dom
            .split_once("ANSWER")
            .and_then(|(_, rest)| rest.split_once("END"))
            .map(|(answer, _)| answer);
        serde_json::from_str(&decoded(answer.unwrap_or_else(|| panic!("no answer in {}", seen.dom)))).unwrap()
    }

    fn run(&self, page: &Path, folder: &Path) -> Seen {
        let (dom, log) = (folder.join("dom"), folder.join("log"));
        let mut browser = Command::new(&self.program)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-sync",
            ])
            .args([
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-dev-shm-usage",
            ])
            .args([
                "--enable-logging=stderr",
                "--virtual-time-budget=3000",
                "--hide-scrollbars",
                "--dump-dom",
            ])
            .arg("--window-size=1280,900")
            .arg(format!("--user-data-dir={}", folder.join("user").display()))
            .arg(format!("file://{}", page.display()))
            .stdin(Stdio::null())
            .stdout(std::fs::File::create(&dom).unwrap())
            .stderr(std::fs::File::create(&log).unwrap())
            .spawn()
            .unwrap();
        let began = Instant::now();
        while browser.try_wait().unwrap().is_none() {
            if began.elapsed() > LONGEST {
                browser.kill().unwrap();
                panic!("the browser did not end within {LONGEST:?}");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let log = String::from_utf8_lossy(&std::fs::read(&log).unwrap()).into_owned();
        let complaints = log.lines().filter(|line| line.contains(":CONSOLE")).map(String::from).collect();
        Seen { dom: String::from_utf8_lossy(&std::fs::read(&dom).unwrap()).into_owned(), complaints }
    }
}

/// Undoes `encodeURIComponent`.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => {
                let mut digit = || char::from(rest.next().unwrap()).to_digit(16).unwrap() as u8;
                bytes.push(16 * digit() + digit());
            }
            byte => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).unwrap()
}
