//! The penalty ½ (Σ |w_k|)² on groups of weights, whose minimisers keep few groups (Tan et al. 2016, equations 15 to 17).

/// S with σ S = Σ_k max(0, n_k − S): groups whose length n_k is above it stay.
fn level(lengths: &[f64], sigma: f64, sorted: &mut Vec<f64>) -> f64 {
    sorted.clear();
    sorted.extend_from_slice(lengths);
    sorted.sort_unstable_by(|a, b| b.total_cmp(a));
    let (mut sum, mut level) = (0.0, 0.0);
    for (above, &length) in sorted.iter().enumerate() {
        let next = (sum + length) / (sigma + (above + 1) as f64);
        if length <= next && above > 0 {
            break;
        }
        sum += length;
        level = next;
    }
    level
}

/// The factors a_k with w_k = a_k z_k = ∇Ω*(z), Ω(w) = σ/2 |w|² + ½ (Σ |w_k|)², given the lengths of the z_k.
#[derive(Clone, Debug, Default)]
pub(crate) struct GroupFactors {
    sorted: Vec<f64>,
    pub(crate) factors: Vec<f64>,
}

impl GroupFactors {
    pub(crate) fn update(&mut self, lengths: &[f64], sigma: f64) {
        let level = level(lengths, sigma, &mut self.sorted);
        let above = |length: &f64| *length > level;
        let (count, sum) =
            lengths.iter().filter(|n| above(n)).fold((0.0, 0.0), |(count, sum), n| (count + 1.0, sum + n));
        self.factors.clear();
        // (n − S)/σ without the difference n − S, which for small σ is all rounding.
        let factor = |n: f64| (n + (count * n - sum) / sigma) / (sigma + count) / n;
        self.factors.extend(lengths.iter().map(|n| if above(n) && *n > 0.0 { factor(*n) } else { 0.0 }));
    }
}

/// argmin_w ½|w − v|² + τ/2 (Σ |w_k|)²: the factors with which the v_k shrink.
pub(crate) fn shrink_groups(lengths: &[f64], tau: f64) -> Vec<f64> {
    let level = level(lengths, 1.0 / tau, &mut Vec::new());
    lengths.iter().map(|n| if *n <= level || *n == 0.0 { 0.0 } else { (n - level) / n }).collect()
}
