//! What a configuration says of costs.

use thalweg_core::cost::Costs;

use crate::config::Config;
use crate::error::ConfigError;

impl Config {
    /// What errors cost.
    pub(crate) fn costs(&self) -> Result<Costs, ConfigError> {
        let balanced = self.balanced.unwrap_or_default();
        if self.balance_half_life.is_some() && !balanced {
            return Err(ConfigError::Needs("balance_half_life", "balanced"));
        }
        let half_life = self.balance_half_life.map(|half_life| positive("balance_half_life", half_life));
        Ok(Costs {
            missed: positive("cost_fn", self.cost_fn.unwrap_or(1.0))?,
            false_alarm: positive("cost_fp", self.cost_fp.unwrap_or(1.0))?,
            balanced,
            balance_half_life: half_life.transpose()?,
            ..Costs::default()
        })
    }
}

/// A number that makes sense for the field.
fn positive(field: &'static str, number: f64) -> Result<f64, ConfigError> {
    if number > 0.0 && number.is_finite() {
        return Ok(number);
    }
    let must = "be a finite number greater than 0";
    Err(ConfigError::Value { field, must, got: number.to_string() })
}
