//! A decision as one seat sees it, and what follows from what was played.

use crate::cards::{bit, suit_of, Card, Cards};
use crate::rules::{Bonus, Contract, Game};
use crate::state::{Frame, State};

/// `actions` and `seats`: all that was done in the deal; `legal`: the actions to choose from.
#[derive(Clone, Debug)]
pub struct View<'a> {
    pub game: &'a Game,
    pub seat: usize,
    pub dealer: usize,
    pub hand: Cards,
    pub contract: Option<usize>,
    pub declarer: Option<usize>,
    pub kind: String,
    pub actions: Vec<u32>,
    pub seats: Vec<usize>,
    pub legal: Vec<u32>,
    pub budget_ms: u64,
    pub bank_ms: u64,
    pub seed: u64,
    pub nodes: Option<u64>,
}

impl<'a> View<'a> {
    /// What stays the same while a contract is played by a declarer.
    pub fn frame(&self, contract: usize, declarer: usize) -> Frame<'a> {
        Frame {
            contract: &self.game.contracts[contract],
            teams: self.game.teams,
            size: self.game.hand_size,
            has_bonus: self.game.bonus != Bonus::None,
            owner: self.dealer,
            declarer,
        }
    }

    /// The frame of the contract that is played now.
    pub fn current(&self) -> Option<Frame<'a>> {
        Some(self.frame(self.contract?, self.declarer.unwrap_or(self.dealer)))
    }

    /// The cards played, with their seats.
    pub fn plays(&self) -> impl Iterator<Item = (usize, Card)> + '_ {
        self.seats.iter().zip(&self.actions).filter(|(_, &action)| action < 52).map(|(&seat, &card)| (seat, card as Card))
    }

    /// By seat, all cards of the suits that it did not follow.
    pub fn void(&self) -> [Cards; 4] {
        let (mut void, mut led) = ([0; 4], 0);
        for (place, (seat, card)) in self.plays().enumerate() {
            if place % 4 == 0 {
                led = suit_of(card);
            } else if led & bit(card) == 0 {
                void[seat] |= led;
            }
        }
        void
    }

    /// Play what was played on these hands; by seat, the cards that it has shown not to hold.
    pub fn replay(&self, frame: &Frame, hands: [Cards; 4]) -> (State, [Cards; 4]) {
        let mut lacking = [0; 4];
        let leader = self.plays().next().map_or(self.seat, |(seat, _)| seat);
        let mut state = State::new(hands, leader);
        let claim = self.game.action("claim");
        for (&seat, &action) in self.seats.iter().zip(&self.actions) {
            if action < 52 {
                lacking[seat] |= shown_by(frame.contract, &state, action as Card);
                state.play(frame, action as Card);
                if self.game.bonus == Bonus::Auto {
                    state.settle(true);
                }
            } else if state.bonus != 0 {
                state.settle(Some(action) == claim);
            }
        }
        (state, lacking)
    }
}

/// The cards that the seat to act cannot hold if it may play this one: those that would have met an obligation which
/// the card does not meet.
fn shown_by(contract: &Contract, state: &State, card: Card) -> Cards {
    let (mut kept, mut lacking) = (Cards::MAX, 0);
    for obligation in &contract.obligations {
        let keep = state.kept(contract, obligation, bit(card));
        if keep & bit(card) != 0 {
            kept &= keep;
        } else {
            lacking |= kept & keep;
        }
    }
    lacking
}
