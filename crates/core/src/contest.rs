//! A learner made of learners that race: all learn from every example, those that are worse are dropped, and one is left.
//!
//! Which are worse is decided by [`Race`], from what each said before it learned. One of them leads, and what the contest says is what its leader says. When
//! one is left, the contest *is* that learner: its spelling, its state and its cells, so that a model of it is an ordinary model.
//!
//! Who is dropped and who leads changes only after fixed numbers of examples, so batches and stops make no difference.

use serde_json::{Value, json};

use crate::batch::{Batch, Class};
use crate::class_costs::ClassWeights;
use crate::codec::{split_block, write_block};
use crate::cost::{ClassCost, Costs};
use crate::learner::{
    Chosen, Counts, Inspect, Learner, Merge, Persist, Setup, Standings, StateError, Task, TooLarge, Weight,
};
use crate::merge::{Gain, Merging, Numbering, Unmergeable};
use crate::outcomes::{Outcomes, strongest};
use crate::race::Race;
use crate::registry::{BuildError, Entry, Forgets};

/// A learner that may take part.
pub(crate) struct Candidate {
    pub(crate) entry: Entry,
    pub(crate) knobs: &'static [(&'static str, &'static str)],
}

impl Candidate {
    /// Can it do what the run asks for?
    fn can(&self, setup: &Setup) -> bool {
        let forgets = matches!(self.entry.forgets, Forgets::OnRequest);
        (setup.forget.is_none() || forgets) && (setup.task != Task::Hinge || self.entry.one_of_k)
    }

    fn build(&self, setup: &Setup) -> Result<Box<dyn Learner>, BuildError> {
        (self.entry.build)(self.entry.name, self.knobs, setup)
    }
}

/// How a contest is decided.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    /// What it is called while it is not decided.
    pub(crate) name: &'static str,
    /// The probability of dropping one that was not worse.
    pub(crate) alpha: f64,
    /// The evidence, as a logarithm, with which another takes the lead from the first candidate.
    pub(crate) lead: f64,
    /// After so many examples the leader is all that is left.
    pub(crate) most_examples: u64,
}

/// The first look is after so many examples.
const FIRST_LOOK: u64 = 64;

/// After how many examples the next look is.
fn look_after(examples: u64) -> u64 {
    // The losses of few more examples seldom make a difference when there are many.
    examples + (examples / 8).max(FIRST_LOOK)
}

/// Learners that race.
pub(crate) struct Contest {
    terms: Terms,
    candidates: &'static [Candidate],
    setup: Setup,
    /// How each contender is spelled, by its number in the race.
    specs: Vec<String>,
    /// Those that are still in the race.
    members: Vec<Entrant>,
    race: Race,
    /// The number of the one that leads.
    leader: usize,
    next_look: u64,
    /// What an error on each class costs, as a share of the dearest, as of the last look.
    prices: Vec<f64>,
    greatest_importance: f64,
    /// Examples up to the next look.
    part: Batch,
}

/// A learner in the race.
struct Entrant {
    contender: usize,
    learner: Box<dyn Learner>,
}

impl Contest {
    /// A race in which nobody has learned anything. Candidates that cannot do what the run asks for do not take part.
    pub(crate) fn new(
        terms: Terms,
        candidates: &'static [Candidate],
        setup: &Setup,
    ) -> Result<Self, BuildError> {
        let mut members = Vec::new();
        for candidate in candidates {
            if candidate.can(setup) {
                members.push(Entrant { contender: members.len(), learner: candidate.build(setup)? });
            }
        }
        let prices = relative_prices(&members[0].learner.class_costs());
        Ok(Self {
            terms,
            candidates,
            setup: setup.clone(),
            specs: members.iter().map(|member| member.learner.spec()).collect(),
            race: Race::new(members.len(), terms.alpha),
            members,
            leader: 0,
            next_look: FIRST_LOOK,
            prices,
            greatest_importance: 0.0,
            part: Batch::default(),
        })
    }

    /// How it merges while nobody has won.
    pub(crate) const UNDECIDED: Merging = Merging::Never(
        "its race is not decided, and others would have dropped other learners; name one of them",
    );

    /// The one that is left, if only one is.
    fn winner(&self) -> Option<&dyn Learner> {
        match &self.members[..] {
            [only] => Some(only.learner.as_ref()),
            _ => None,
        }
    }

    fn leader(&self) -> &dyn Learner {
        let leads = |member: &&Entrant| member.contender == self.leader;
        self.members.iter().find(leads).unwrap_or(&self.members[0]).learner.as_ref()
    }

    /// How many examples of the batch, from `start`, come before the next look is over.
    fn until_look(&self, batch: &Batch, start: usize) -> usize {
        let mut left = self.next_look - self.race.examples();
        let is_last = |i: &usize| {
            left -= u64::from(counts(batch, *i));
            left == 0
        };
        (start..batch.len()).find(is_last).map_or(batch.len(), |last| last + 1)
    }

    /// All of them learn from the examples, and the race goes on.
    fn learn_part(&mut self, batch: &Batch, outcomes: &mut Outcomes) -> Result<(), TooLarge> {
        let weights = self.weights_of(batch);
        let mut losses = vec![Vec::new(); self.race.contenders()];
        let mut said = Outcomes::default();
        for Entrant { contender, learner } in &mut self.members {
            learner.learn(batch, &mut said)?;
            let judged = weights.iter().map(|&(i, label, weight)| weight * error(said.scores_of(i), label));
            losses[*contender] = judged.collect();
            if *contender == self.leader {
                std::mem::swap(outcomes, &mut said);
            }
        }
        self.race.add(&losses);
        if self.race.examples() == self.next_look {
            self.look();
        }
        Ok(())
    }

    /// The examples that are judged, with their labels and what an error on each weighs.
    fn weights_of(&mut self, batch: &Batch) -> Vec<(usize, Class, f64)> {
        let mut weights = Vec::with_capacity(batch.len());
        for i in (0..batch.len()).filter(|i| counts(batch, *i)) {
            let Some(label) = batch.labels()[i] else { continue };
            let importance = f64::from(batch.importances()[i]);
            self.greatest_importance = self.greatest_importance.max(importance);
            let price = self.prices.get(label as usize).copied().unwrap_or(1.0);
            weights.push((i, label, price * (importance / self.greatest_importance)));
        }
        weights
    }

    /// Drops those that are worse, and sees who leads.
    fn look(&mut self) {
        self.race.look();
        self.leader = self.race.favourite(self.terms.lead).unwrap_or(self.leader);
        let over = self.race.examples() >= self.terms.most_examples;
        let (alive, leader) = (self.race.alive(), self.leader);
        let stays = |contender: usize| if over { contender == leader } else { alive.contains(&contender) };
        self.members.retain(|member| stays(member.contender));
        self.next_look = look_after(self.race.examples()).min(self.terms.most_examples);
        self.prices = relative_prices(&self.leader().class_costs());
    }
}

/// Does anybody learn from the example?
fn counts(batch: &Batch, i: usize) -> bool {
    batch.labels()[i].is_some() && batch.importances()[i] != 0.0
}

/// 1 if the scores mean another class than the label. A score of 0 is half of an error: it speaks for neither class.
fn error(scores: &[f64], label: Class) -> f64 {
    match scores {
        [score] if *score == 0.0 => 0.5,
        [score] => f64::from(u8::from((*score > 0.0) != (label == 1))),
        many => {
            let predicted = strongest(many.iter().copied().enumerate());
            f64::from(u8::from(predicted != Some(label as usize)))
        }
    }
}

/// What errors on each class cost, as shares of the dearest.
fn relative_prices(costs: &[ClassCost]) -> Vec<f64> {
    let dearest = costs.iter().fold(0.0, |dearest: f64, cost| dearest.max(cost.cost));
    let share = |cost: f64| if dearest > 0.0 { cost / dearest } else { 1.0 };
    let mut prices = Vec::new();
    for ClassCost { class, cost, .. } in costs {
        prices.resize(prices.len().max(*class as usize + 1), 1.0);
        prices[*class as usize] = share(*cost);
    }
    prices
}

impl Learner for Contest {
    fn learn(&mut self, batch: &Batch, outcomes: &mut Outcomes) -> Result<(), TooLarge> {
        let mut start = 0;
        let mut of_part = Outcomes::default();
        loop {
            if let ([only], 0) = (&mut self.members[..], start) {
                return only.learner.learn(batch, outcomes);
            }
            let decided = self.members.len() == 1;
            let end = if decided { batch.len() } else { self.until_look(batch, start) };
            if (start, end) == (0, batch.len()) {
                return self.learn_part(batch, outcomes);
            }
            if start == 0 {
                outcomes.clear();
            }
            let mut part = std::mem::take(&mut self.part);
            part.clear();
            part.extend_from(batch, start..end);
            match &mut self.members[..] {
                [only] => only.learner.learn(&part, &mut of_part)?,
                _ => self.learn_part(&part, &mut of_part)?,
            }
            self.part = part;
            outcomes.append(&mut of_part);
            start = end;
            if start == batch.len() {
                return Ok(());
            }
        }
    }

    fn finish(&mut self) {
        self.members.iter_mut().for_each(|member| member.learner.finish());
    }

    fn score(&self, batch: &Batch, outcomes: &mut Outcomes) {
        self.leader().score(batch, outcomes);
    }

    fn class_costs(&self) -> Vec<ClassCost> {
        self.leader().class_costs()
    }

    fn score_with_variance(&self, batch: &Batch, outcomes: &mut Outcomes, variances: &mut Vec<f64>) {
        self.leader().score_with_variance(batch, outcomes, variances);
    }

    fn boost(&mut self, factor: f64) -> bool {
        self.members.iter_mut().fold(false, |any, member| any | member.learner.boost(factor))
    }
}

impl Inspect for Contest {
    fn spec(&self) -> String {
        self.winner().map_or_else(|| self.terms.name.to_string(), Inspect::spec)
    }

    fn costs(&self) -> Costs {
        self.leader().costs()
    }

    fn class_weights(&self) -> ClassWeights {
        self.leader().class_weights()
    }

    fn task(&self) -> Task {
        self.leader().task()
    }

    fn classes(&self) -> usize {
        self.leader().classes()
    }

    fn counts(&self) -> Counts {
        self.leader().counts()
    }

    fn features(&self) -> usize {
        self.leader().features()
    }

    /// Only what all of them remember will be remembered by the one that is left.
    fn remembers(&self, feature: u32) -> Option<bool> {
        self.members.iter().try_fold(true, |all, member| Some(all & member.learner.remembers(feature)?))
    }

    fn nonzeros(&self) -> usize {
        self.leader().nonzeros()
    }

    fn memory(&self) -> usize {
        self.members.iter().map(|member| member.learner.memory()).sum()
    }

    fn weights(&self) -> Vec<Weight> {
        self.leader().weights()
    }

    fn chosen(&self) -> Vec<Chosen> {
        self.leader().chosen()
    }

    fn variance(&self, feature: u32, class: Option<Class>) -> Option<f64> {
        self.leader().variance(feature, class)
    }

    fn has_variance(&self) -> bool {
        self.leader().has_variance()
    }

    fn half_life(&self) -> Option<f64> {
        self.leader().half_life()
    }

    fn standings(&self) -> Option<Standings<'_>> {
        let decided = self.members.len() == 1;
        Some(Standings { contenders: &self.specs, leader: self.leader, race: &self.race, decided })
    }
}

impl Persist for Contest {
    fn state(&self) -> Value {
        if let Some(winner) = self.winner() {
            return winner.state();
        }
        let members = self.members.iter();
        let states: Vec<Value> = members.map(|member| member.learner.state()).collect();
        json!({
            "counts": self.counts(),
            "contenders": self.specs,
            "race": self.race,
            "leader": self.leader,
            "next_look": self.next_look,
            "prices": self.prices,
            "greatest_importance": self.greatest_importance,
            "members": states,
        })
    }

    fn write_cells(&self, out: &mut Vec<u8>) {
        if let Some(winner) = self.winner() {
            return winner.write_cells(out);
        }
        for member in &self.members {
            write_block(out, |out| member.learner.write_cells(out));
        }
    }

    fn restore(&mut self, state: &Value, mut cells: &[u8]) -> Result<(), StateError> {
        let mut fresh = Self::new(self.terms, self.candidates, &self.setup)
            .map_err(|cause| StateError::new(cause.to_string()))?;
        // A race of other candidates could not go on with these.
        if state["contenders"] != json!(fresh.specs) {
            return Err(StateError::new("contenders"));
        }
        fresh.race = part(state, "race")?;
        fresh.leader = part(state, "leader")?;
        fresh.next_look = part(state, "next_look")?;
        fresh.prices = part(state, "prices")?;
        fresh.greatest_importance = part(state, "greatest_importance")?;
        let alive = fresh.race.alive();
        let sound = fresh.race.is_sound(fresh.specs.len())
            && alive.len() > 1
            && alive.contains(&fresh.leader)
            && fresh.next_look > fresh.race.examples();
        if !sound {
            return Err(StateError::new("race"));
        }
        fresh.members.retain(|member| alive.contains(&member.contender));
        let states = state["members"].as_array().filter(|states| states.len() == alive.len());
        let states = states.ok_or_else(|| StateError::new("members"))?;
        for (member, state) in fresh.members.iter_mut().zip(states) {
            let (own, others) = split_block(cells)?;
            member.learner.restore(state, own)?;
            cells = others;
        }
        if !cells.is_empty() {
            return Err(StateError::new("cells"));
        }
        *self = fresh;
        Ok(())
    }

    fn fork(&self) -> Box<dyn Learner> {
        self.copy(|learner| learner.fork())
    }

    fn fork_with(&self, classes: usize, max_memory: u64) -> Box<dyn Learner> {
        self.copy(|learner| learner.fork_with(classes, max_memory))
    }

    fn can_renumber(&self) -> bool {
        self.members.iter().all(|member| member.learner.can_renumber())
    }

    fn renumber(&mut self, new: &dyn Fn(u32) -> Option<u32>) {
        self.members.iter_mut().for_each(|member| member.learner.renumber(new));
    }
}

impl Merge for Contest {
    fn merging(&self) -> Merging {
        self.winner().map_or(Self::UNDECIDED, Merge::merging)
    }

    fn winner(&self) -> Option<&dyn Learner> {
        Contest::winner(self)
    }

    fn share(&mut self, shards: u32) -> Result<(), Unmergeable> {
        match &mut self.members[..] {
            [only] => only.learner.share(shards),
            _ => Err(self.refusal()),
        }
    }

    fn gain(&self, base: &dyn Learner, shards: u32, numbering: &dyn Numbering) -> Result<Gain, Unmergeable> {
        Contest::winner(self).ok_or_else(|| self.refusal())?.gain(base, shards, numbering)
    }

    fn take_in(&mut self, gain: &Gain) -> Result<(), Unmergeable> {
        match &mut self.members[..] {
            [only] => only.learner.take_in(gain),
            _ => Err(self.refusal()),
        }
    }
}

/// A part of a stored state.
fn part<T: serde::de::DeserializeOwned>(state: &Value, name: &str) -> Result<T, StateError> {
    serde_json::from_value(state[name].clone()).map_err(|_| StateError::new(name))
}

impl Contest {
    fn copy(&self, copy: impl Fn(&dyn Learner) -> Box<dyn Learner>) -> Box<dyn Learner> {
        let copied = |member: &Entrant| Entrant {
            contender: member.contender,
            learner: copy(member.learner.as_ref()),
        };
        Box::new(Self {
            terms: self.terms,
            candidates: self.candidates,
            setup: self.setup.clone(),
            specs: self.specs.clone(),
            members: self.members.iter().map(copied).collect(),
            race: self.race.clone(),
            leader: self.leader,
            next_look: self.next_look,
            prices: self.prices.clone(),
            greatest_importance: self.greatest_importance,
            part: Batch::default(),
        })
    }
}

#[cfg(test)]
mod tests;
