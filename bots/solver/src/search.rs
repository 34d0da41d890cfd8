//! Alpha-beta over a deal whose cards are all known: one side against all the others.
//!
//! A side is a team, or one seat where each plays for himself; then the others are taken to play against it together, which
//! is what can be solved; how a bot plays such a game is in `selfish`. Positions are kept between tricks, by the order of the cards that are left: two that
//! differ only by cards that are gone are the same.

use crate::cards::{bit, members, Card, Cards, SUITS};
use crate::limit::Limit;
use crate::playout::play_out;
use crate::rules::Settlement;
use crate::state::{Frame, State};

const INFINITE: i32 = 1 << 24;
/// As deep as any deal: nothing is cut off.
pub const TO_THE_END: u8 = 13;

#[derive(Clone, Copy, PartialEq)]
enum Known {
    Nothing,
    Exactly,
    AtLeast,
    AtMost,
}

#[derive(Clone, Copy)]
struct Entry {
    key: u64,
    value: i32,
    known: Known,
    best: Card,
}

/// Positions that were searched, for any number of searches one after the other.
pub struct Memory {
    entries: Vec<Entry>,
    searches: u64,
}

impl Memory {
    /// Room for 2 to the power of `bits` positions.
    pub fn new(bits: u32) -> Self {
        let empty = Entry { key: 0, value: 0, known: Known::Nothing, best: 0 };
        Memory { entries: vec![empty; 1 << bits], searches: 0 }
    }
}

/// `side`: the seats for which the value is as high as can be, as bits; `claims`: a bonus may be left.
pub struct Search<'a> {
    frame: Frame<'a>,
    side: u8,
    claims: bool,
    is_nat: bool,
    first: usize,
    salt: u64,
    memory: &'a mut Memory,
    pub limit: &'a mut Limit,
}

impl<'a> Search<'a> {
    pub fn new(frame: Frame<'a>, side: u8, claims: bool, memory: &'a mut Memory, limit: &'a mut Limit) -> Self {
        memory.searches += 1;
        let salt = memory.searches.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let is_nat = frame.contract.settlement == Settlement::Nat;
        Search { frame, side, claims, is_nat, first: side.trailing_zeros() as usize, salt, memory, limit }
    }

    /// What the side scores (less what the other side does, where there are two) with best play on both sides.
    ///
    /// After so many more tricks (`depth`) the rest is played out by rules of thumb. When the limit is reached the
    /// value means nothing.
    pub fn value(&mut self, state: &State, depth: u8) -> i32 {
        self.go_on(state, -INFINITE, INFINITE, depth)
    }

    /// The value after a card of the seat to act.
    pub fn after(&mut self, state: &State, card: Card, depth: u8) -> i32 {
        let mut next = *state;
        next.play(&self.frame, card);
        self.value(&next, depth)
    }

    /// The value of a deal that is over.
    pub fn settled(&self, state: &State) -> i32 {
        let scores = state.scores(&self.frame);
        let other = (0..4).find(|seat| self.side >> seat & 1 == 0);
        match other {
            Some(other) if self.is_nat => scores[self.first] - scores[other],
            _ => scores[self.first],
        }
    }

    fn go_on(&mut self, state: &State, alpha: i32, beta: i32, depth: u8) -> i32 {
        if state.bonus != 0 {
            self.claim(state, alpha, beta, depth)
        } else if state.count == 0 {
            self.between(state, alpha, beta, depth)
        } else {
            self.choose(state, alpha, beta, depth, u8::MAX).0
        }
    }

    /// The winner of a trick claims its bonus or leaves it. Only makers who fail gain by leaving one.
    fn claim(&mut self, state: &State, alpha: i32, beta: i32, depth: u8) -> i32 {
        let mut claimed = *state;
        claimed.settle(true);
        let value = self.between(&claimed, alpha, beta, depth);
        let winner = state.actor as usize;
        if !self.claims || self.frame.teams[winner] != self.frame.teams[self.frame.declarer] {
            return value;
        }
        let mut left = *state;
        left.settle(false);
        if self.side >> winner & 1 == 1 {
            if value >= beta { value } else { value.max(self.between(&left, alpha.max(value), beta, depth)) }
        } else if value <= alpha {
            value
        } else {
            value.min(self.between(&left, alpha, beta.min(value), depth))
        }
    }

    fn between(&mut self, state: &State, mut alpha: i32, mut beta: i32, depth: u8) -> i32 {
        self.limit.count();
        if self.limit.is_over {
            return 0;
        }
        if state.over(&self.frame) {
            return self.settled(state);
        }
        let base = if self.is_nat { 0 } else { self.settled(state) };
        if !self.is_nat {
            let (least, most) = self.still_open(state);
            if least == most || base + least >= beta {
                return base + least;
            }
            if base + most <= alpha {
                return base + most;
            }
            alpha = alpha.max(base + least - 1);
            beta = beta.min(base + most + 1);
        }
        let left = self.frame.size - state.number + 1;
        let depth = depth.min(left);
        if depth == 0 || (left == 1 && !self.claims) {
            self.limit.nodes += u64::from(left);
            return self.settled(&play_out(&self.frame, state));
        }
        let key = self.key(state, depth);
        let place = key as usize & (self.memory.entries.len() - 1);
        let entry = self.memory.entries[place];
        let mut hint = u8::MAX;
        if entry.key == key {
            let value = entry.value + base;
            match entry.known {
                Known::Exactly => return value,
                Known::AtLeast if value >= beta => return value,
                Known::AtMost if value <= alpha => return value,
                _ => hint = entry.best,
            }
        }
        let (value, best) = self.choose(state, alpha, beta, depth - 1, hint);
        if self.limit.is_over {
            return 0;
        }
        let known = match value {
            v if v >= beta => Known::AtLeast,
            v if v <= alpha => Known::AtMost,
            _ => Known::Exactly,
        };
        self.memory.entries[place] = Entry { key, value: value - base, known, best };
        value
    }

    /// The value of a position in which a card is to be played, and the best card.
    fn choose(&mut self, state: &State, mut alpha: i32, mut beta: i32, depth: u8, hint: Card) -> (i32, Card) {
        let legal = self.distinct(state, state.legal(&self.frame));
        let mut moves = [(0i32, 0 as Card); 13];
        let count = self.order(state, legal, hint, &mut moves);
        let maximise = self.side >> state.actor & 1 == 1;
        let (mut best, mut best_card) = (if maximise { -INFINITE } else { INFINITE }, moves[0].1);
        for &(_, card) in &moves[..count] {
            let mut next = *state;
            next.play(&self.frame, card);
            let value = self.go_on(&next, alpha, beta, depth);
            if self.limit.is_over {
                return (0, best_card);
            }
            if if maximise { value > best } else { value < best } {
                (best, best_card) = (value, card);
            }
            if maximise {
                alpha = alpha.max(value);
            } else {
                beta = beta.min(value);
            }
            if alpha >= beta {
                break;
            }
        }
        (best, best_card)
    }

    /// The least and the most that the side can still count.
    fn still_open(&self, state: &State) -> (i32, i32) {
        let contract = self.frame.contract;
        let (mut least, mut most) = (0, 0);
        let mut add = |points: i32| {
            least += points.min(0);
            most += points.max(0);
        };
        let tricks = i32::from(self.frame.size - state.number) + 1;
        add(contract.per_trick * tricks);
        let live = state.live();
        for &(cards, worth) in &contract.groups {
            add(worth * (live & cards).count_ones() as i32);
        }
        for &(how_many, each) in &contract.last {
            add(each * tricks.min(i32::from(how_many)));
        }
        (least, most)
    }

    /// One card of each group that does the same.
    fn distinct(&self, state: &State, legal: Cards) -> Cards {
        if self.frame.has_bonus || !self.frame.contract.natural || legal & (legal - 1) == 0 {
            return legal;
        }
        let mut others = state.live() & !state.hands[state.actor as usize];
        for &card in &state.trick[..state.count as usize] {
            others |= bit(card);
        }
        alike(legal, others, &self.frame.contract.class)
    }

    /// Sort the moves, the most promising first; returns how many there are.
    fn order(&self, state: &State, legal: Cards, hint: Card, moves: &mut [(i32, Card); 13]) -> usize {
        let contract = self.frame.contract;
        let mover = self.side >> state.actor & 1;
        let ours = state.count > 0 && self.side >> state.best & 1 == mover;
        let opponents = (0..4).filter(|seat| self.side >> seat & 1 != mover).fold(0, |set, seat| set | state.hands[seat]);
        let mut count = 0;
        for card in members(legal) {
            let height = i32::from(contract.height[card as usize]);
            let worth = contract.worth[card as usize];
            let wins = state.beating & bit(card) != 0;
            let sure = contract.beats[card as usize] & opponents == 0;
            let mut score = match (contract.positive, state.count) {
                (true, 0) => if sure { 100 + height } else { -height - worth },
                (true, _) if ours => 2 * worth - height - if wins { 20 } else { 0 },
                (true, last) => match (wins, sure || last == 3) {
                    (true, true) => 200 - height,
                    (true, false) => 50 - height,
                    (false, _) => -height - 2 * worth,
                },
                (false, 0) => if sure { -100 - height } else { -height },
                (false, _) if !wins => 100 + height - worth,
                (false, last) => if last == 3 { height } else { -height },
            };
            if card == hint {
                score = 1000;
            }
            let mut place = count;
            while place > 0 && moves[place - 1].0 < score {
                moves[place] = moves[place - 1];
                place -= 1;
            }
            moves[place] = (score, card);
            count += 1;
        }
        count
    }

    /// A number for the position: who holds what, by the order of the cards that are left.
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
        if self.is_nat {
            let (mut sums, mut won) = ([0u64; 2], [0u64; 2]);
            for seat in 0..4 {
                let side = usize::from(self.side >> seat & 1);
                sums[side] += state.points[seat as usize] as u64;
                won[side] |= u64::from(state.won[seat as usize] > 0);
            }
            key = (key ^ sums[0] ^ sums[1] << 16 ^ won[0] << 32 ^ won[1] << 33).wrapping_mul(FACTOR);
            key ^= key >> 32;
        }
        key.wrapping_mul(FACTOR)
    }
}

/// One card of each group of neighbours in a suit of equal class, between which no other player has a card.
pub fn alike(legal: Cards, others: Cards, class: &[u8; 52]) -> Cards {
    let mut kept = 0;
    let mut last: Option<Card> = None;
    for card in members(legal) {
        let same = last.is_some_and(|low| {
            let between = (bit(card) - 1) & !((bit(low) << 1) - 1);
            low / 13 == card / 13 && class[low as usize] == class[card as usize] && between & others == 0
        });
        if !same {
            kept |= bit(card);
        }
        last = Some(card);
    }
    kept
}
