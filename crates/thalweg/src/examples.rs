//! The examples of a run for whoever learns from them without a [`Trainer`]: read and prepared as a configuration says.

use thalweg_core::{Batch, Learner, Setup, learners};
use thalweg_data::{Input, Interrupt, Labels, Reader};

use crate::config::{Config, name_of};
use crate::error::{ConfigError, Result};
use crate::model::Model;
use crate::observer::{Observer, Told};
use crate::trainer::Trainer;

/// The examples of a run, batch after batch, as a [`Trainer`] would let its learners have them.
///
/// ```
/// # use thalweg::{Batch, Config, Examples, Input, Interrupt};
/// let data = Input::Bytes("data.svm".into(), b"1 1:1 3:2\n-1 2:1\n".to_vec().into());
/// let mut examples = Examples::open(&Config::default(), &["arow"], &[data], Interrupt::default(), &mut ())?;
/// let (mut arow, mut batch, mut outcomes) = (examples.build("arow:r=2")?, Batch::default(), Default::default());
/// while examples.read(&mut batch, &mut ())? {
///     arow.learn(&batch, &mut outcomes)?;
/// }
/// let model = examples.into_model(arow)?;
/// assert_eq!(model.labels().names(), ["-1", "1"]);
/// # Ok::<(), thalweg::Error>(())
/// ```
pub struct Examples {
    config: Config,
    trainer: Trainer,
    reader: Box<dyn Reader>,
}

impl Examples {
    /// Opens the inputs. Values are prepared if all of these learners want that, unless the configuration says otherwise. The names of features
    /// grow without limit: `max_features` is refused.
    pub fn open(
        config: &Config,
        learners: &[&str],
        inputs: &[Input],
        interrupt: Interrupt,
        observer: &mut dyn Observer,
    ) -> Result<Self> {
        let mut trainer = Trainer::without_learners(config.clone(), learners)?;
        trainer.interrupt_by(interrupt);
        let reader = trainer.open(inputs, observer)?;
        Ok(Self { config: config.clone(), trainer, reader })
    }

    /// A learner that has seen nothing, `name:knob=value,...`, for the classes that are known.
    pub fn build(&self, learner: &str) -> Result<Box<dyn Learner>> {
        let spec = self.config.spec_of(learner)?;
        let setup = Setup { classes: self.labels().names().len(), ..self.config.setup(name_of(&spec))? };
        Ok(learners::build(&spec, &setup).map_err(ConfigError::from)?)
    }

    /// Reads the next examples; `false` at the end of the data.
    pub fn read(&mut self, batch: &mut Batch, observer: &mut dyn Observer) -> Result<bool> {
        let more = self.reader.read(batch);
        Told::by(self.reader.as_mut()).pass_on(observer);
        Ok(more?)
    }

    /// The place in the data of an example of the last batch.
    pub fn ordinal(&self, i: usize) -> u64 {
        self.reader.ordinal(i)
    }

    /// Goes back to the beginning.
    pub fn rewind(&mut self) -> Result<()> {
        Ok(self.reader.rewind()?)
    }

    /// Lines so far that could not be read.
    pub fn bad_lines(&self) -> u64 {
        self.reader.counts().bad
    }

    /// Which label is which class, as far as it is known.
    pub fn labels(&self) -> &Labels {
        self.reader.labels()
    }

    /// A learner that has learned from the examples, as a model.
    pub fn into_model(self, learner: Box<dyn Learner>) -> Result<Model> {
        let Self { mut trainer, reader, .. } = self;
        trainer.take_back(reader);
        trainer.into_model_of(learner)
    }
}
