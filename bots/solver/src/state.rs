//! A deal in its tricks: what is legal, and what comes of a card. The state is copied for each move, never undone.

use crate::cards::{bit, suit_of, Card, Cards, SUITS};
use crate::rules::{Condition, Contract, Keep, Obligation, Settlement, Stop};

/// What stays the same while a deal is played. `teams`: by seat; `declarer`: who plays the deal, where somebody does;
/// `owner`: the dealer.
#[derive(Clone, Copy)]
pub struct Frame<'a> {
    pub contract: &'a Contract,
    pub teams: [usize; 4],
    pub size: u8,
    pub has_bonus: bool,
    pub owner: usize,
    pub declarer: usize,
}

/// `trick[..count]`: the cards on the table; `number`: of the trick, from 1; `points`: counted so far by seat, bonuses
/// included; `won`: tricks by seat; `bonus`: what the last trick holds beyond its cards, until it is settled.
#[derive(Clone, Copy, Debug)]
pub struct State {
    pub hands: [Cards; 4],
    pub trick: [Card; 4],
    pub count: u8,
    pub actor: u8,
    pub best: u8,
    pub number: u8,
    pub led: Cards,
    pub beating: Cards,
    pub points: [i32; 4],
    pub won: [u8; 4],
    pub bonus: i32,
}

impl State {
    pub fn new(hands: [Cards; 4], leader: usize) -> Self {
        State {
            hands,
            trick: [0; 4],
            count: 0,
            actor: leader as u8,
            best: leader as u8,
            number: 1,
            led: 0,
            beating: 0,
            points: [0; 4],
            won: [0; 4],
            bonus: 0,
        }
    }

    /// The legal cards of the seat to act.
    #[inline]
    pub fn legal(&self, frame: &Frame) -> Cards {
        let hand = self.hands[self.actor as usize];
        let mut legal = hand;
        for obligation in &frame.contract.obligations {
            let kept = legal & self.kept(frame.contract, obligation, hand);
            if kept != 0 {
                legal = kept;
            }
        }
        legal
    }

    /// The cards that would meet an obligation; 0 where it does not bind.
    #[inline]
    pub fn kept(&self, contract: &Contract, obligation: &Obligation, hand: Cards) -> Cards {
        for &(condition, wanted) in &obligation.conditions {
            let holds = match condition {
                Condition::Leading => self.led == 0,
                Condition::FirstTrick => self.number == 1,
                Condition::Void => self.led != 0 && hand & self.led == 0,
                Condition::TrumpLed => self.led != 0 && self.led == contract.trumps,
                Condition::OpponentsWinning => self.led != 0 && (self.best + 2) % 4 != self.actor,
            };
            if holds != wanted {
                return 0;
            }
        }
        match obligation.keep {
            Keep::FollowSuit => self.led,
            Keep::Overtrump => self.beating & contract.trumps,
            Keep::Trump => contract.trumps,
            Keep::NoUndertrump => !contract.trumps | self.beating,
            Keep::Cards(cards) => cards,
        }
    }

    /// Play a card of the seat to act. A trick that becomes full is counted; a bonus in it waits for `settle`.
    #[inline]
    pub fn play(&mut self, frame: &Frame, card: Card) {
        let seat = self.actor as usize;
        self.hands[seat] &= !bit(card);
        if self.led == 0 {
            self.led = suit_of(card);
            self.best = self.actor;
            self.beating = frame.contract.beats[card as usize];
        } else if self.beating & bit(card) != 0 {
            self.best = self.actor;
            self.beating = frame.contract.beats[card as usize];
        }
        self.trick[self.count as usize] = card;
        self.count += 1;
        if self.count == 4 {
            self.take(frame);
        } else {
            self.actor = (self.actor + 1) & 3;
        }
    }

    fn take(&mut self, frame: &Frame) {
        let contract = frame.contract;
        let winner = self.best as usize;
        let mut points = contract.per_trick;
        for &card in &self.trick {
            points += contract.worth[card as usize];
        }
        for &(how_many, each) in &contract.last {
            if self.number + how_many > frame.size {
                points += each;
            }
        }
        self.points[winner] += points;
        self.won[winner] += 1;
        if frame.has_bonus {
            self.bonus = bonus(&self.trick, contract.trumps);
        }
        self.actor = self.best;
        self.count = 0;
        self.led = 0;
        self.beating = 0;
        self.number += 1;
    }

    /// What becomes of the bonus: its taker is the seat to act.
    #[inline]
    pub fn settle(&mut self, claimed: bool) {
        if claimed {
            self.points[self.actor as usize] += self.bonus;
        }
        self.bonus = 0;
    }

    /// Nothing more is played; asked between tricks.
    #[inline]
    pub fn over(&self, frame: &Frame) -> bool {
        if self.number > frame.size {
            return true;
        }
        match frame.contract.stop {
            Stop::Never => false,
            Stop::AtOnce => true,
            Stop::Taken(cards) => self.live() & cards == 0,
        }
    }

    /// All cards that are still in hands.
    #[inline]
    pub fn live(&self) -> Cards {
        self.hands[0] | self.hands[1] | self.hands[2] | self.hands[3]
    }

    /// The scores by seat, payments not included.
    pub fn scores(&self, frame: &Frame) -> [i32; 4] {
        match frame.contract.settlement {
            Settlement::Start { owner, others } => {
                let mut scores = self.points;
                for (seat, score) in scores.iter_mut().enumerate() {
                    *score += if seat == frame.owner { owner } else { others };
                }
                scores
            }
            Settlement::Nat => self.made_or_nat(frame),
        }
    }

    fn made_or_nat(&self, frame: &Frame) -> [i32; 4] {
        let makers = frame.teams[frame.declarer];
        let (mut made, mut others, mut all) = (0, 0, true);
        for seat in 0..4 {
            if frame.teams[seat] == makers {
                made += self.points[seat];
            } else {
                others += self.points[seat];
                all &= self.won[seat] == 0;
            }
        }
        if made <= others {
            others += made;
            made = 0;
        } else if all {
            made += 100;
        }
        frame.teams.map(|team| if team == makers { made } else { others })
    }
}

const KINGS_AND_QUEENS: [usize; 2] = [10, 11];

/// The bonus in the four cards of a trick: a run, four alike, king and queen of trump (rules/klaverjas.md).
pub fn bonus(trick: &[Card; 4], trumps: Cards) -> i32 {
    let cards = trick.iter().fold(0, |set, &card| set | bit(card));
    let runs = (cards & cards >> 1 & cards >> 2).count_ones();
    let mut points = [0, 20, 50][runs.min(2) as usize];
    let rank = trick[0] % 13;
    if runs == 0 && trick.iter().all(|card| card % 13 == rank) {
        points = if rank == 9 { 200 } else { 100 };
    }
    for suit in SUITS {
        let marriage = (bit(suit.trailing_zeros() as Card) << KINGS_AND_QUEENS[0]) | (bit(suit.trailing_zeros() as Card) << KINGS_AND_QUEENS[1]);
        if suit == trumps && cards & marriage == marriage {
            points += 20;
        }
    }
    points
}
