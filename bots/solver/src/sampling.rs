//! The hidden cards dealt anew: every deal that agrees with what was seen is as likely as any other.

use std::collections::HashMap;

use crate::cards::{members, Card, Cards};
use crate::rng::Rng;

/// What is wrong where nothing can be sampled.
pub const NO_DEAL: &str = "no deal agrees with what was seen";

/// Deals the unseen cards to the other seats, none to a seat that has shown not to hold it.
pub struct Sampler {
    hands: [Cards; 4],
    others: Vec<usize>,
    kinds: Vec<(u8, Vec<Card>)>,
    room: [u8; 3],
    ways: HashMap<(usize, [u8; 3]), f64>,
}

impl Sampler {
    /// `hands`: what is known to be in each hand now; `room`: by seat, cards that it holds besides; `unseen`: the cards
    /// to deal; `lacking`: by seat, cards that it cannot hold.
    pub fn new(hands: [Cards; 4], room: [u8; 4], unseen: Cards, lacking: [Cards; 4]) -> Self {
        let others: Vec<usize> = (0..4).filter(|&seat| room[seat] > 0).collect();
        let mut kinds: Vec<(u8, Vec<Card>)> = Vec::new();
        for card in members(unseen) {
            let takers = (0..others.len()).filter(|&i| lacking[others[i]] >> card & 1 == 0).map(|i| 1 << i).sum();
            match kinds.iter_mut().find(|(known, _)| *known == takers) {
                Some((_, cards)) => cards.push(card),
                None => kinds.push((takers, vec![card])),
            }
        }
        let mut left = [0; 3];
        for (place, &seat) in others.iter().enumerate().take(3) {
            left[place] = room[seat];
        }
        Sampler { hands, others, kinds, room: left, ways: HashMap::new() }
    }

    /// The hands of one deal; None where no deal agrees with what was seen.
    pub fn sample(&mut self, rng: &mut Rng) -> Option<[Cards; 4]> {
        let (mut hands, mut room) = (self.hands, self.room);
        for kind in 0..self.kinds.len() {
            let share = self.draw(kind, room, rng)?;
            let mut cards = self.kinds[kind].1.clone();
            for (place, &count) in share.iter().enumerate() {
                for _ in 0..count {
                    let card = cards.swap_remove(rng.below(cards.len()));
                    hands[self.others[place]] |= 1 << card;
                }
                room[place] -= count;
            }
        }
        Some(hands)
    }

    /// How the cards of a kind are shared out, weighted by the number of deals.
    fn draw(&mut self, kind: usize, room: [u8; 3], rng: &mut Rng) -> Option<[u8; 3]> {
        let shares = self.shares(kind, room);
        let weights: Vec<f64> = shares.iter().map(|&share| arrangements(share) * self.count(kind + 1, less(room, share))).collect();
        let total: f64 = weights.iter().sum();
        let mut point = rng.unit() * total;
        for (share, weight) in shares.iter().zip(&weights) {
            if point < *weight {
                return Some(*share);
            }
            point -= weight;
        }
        shares.into_iter().zip(weights).rev().find(|(_, weight)| *weight > 0.0).map(|(share, _)| share)
    }

    /// In how many ways the kinds from this one on can be dealt.
    fn count(&mut self, kind: usize, room: [u8; 3]) -> f64 {
        if kind == self.kinds.len() {
            return if room == [0; 3] { 1.0 } else { 0.0 };
        }
        if let Some(&known) = self.ways.get(&(kind, room)) {
            return known;
        }
        let ways = self.shares(kind, room).into_iter().map(|share| arrangements(share) * self.count(kind + 1, less(room, share))).sum();
        self.ways.insert((kind, room), ways);
        ways
    }

    fn shares(&self, kind: usize, room: [u8; 3]) -> Vec<[u8; 3]> {
        let (takers, cards) = &self.kinds[kind];
        let size = cards.len() as u8;
        let most = |place: usize| if takers >> place & 1 == 1 { room[place] } else { 0 };
        let mut result = Vec::new();
        for first in 0..=most(0).min(size) {
            for second in 0..=most(1).min(size - first) {
                let third = size - first - second;
                if third <= most(2) {
                    result.push([first, second, third]);
                }
            }
        }
        result
    }
}

fn less(room: [u8; 3], share: [u8; 3]) -> [u8; 3] {
    [room[0] - share[0], room[1] - share[1], room[2] - share[2]]
}

/// In how many ways different cards can be given away in these shares.
fn arrangements(share: [u8; 3]) -> f64 {
    let mut ways = 1.0;
    let mut total = 0.0;
    for count in share {
        for taken in 1..=count {
            total += 1.0;
            ways *= total / f64::from(taken);
        }
    }
    ways
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_deal_is_as_likely_as_any_other() {
        // Four cards for three seats, card 3 not for seat 1: by hand there are 12 deals less those 3 of seat 1.
        let mut sampler = Sampler::new([0; 4], [0, 1, 1, 2], 0b1111, [0, 0b1000, 0, 0]);
        let mut rng = Rng::new(1);
        let mut seen: HashMap<[Cards; 4], u32> = HashMap::new();
        for _ in 0..9000 {
            *seen.entry(sampler.sample(&mut rng).unwrap()).or_default() += 1;
        }
        assert_eq!(seen.len(), 9);
        assert!(seen.values().all(|&count| (850..1150).contains(&count)), "{seen:?}");
        assert!(seen.keys().all(|hands| hands[1] & 0b1000 == 0 && hands[3].count_ones() == 2));
    }

    #[test]
    fn what_cannot_be_is_said() {
        let mut sampler = Sampler::new([0; 4], [0, 1, 1, 0], 0b11, [0, 0b11, 0, 0]);
        assert_eq!(sampler.sample(&mut Rng::new(1)), None);
    }
}
