//! A trial does what training does.
#![allow(missing_docs, clippy::unwrap_used)]

use std::path::Path;

use thalweg::{Config, Decision, Input, Interrupt, Norm, Predictor, Task, Trainer};
use thalweg_experiments::{DataSet, Order, Summary, Trial, milestones};

fn bundled(name: &str) -> Input {
    Input::File(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data").join(name))
}

fn read(name: &str, config: &Config) -> DataSet {
    DataSet::read(&[bundled(name)], config, &Interrupt::default(), &mut ()).unwrap()
}

#[test]
fn a_trial_over_the_order_of_the_data_is_a_run_of_training() {
    let texts = Config::default().format(thalweg::Format::TSV).text("text");
    let train = read("smsspam.train.tsv.zst", &texts);
    let test_inputs = [bundled("smsspam.test.tsv.zst")];
    let test = train.read_test(&test_inputs, &texts, &Interrupt::default(), &mut ()).unwrap();
    let order = Order::of_data(train.len());
    let configs = [
        texts.clone().learner("sarow").metrics("roc_auc"),
        texts.clone().learner("ssol:lambda=0.3").cost_fn(5.0).normalize(Norm::L2).bias(true),
        texts.clone().learner("arow").passes(2u64).threshold(0.1),
        texts.clone().learner("dcd").batch(1000u64),
    ];
    for config in configs {
        let mut trainer = Trainer::new(config.clone()).unwrap();
        trainer.run(&[bundled("smsspam.train.tsv.zst")], &mut ()).unwrap();
        let report = trainer.report();
        let predictor = Predictor::new(trainer.into_model().unwrap().into());
        let measuring = Config { metrics: config.metrics.clone(), ..Config::default() };
        let evaluated = predictor.configured(measuring).unwrap().evaluate(&test_inputs, &mut ()).unwrap();
        let trial = Trial { test: Some(&test), ..Trial::new(&config, &train, &order) };
        let result = trial.run(&Interrupt::default()).unwrap().unwrap();
        for (ours, theirs) in
            [(&result.figures, &report.figures), (result.test.as_ref().unwrap(), &evaluated.figures)]
        {
            for figure in theirs.iter().filter(|figure| figure.metric.entry.name != "updates") {
                let name = figure.metric.name();
                assert_eq!(ours.value(&name), figure.value, "{name} of {}", report.learner);
            }
        }
        assert_eq!((result.learner, result.nonzeros), (report.learner.clone(), report.nonzeros));
        assert_eq!(Some(result.sparsity), report.sparsity, "{}", report.learner);
    }
}

#[test]
fn milestones_do_not_change_a_trial() {
    let config = Config::parse("sarow").unwrap();
    let data = read("german.numer.svm.zst", &config);
    let order = Order::shuffled(data.len(), 3);
    let plain = Trial::new(&config, &data, &order);
    let points = milestones(data.len(), 7);
    assert_eq!((points.len(), points[0], points[6]), (7, 142, 1000));
    let noted = Trial { milestones: &points, ..plain.clone() };
    let [plain, noted] = [plain, noted].map(|trial| trial.run(&Interrupt::default()).unwrap().unwrap());
    let error = |figures: &thalweg_eval::Figures| figures.value("error").unwrap();
    assert_eq!((error(&plain.figures), plain.nonzeros), (error(&noted.figures), noted.nonzeros));
    assert_eq!(noted.curve.iter().map(|point| point.examples).collect::<Vec<_>>(), points);
    assert_eq!(error(&noted.curve[6].figures), error(&noted.figures));
    assert_eq!(noted.curve[2].figures.examples(), 428);
}

#[test]
fn the_published_orders_give_the_published_mean() {
    // Zhao et al. 2019, Table 2, german: the sum of the perceptron.
    let config = Config::parse("perceptron").unwrap().normalize(Norm::L2);
    let data = read("german.numer.svm.zst", &config);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/german.permutations.txt");
    let sums = Order::read(&file, data.len()).unwrap().into_iter().map(|order| {
        let decision = Some(Decision::of(Task::Binary));
        let trial = Trial { decision, ..Trial::new(&config, &data, &order) };
        trial.run(&Interrupt::default()).unwrap().unwrap().figures.value("balanced_accuracy")
    });
    let summary = Summary::of_all(sums).unwrap();
    assert_eq!(format!("{:.3}", 100.0 * summary.mean), "53.760");
}

#[test]
fn an_interrupt_ends_a_trial_without_a_result() {
    let config = Config::parse("arow").unwrap();
    let data = read("german.numer.svm.zst", &config);
    let order = Order::of_data(data.len());
    let interrupt = Interrupt::default();
    interrupt.set();
    assert!(Trial::new(&config, &data, &order).run(&interrupt).unwrap().is_none());
}
