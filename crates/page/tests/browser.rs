//! The page in a real browser. Where there is no Chromium, these tests are ignored, and said to be.
//!
//! Chromium is `chromium`, `chromium-browser`, `google-chrome` or what `CHROMIUM` says. The usual harness must know before tests run which
//! ones are ignored, so this is a program of its own (`harness = false`).
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

mod chromium;
mod sample_run;

use std::panic::catch_unwind;
use std::process::ExitCode;
use std::time::Instant;

use chromium::{Chromium, Window};
use serde_json::{Value, json};
use thalweg_figures::{Axis, Plot, Series, Spread};
use thalweg_page::operating::{Operating, Point};
use thalweg_page::{Assessment, Costs, Experiment, Feature, Page, Part, experiment_html, html};

type Test = (&'static str, fn(&Chromium));

const TESTS: &[Test] = &[
    ("the_script_runs_under_the_policy_of_the_page", the_script_runs_under_the_policy_of_the_page),
    ("a_threshold_gives_what_it_gives_here", a_threshold_gives_what_it_gives_here),
    ("costs_that_are_no_costs_change_nothing", costs_that_are_no_costs_change_nothing),
    ("charts_are_read_with_keys", charts_are_read_with_keys),
    ("charts_are_read_with_a_pointer", charts_are_read_with_a_pointer),
    ("nothing_is_wider_than_a_phone", nothing_is_wider_than_a_phone),
    ("names_do_nothing", names_do_nothing),
    ("an_empty_page_is_a_page", an_empty_page_is_a_page),
    ("an_experiment_is_drawn_without_a_script", an_experiment_is_drawn_without_a_script),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    let chosen = |test: &&Test| words.is_empty() || words.iter().any(|word| test.0.contains(*word));
    if arguments.iter().any(|argument| argument == "--list") {
        TESTS.iter().filter(chosen).for_each(|(name, _)| println!("{name}: test"));
        return ExitCode::SUCCESS;
    }
    let (began, browser) = (Instant::now(), Chromium::find());
    let (mut passed, mut failed, mut ignored) = (0, 0, 0);
    println!("\nrunning {} tests", TESTS.iter().filter(chosen).count());
    for (name, run) in TESTS.iter().filter(chosen) {
        let outcome = match &browser {
            None => {
                ignored += 1;
                "ignored, there is no Chromium"
            }
            Some(browser) if catch_unwind(|| run(browser)).is_ok() => {
                passed += 1;
                "ok"
            }
            Some(_) => {
                failed += 1;
                "FAILED"
            }
        };
        println!("test {name} ... {outcome}");
    }
    let others = TESTS.len() - passed - failed - ignored;
    let (result, seconds) = (if failed == 0 { "ok" } else { "FAILED" }, began.elapsed().as_secs_f64());
    println!(
        "\ntest result: {result}. {passed} passed; {failed} failed; {ignored} ignored; 0 measured; {others} filtered out; \
         finished in {seconds:.2}s\n"
    );
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn the_script_runs_under_the_policy_of_the_page(browser: &Chromium) {
    for page in [sample_run::two_classes(), sample_run::many_classes(20)] {
        let seen = browser.open(&html(&page));
        assert!(seen.dom.contains("data-ready=\"yes\""), "the script has run to its end");
        assert_eq!(seen.complaints, Vec::<String>::new());
    }
    // This is no test if the policy lets other scripts through.
    let foreign = html(&sample_run::two_classes()).replace(
        "<main>",
        "<script>document.documentElement.dataset.foreign = 'yes'</script><main onclick=\"0\">",
    );
    let seen = browser.open(&foreign);
    assert!(!seen.dom.contains("data-foreign="), "a foreign script has run");
}

/// What a reader sees of the chosen threshold.
const READ: &str = "
    const is = (name) => document.querySelector(`#t0 [data-is=\"${name}\"]`).textContent;
    const read = () => Object.fromEntries(['threshold', 'precision', 'recall', 'f1', 'alerts', 'cost', 'tp', 'fn', 'fp', 'tn']
        .map((name) => [name, is(name)]));
    const row = (name) => [...document.querySelector(`#t0 [data-row=\"${name}\"]`).cells].map((cell) => cell.textContent);
    const type = (id, value) => {
        const input = document.getElementById(id);
        input.value = value;
        input.dispatchEvent(new Event('input', { bubbles: true }));
    };
    const press = (name) => document.querySelector(`#t0 [data-do=\"${name}\"]`).click();
    const mark = (curve) => {
        const circle = document.querySelector(`#t0-${curve} .chosen`);
        return [circle.getAttribute('cx'), circle.getAttribute('cy')].map(Number);
    };
";

fn a_threshold_gives_what_it_gives_here(browser: &Chromium) {
    let page = sample_run::two_classes();
    let operating = Operating::new(page.assessments[0].thresholds.as_ref().unwrap());
    let last = operating.points.len() - 1;
    let places = [0, 1, 40, last / 2, last - 1, last];
    let script = format!(
        "{READ} const seen = {{ at: [], first: read(), marks: [] }};
         type('t0-missed', '7.5'); type('t0-false-alarm', '0.25');
         for (const i of {places:?}) {{ type('t0-slider', String({last} - i)); seen.at.push(read()); seen.marks.push(mark('roc')); }}
         press('cheapest'); seen.cheapest = read();
         seen.lowest = mark('cost')[1];
         seen.spots = document.querySelector('#t0-cost .line.main').getAttribute('d').split(/[ML]/).slice(1).map((spot) => Number(spot.split(' ')[1]));
         press('model'); seen.model = read();
         seen.rows = ['model', 'cheapest', 'nothing', 'everything'].map(row);
         return seen;"
    );
    let seen = browser.ask(&html(&page), Window::Wide, &script);

    let given = Costs { missed: 5.0, false_alarm: 1.0 };
    let typed = Costs { missed: 7.5, false_alarm: 0.25 };
    let in_use = operating.in_use.unwrap();
    same(&seen["first"], &operating, in_use, given);
    for (i, place) in places.into_iter().enumerate() {
        same(&seen["at"][i], &operating, place, typed);
    }
    same(&seen["cheapest"], &operating, operating.cheapest(typed), typed);
    same(&seen["model"], &operating, in_use, typed);
    assert_ne!(operating.cheapest(typed), in_use, "the buttons do different things here");
    for (row, place) in
        seen["rows"].as_array().unwrap().iter().zip([in_use, operating.cheapest(typed), 0, last])
    {
        close(&row[5], operating.cost(&operating.points[place], typed));
    }
    // The cheapest threshold is the lowest of the curve of costs, which is further down in the picture.
    let spots: Vec<f64> = serde_json::from_value(seen["spots"].clone()).unwrap();
    assert_eq!(spots.len(), operating.points.len());
    assert_eq!(seen["lowest"], spots.iter().copied().fold(0.0, f64::max));
    // From the lower left to the upper right.
    let (first, end) = (&seen["marks"][0], &seen["marks"][places.len() - 1]);
    assert!(first[0].as_f64() < end[0].as_f64() && first[1].as_f64() > end[1].as_f64(), "{first} {end}");
}

/// What is read must be what is computed here.
fn same(seen: &Value, operating: &Operating, place: usize, costs: Costs) {
    let point: &Point = &operating.points[place];
    let counts = [
        ("tp", point.true_positives),
        ("fp", point.false_positives),
        ("fn", operating.positives - point.true_positives),
        ("tn", operating.negatives - point.false_positives),
        ("cost", operating.cost(point, costs)),
        ("alerts", 1000.0 * (point.true_positives + point.false_positives) / operating.total()),
    ];
    counts.into_iter().for_each(|(name, value)| close(&seen[name], value));
    let shares = [
        ("precision", operating.precision(point)),
        ("recall", operating.recall(point)),
        ("f1", operating.f1(point)),
    ];
    for (name, share) in shares {
        match share {
            Some(share) => close(&seen[name], 100.0 * share),
            None => assert_eq!(seen[name], "–", "{name}"),
        }
    }
    match point.threshold {
        Some(threshold) => close(&seen["threshold"], threshold),
        None => assert!(seen["threshold"].as_str().unwrap().ends_with("all scores")),
    }
}

/// A number that is shown must be this one, as far as it is shown.
fn close(seen: &Value, value: f64) {
    let text = seen.as_str().unwrap();
    let plain = text.replace(',', "").replace('−', "-").replace("\u{a0}%", "");
    let number: f64 = plain.parse().unwrap_or_else(|_| panic!("{text} is no number"));
    let decimals = plain.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    assert!((number - value).abs() <= 0.501 / 10f64.powf(decimals as f64), "{text} is not {value}");
}

fn costs_that_are_no_costs_change_nothing(browser: &Chromium) {
    let script = format!(
        "{READ} const before = read(); const wrong = [];
         for (const cost of ['-3', '', '-1e-9']) {{ type('t0-missed', cost); wrong.push(document.getElementById('t0-wrong').textContent); }}
         const after = read(); type('t0-missed', '5');
         return {{ before, after, wrong, right: document.getElementById('t0-wrong').textContent }};"
    );
    let seen = browser.ask(&html(&sample_run::two_classes()), Window::Wide, &script);
    assert_eq!(seen["before"], seen["after"]);
    assert_eq!(seen["wrong"], json!(["A cost is a number from 0 on."; 3].to_vec()));
    assert_eq!(seen["right"], "");
}

fn charts_are_read_with_keys(browser: &Chromium) {
    let script = format!(
        "{READ} const plot = document.getElementById('curve-0'); plot.focus();
         const key = (on, key) => on.dispatchEvent(new KeyboardEvent('keydown', {{ key, bubbles: true }}));
         key(plot, 'End'); const end = plot.closest('figure').querySelector('output').textContent;
         key(plot, 'ArrowLeft'); const before = plot.closest('figure').querySelector('output').textContent;
         document.querySelector('#scale [value=linear]').click();
         const hidden = [plot.checkVisibility(), document.getElementById('curve-0-linear').checkVisibility()];
         const roc = document.getElementById('t0-roc'); key(roc, 'Home'); key(roc, 'Enter');
         return {{ end, before, hidden, threshold: is('threshold') }};"
    );
    let seen = browser.ask(&html(&sample_run::two_classes()), Window::Wide, &script);
    assert_eq!(
        seen["end"],
        "4,459 examples · all examples so far 1.95\u{a0}% · since the last point 1.10\u{a0}%"
    );
    assert!(seen["before"].as_str().unwrap().starts_with("4,096 examples"), "{seen}");
    assert_eq!((&seen["hidden"], &seen["threshold"]), (&json!([false, true]), &json!("above all scores")));
}

fn charts_are_read_with_a_pointer(browser: &Chromium) {
    let script = format!(
        "{READ} const point = (plot, kind, x, y) => {{
            const box = plot.querySelector('svg').getBoundingClientRect(), zoom = box.width / 360;
            plot.dispatchEvent(new PointerEvent(kind, {{ clientX: box.left + x * zoom, clientY: box.top + y * zoom, bubbles: true }}));
         }};
         const said = (plot) => plot.closest('figure').querySelector('output').textContent;
         const curve = document.getElementById('curve-0'), roc = document.getElementById('t0-roc');
         // A click that no pointer made, as from a screen reader, chooses nothing and breaks nothing.
         const before = is('threshold'); roc.click(); const unmoved = is('threshold') === before;
         point(curve, 'pointermove', 348, 20); const end = said(curve);
         point(curve, 'pointermove', 50, 20); const start = said(curve);
         point(curve, 'pointerleave', 0, 0); const left = said(curve);
         point(roc, 'pointermove', 348, 20); const corner = said(roc); roc.click();
         return {{ unmoved, end, start, left, corner, recall: is('recall') }};"
    );
    let seen = browser.ask(&html(&sample_run::two_classes()), Window::Wide, &script);
    let text = |name: &str| seen[name].as_str().unwrap().to_string();
    assert!(text("end").starts_with("4,459 examples") && text("start").starts_with("1 examples"), "{seen}");
    assert_eq!((text("left").as_str(), &seen["unmoved"]), ("", &json!(true)));
    assert!(text("corner").contains("100.00\u{a0}% of ham flagged"), "{seen}");
    assert_eq!(seen["recall"], "100.00\u{a0}%");
}

fn nothing_is_wider_than_a_phone(browser: &Chromium) {
    let widths = "for (const more of document.querySelectorAll('details')) more.open = true;
        const wide = [...document.querySelectorAll('body *')].filter((one) => !one.closest('.scroll, .unseen, svg')
            && one.getBoundingClientRect().right > innerWidth + 0.5).map((one) => one.tagName + '.' + one.className);
        return { inner: innerWidth, page: document.documentElement.scrollWidth, wide };";
    for page in [sample_run::two_classes(), sample_run::many_classes(50), hostile()] {
        for (window, width) in [(Window::Phone, 390), (Window::SmallPhone, 360)] {
            let seen = browser.ask(&html(&page), window, widths);
            assert_eq!(seen, json!({ "inner": width, "page": width, "wide": [] }), "{}", page.title);
        }
    }
}

/// A page whose every text is an attack.
fn hostile() -> Page {
    let attack = "</script><script>window.hit = 1</script><img src=x onerror=\"window.hit = 1\">'\" onfocus='window.hit = 1' \
                  <!-- </style></title></svg> \u{2028}\u{202e}\u{0}\n";
    let long = attack.repeat(400);
    let mut json = serde_json::to_value(sample_run::two_classes()).unwrap();
    json["assessments"].as_array_mut().unwrap().push(
        serde_json::to_value(Assessment { ..sample_run::many_classes(50).assessments.remove(0) }).unwrap(),
    );
    replace_texts(&mut json, &long);
    serde_json::from_value(json).unwrap()
}

fn replace_texts(json: &mut Value, by: &str) {
    match json {
        Value::Array(values) => values.iter_mut().for_each(|value| replace_texts(value, by)),
        Value::Object(fields) => fields
            .iter_mut()
            .filter(|(name, _)| !["kind", "unit", "severity"].contains(&&name[..]))
            .for_each(|(_, value)| replace_texts(value, by)),
        Value::String(text) => *text = by.into(),
        _ => {}
    }
}

fn names_do_nothing(browser: &Chromium) {
    let script = format!(
        "{READ} press('cheapest'); document.querySelectorAll('.plot').forEach((plot) => plot.focus());
         const handlers = [...document.querySelectorAll('*')].filter((one) => one.getAttributeNames().some((name) => name.startsWith('on')));
         return {{ hit: window.hit === undefined, strange: document.querySelectorAll('img, iframe, object, embed, link, base').length,
                   scripts: document.querySelectorAll('script').length, handlers: handlers.length, ready: document.documentElement.dataset.ready }};"
    );
    let seen = browser.ask(&html(&hostile()), Window::Wide, &script);
    // Two of the scripts are the test's.
    assert_eq!(seen, json!({ "hit": true, "strange": 0, "scripts": 4, "handlers": 0, "ready": "yes" }));
}

fn an_empty_page_is_a_page(browser: &Chromium) {
    let none = Page::default();
    let mut odd = sample_run::two_classes();
    odd.features = vec![Feature { weight: f64::NAN, ..Feature::default() }];
    odd.curve.points.truncate(1);
    for (i, assessment) in odd.assessments.iter_mut().enumerate() {
        let thresholds = assessment.thresholds.as_mut().unwrap();
        thresholds.points.clear();
        thresholds.in_use = None;
        (thresholds.positives, thresholds.negatives) = if i == 0 { (0.0, 0.0) } else { (5.0, 0.0) };
    }
    for page in [none, odd] {
        let seen = browser.open(&html(&page));
        assert!(seen.dom.contains("data-ready=\"yes\""));
        assert_eq!(seen.complaints, Vec::<String>::new());
        assert!(!seen.dom.contains("NaN") && !seen.dom.contains("Infinity"), "{}", seen.dom);
    }
}

fn an_experiment_is_drawn_without_a_script(browser: &Chromium) {
    let attack = "</svg><script>window.hit = 1</script><img src=x onerror='window.hit = 1'>";
    let line = |name: &str, level: f64| {
        let points =
            (0..9).map(|i| thalweg_figures::Point::new(0.1 * f64::from(i), level).within(0.01)).collect();
        (name.to_string(), points)
    };
    let plot = Plot {
        title: "Error against sparsity".into(),
        subtitle: attack.into(),
        x: Axis::shares("sparsity"),
        y: Axis::shares("error"),
        series: Series::of_learners([line("ssol", 0.2), line("rda", 0.3), line(attack, 0.4)]),
        spread: Spread::Bars,
    };
    let table = vec![vec!["learner".into(), attack.into()], vec![attack.into(), "1".into()]];
    let parts = vec![Part { name: "Figures".into(), figures: vec![plot], table, ..Part::default() }];
    let page = Experiment { kind: "Comparison".into(), title: attack.into(), parts, ..Experiment::default() };
    let page = experiment_html(&page);
    let seen = browser.open(&page);
    assert_eq!(seen.complaints, Vec::<String>::new());
    assert!(!seen.dom.contains("<script>window.hit") && !seen.dom.contains("<img"));
    // The style of the figure is applied: the line has the colour of its learner, and the legend is beside the axes.
    assert!(page.contains("class=\"blue\"") && !page.contains("style=\""));
}
