//! Choices compared by their outcomes on the same cards.

/// A choice is given up when it is so many standard errors behind the best; not before so many rounds.
const BEHIND: f64 = 2.5;
const FIRST_ROUNDS: f64 = 6.0;

/// `open`: the choices (by place) that are still in the running.
pub struct Contest {
    pub open: Vec<usize>,
    pub rounds: f64,
    outcomes: Vec<Vec<f64>>,
}

impl Contest {
    pub fn new(choices: usize) -> Self {
        Contest { open: (0..choices).collect(), rounds: 0.0, outcomes: vec![Vec::new(); choices] }
    }

    /// Take one round: a value for each open choice, in their order; give up those that are clearly worse.
    pub fn enter(&mut self, values: &[i32]) {
        for (&choice, &value) in self.open.iter().zip(values) {
            self.outcomes[choice].push(f64::from(value));
        }
        self.rounds += 1.0;
        if self.rounds >= FIRST_ROUNDS && (self.rounds as u64).is_power_of_two() | (self.rounds as u64 & 15 == 0) {
            let best = self.best();
            self.open = self.open.iter().copied().filter(|&choice| choice == best || !self.is_behind(choice, best)).collect();
        }
    }

    /// The choice with the best mean; of equal ones the first.
    pub fn best(&self) -> usize {
        let mut best = self.open[0];
        for &choice in &self.open {
            if self.mean(choice) > self.mean(best) {
                best = choice;
            }
        }
        best
    }

    pub fn mean(&self, choice: usize) -> f64 {
        let outcomes = &self.outcomes[choice];
        if outcomes.is_empty() { 0.0 } else { outcomes.iter().sum::<f64>() / outcomes.len() as f64 }
    }

    fn is_behind(&self, choice: usize, best: usize) -> bool {
        let count = self.rounds;
        let (mut sum, mut squares) = (0.0, 0.0);
        for (ahead, value) in self.outcomes[best].iter().zip(&self.outcomes[choice]) {
            let difference = ahead - value;
            sum += difference;
            squares += difference * difference;
        }
        let mean = sum / count;
        let spread = (squares / count - mean * mean).max(0.0) + squares / (count * count) + 1.0 / count;
        mean > BEHIND * (spread / count).sqrt()
    }
}
