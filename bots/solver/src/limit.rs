//! How much one decision may take: so much time, or so many nodes.

use std::time::{Duration, Instant};

/// The share of the budget that is used: the rest is for the way of the answer, and for a machine that is busy.
const SHARE: f64 = 0.7;
/// One decision takes at most this share of what is left of the bank.
const BANK_SHARE: f64 = 0.005;
/// The clock is looked at every so many nodes.
const LOOK: u64 = 512;

pub struct Limit {
    total: Duration,
    deadline: Option<Instant>,
    most: u64,
    next_look: u64,
    pub nodes: u64,
    pub is_over: bool,
}

impl Limit {
    /// So much of a decision's time, counted from now.
    pub fn time(budget_ms: u64, bank_ms: u64) -> Self {
        let milliseconds = SHARE * (budget_ms as f64 + BANK_SHARE * bank_ms as f64);
        Limit::until(Duration::from_secs_f64(milliseconds / 1000.0))
    }

    fn until(total: Duration) -> Self {
        let deadline = Instant::now() + total;
        Limit { total, deadline: Some(deadline), most: u64::MAX, next_look: LOOK, nodes: 0, is_over: false }
    }

    /// So many nodes, whatever the time.
    pub fn nodes(most: u64) -> Self {
        Limit { total: Duration::ZERO, deadline: None, most, next_look: most, nodes: 0, is_over: false }
    }

    /// Never over.
    pub fn none() -> Self {
        Limit::nodes(u64::MAX)
    }

    /// So small a part of the whole, from now; what it takes is to be noted by `add`.
    pub fn part(&self, parts: u32) -> Self {
        match self.deadline {
            Some(_) => Limit::until(self.total / parts),
            None => Limit::nodes((self.most / u64::from(parts)).max(1)),
        }
    }

    /// Note what a part took.
    pub fn add(&mut self, part: &Limit) {
        self.nodes += part.nodes;
        self.look();
    }

    /// Note one more node.
    #[inline]
    pub fn count(&mut self) {
        self.add_nodes(1);
    }

    /// Note so many more nodes.
    #[inline]
    pub fn add_nodes(&mut self, nodes: u64) {
        self.nodes += nodes;
        if self.nodes >= self.next_look {
            self.look();
        }
    }

    fn look(&mut self) {
        self.is_over |= self.nodes >= self.most || self.deadline.is_some_and(|end| Instant::now() >= end);
        self.next_look = if self.deadline.is_some() { self.nodes + LOOK } else { self.most };
    }
}
