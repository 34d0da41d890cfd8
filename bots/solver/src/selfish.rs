//! Search for games where each plays for himself: everybody takes what is best for himself alone (max^n).
//!
//! The values of such a search cannot be bounded as those of two sides can, so it goes less deep; but it takes the others
//! for what they are. After so many tricks (`depth`) the rest is played out by rules of thumb, as it is where equal choices
//! leave it open what a player does.

use crate::cards::{bit, members, Card, Cards, SUITS};
use crate::limit::Limit;
use crate::playout::{play_out, thumb};
use crate::search::alike;
use crate::state::{Frame, State};

type Points = [i32; 4];

#[derive(Clone, Copy)]
struct Entry {
    key: u64,
    points: Points,
}

/// Positions that were searched, for any number of searches one after the other.
pub struct Table {
    entries: Vec<Entry>,
    searches: u64,
}

impl Table {
    /// Room for 2 to the power of `bits` positions.
    pub fn new(bits: u32) -> Self {
        Table { entries: vec![Entry { key: 0, points: [0; 4] }; 1 << bits], searches: 0 }
    }
}

pub struct Selfish<'a> {
    frame: Frame<'a>,
    salt: u64,
    table: &'a mut Table,
    pub limit: &'a mut Limit,
}

impl<'a> Selfish<'a> {
    pub fn new(frame: Frame<'a>, table: &'a mut Table, limit: &'a mut Limit) -> Self {
        table.searches += 1;
        let salt = table.searches.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        Selfish { frame, salt, table, limit }
    }

    /// Points by seat after a card of the seat to act. When the limit is reached they mean nothing.
    pub fn after(&mut self, state: &State, card: Card, depth: u8) -> Points {
        let mut next = *state;
        next.play(&self.frame, card);
        if next.count == 0 { self.between(&next, depth) } else { self.choose(&next, depth) }
    }

    fn between(&mut self, state: &State, depth: u8) -> Points {
        self.limit.count();
        if self.limit.is_over || state.over(&self.frame) {
            return state.points;
        }
        let left = self.frame.size - state.number + 1;
        let depth = depth.min(left);
        if depth == 0 || left == 1 {
            self.limit.nodes += u64::from(left);
            return play_out(&self.frame, state).points;
        }
        let key = self.key(state, depth);
        let place = key as usize & (self.table.entries.len() - 1);
        if self.table.entries[place].key == key {
            return sum(self.table.entries[place].points, state.points, 1);
        }
        let points = self.choose(state, depth - 1);
        self.table.entries[place] = Entry { key, points: sum(points, state.points, -1) };
        points
    }

    fn choose(&mut self, state: &State, depth: u8) -> Points {
        let legal = state.legal(&self.frame);
        if legal & (legal - 1) == 0 {
            return self.after(state, legal.trailing_zeros() as Card, depth);
        }
        let seat = state.actor as usize;
        let usual = thumb(&self.frame, state, legal);
        let mut best = self.after(state, usual, depth);
        let most = state.points[seat] + self.most_open(state);
        for card in members(self.distinct(state, legal) & !bit(usual)) {
            if best[seat] >= most || self.limit.is_over {
                break;
            }
            let points = self.after(state, card, depth);
            if points[seat] > best[seat] {
                best = points;
            }
        }
        best
    }

    /// The most that a seat can still count.
    fn most_open(&self, state: &State) -> i32 {
        let contract = self.frame.contract;
        let tricks = i32::from(self.frame.size - state.number) + 1;
        let mut open = state.live();
        for &card in &state.trick[..state.count as usize] {
            open |= bit(card);
        }
        let cards: i32 = contract.groups.iter().map(|&(cards, worth)| (worth * (open & cards).count_ones() as i32).max(0)).sum();
        let last: i32 = contract.last.iter().map(|&(how_many, each)| (each * tricks.min(i32::from(how_many))).max(0)).sum();
        (contract.per_trick * tricks).max(0) + cards + last
    }

    fn distinct(&self, state: &State, legal: Cards) -> Cards {
        if !self.frame.contract.natural {
            return legal;
        }
        let mut others = state.live() & !state.hands[state.actor as usize];
        for &card in &state.trick[..state.count as usize] {
            others |= bit(card);
        }
        alike(legal, others, &self.frame.contract.class)
    }

    fn key(&self, state: &State, depth: u8) -> u64 {
        const FACTOR: u64 = 0xD6E8_FEB8_6659_FD93;
        let class = &self.frame.contract.class;
        let mut key = self.salt ^ u64::from(state.actor) ^ u64::from(depth) << 8;
        let live = state.live();
        for suit in SUITS {
            key = (key ^ 0xFFFF).wrapping_mul(FACTOR);
            for card in members(live & suit) {
                let owner = (state.hands[1] >> card & 1) + 2 * (state.hands[2] >> card & 1) + 3 * (state.hands[3] >> card & 1);
                key = (key ^ owner ^ u64::from(class[card as usize]) << 2).wrapping_mul(FACTOR);
                key ^= key >> 32;
            }
        }
        key.wrapping_mul(FACTOR)
    }
}

fn sum(points: Points, other: Points, sign: i32) -> Points {
    std::array::from_fn(|seat| points[seat] + sign * other[seat])
}
