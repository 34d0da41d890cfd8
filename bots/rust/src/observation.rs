//! What a bot is told, under names that a bot author would look for.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::cards::CardSet;
use crate::pb;

/// A number of the ruleset's table of actions; those up to 51 are the cards.
pub type Action = u32;
/// A place at the table, from 0, clockwise.
pub type Seat = u32;

/// An action with the seat that took it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    pub seat: Seat,
    pub action: Action,
}

/// What sort of choice a decision is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Play,
    Bid,
    Answer,
    Reply,
    Choose,
    Claim,
    Turn,
    /// One that a later protocol has.
    Unknown,
}

/// What a bot did wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    Illegal,
    Malformed,
    Timeout,
    Disconnect,
    /// One that a later protocol has.
    Unknown,
}

/// The words behind a ruleset's numbers.
#[derive(Debug)]
pub struct Ruleset {
    pub id: String,
    pub version: u32,
    pub players: u32,
    /// By name, defaults included; the values are JSON: 0, true, null, "auto".
    pub options: BTreeMap<String, String>,
    /// The texts of the actions by their numbers.
    pub actions: Vec<String>,
    pub contracts: Vec<String>,
    numbers: HashMap<String, Action>,
}

/// One match, as this seat was told of it.
#[derive(Debug)]
pub struct Match {
    /// What this stream calls it, never used twice.
    pub number: u32,
    pub ruleset: Arc<Ruleset>,
    pub seat: Seat,
    /// The names by seat.
    pub players: Vec<String>,
    /// SHA-256 of the seed from which every deal follows.
    pub commitment: Vec<u8>,
    pub budget_ms: u32,
    pub bank_ms: u32,
    pub max_faults: u32,
}

/// How a match ended; totals, ranks (by seat) and seed are empty when it is void.
#[derive(Debug)]
pub struct MatchResult {
    pub match_id: String,
    pub totals: Vec<i32>,
    pub ranks: Vec<u32>,
    pub seed: Vec<u8>,
    pub forfeits: Vec<Seat>,
    /// Those of this seat.
    pub faults: Vec<Fault>,
    pub is_void: bool,
}

/// The names of the piles of a [`Layout`], in its order.
pub const PLACES: [&str; 8] = ["N", "E", "S", "W", "NE", "SE", "SW", "NW"];

/// The table of Kings in the Corner.
#[derive(Debug)]
pub struct Layout<'a> {
    /// In the order of [`PLACES`]; the cards of each from the bottom (highest) up.
    pub piles: [&'a [Action]; 8],
    pub stock: u32,
    pub hand_sizes: &'a [u32],
    /// The cards turned at the start onto N, E, S, W.
    pub turned: &'a [Action],
}

/// One decision with all that its seat may know.
#[derive(Debug)]
pub struct Observation {
    decision: pb::Decision,
    game: Arc<Match>,
}

impl Observation {
    pub(crate) fn new(decision: pb::Decision, game: Arc<Match>) -> Observation {
        Observation { decision, game }
    }

    /// The match: its seat, players, and ruleset with its options.
    pub fn game(&self) -> &Match {
        &self.game
    }

    /// Counts the decisions of this seat in this match, from 1.
    pub fn number(&self) -> u32 {
        self.decision.number
    }

    pub fn kind(&self) -> Kind {
        match self.decision.kind {
            1 => Kind::Play,
            2 => Kind::Bid,
            3 => Kind::Answer,
            4 => Kind::Reply,
            5 => Kind::Choose,
            6 => Kind::Claim,
            7 => Kind::Turn,
            _ => Kind::Unknown,
        }
    }

    /// The legal actions, ascending, never empty.
    pub fn legal(&self) -> &[Action] {
        &self.decision.legal
    }

    /// The deal's number in the match, from 1.
    pub fn deal(&self) -> u32 {
        self.decision.deal
    }

    /// The seat that dealt.
    pub fn dealer(&self) -> Seat {
        self.decision.dealer
    }

    /// The cards in hand.
    pub fn hand(&self) -> CardSet {
        CardSet(self.decision.hand)
    }

    /// The contract's name; none until it is known.
    pub fn contract(&self) -> Option<&str> {
        let index = self.decision.contract.checked_sub(1)?;
        self.game.ruleset.contracts.get(index as usize).map(String::as_str)
    }

    /// The seat that plays the deal; none where nobody does, or it is not known yet.
    pub fn declarer(&self) -> Option<Seat> {
        self.decision.declarer
    }

    /// All that every seat saw in this deal, in order.
    pub fn history(&self) -> impl ExactSizeIterator<Item = Move> {
        self.decision.seats.iter().zip(&self.decision.actions).map(|(&seat, &action)| Move { seat, action })
    }

    /// The cards now on the table, in order; empty when leading.
    pub fn trick(&self) -> impl ExactSizeIterator<Item = Move> {
        let history = self.history();
        let before = history.len().saturating_sub(self.decision.trick_size as usize);
        history.skip(before)
    }

    /// Tricks taken in this deal, by seat; empty where no tricks are played.
    pub fn tricks(&self) -> &[u32] {
        &self.decision.tricks
    }

    /// Points before this deal, by seat.
    pub fn totals(&self) -> &[i32] {
        &self.decision.totals
    }

    /// The table of Kings in the Corner; none in trick games.
    pub fn layout(&self) -> Option<Layout<'_>> {
        let layout = self.decision.layout.as_ref()?;
        let pile = |place: usize| layout.piles.get(place).map_or(&[][..], |pile| &pile.cards);
        let (hand_sizes, turned) = (&layout.hand_sizes, &layout.turned);
        Some(Layout { piles: std::array::from_fn(pile), stock: layout.stock, hand_sizes, turned })
    }

    /// Time for this decision before the bank is touched, in milliseconds.
    pub fn budget_ms(&self) -> u32 {
        self.decision.budget_ms
    }

    /// What is left of the match's bank, in milliseconds.
    pub fn bank_ms(&self) -> u32 {
        self.decision.bank_ms
    }

    /// What the previous decision was charged, in microseconds.
    pub fn charged_us(&self) -> u32 {
        self.decision.charged_us
    }

    /// The fault at the previous decision.
    pub fn last_fault(&self) -> Option<Fault> {
        (self.decision.last_fault != 0).then(|| fault(self.decision.last_fault))
    }

    /// For the bot's own randomness: with it alone, the same match plays the same again.
    pub fn seed(&self) -> u64 {
        self.decision.seed
    }

    /// The text of an action (KH, +3, trump:S:self, move:E:N); none where the ruleset has no such action.
    pub fn text(&self, action: Action) -> Option<&str> {
        self.game.ruleset.actions.get(action as usize).map(String::as_str).filter(|text| !text.is_empty())
    }

    /// The number of an action from its text.
    pub fn action(&self, text: &str) -> Option<Action> {
        self.game.ruleset.numbers.get(text).copied()
    }
}

impl From<pb::RulesetInfo> for Ruleset {
    fn from(info: pb::RulesetInfo) -> Ruleset {
        let texts = info.actions.iter().zip(0..).filter(|(text, _)| !text.is_empty());
        Ruleset {
            numbers: texts.map(|(text, number)| (text.clone(), number)).collect(),
            options: info.options.into_iter().map(|option| (option.name, option.value)).collect(),
            id: info.id,
            version: info.version,
            players: info.players,
            actions: info.actions,
            contracts: info.contracts,
        }
    }
}

impl Match {
    pub(crate) fn new(start: pb::MatchStart, ruleset: Arc<Ruleset>) -> Match {
        Match {
            number: start.r#match,
            ruleset,
            seat: start.seat,
            players: start.players,
            commitment: start.commitment,
            budget_ms: start.budget_ms,
            bank_ms: start.bank_ms,
            max_faults: start.max_faults,
        }
    }
}

impl From<pb::MatchEnd> for MatchResult {
    fn from(end: pb::MatchEnd) -> MatchResult {
        MatchResult {
            match_id: end.match_id,
            totals: end.totals,
            ranks: end.ranks,
            seed: end.seed,
            forfeits: end.forfeits,
            faults: end.faults.into_iter().map(fault).collect(),
            is_void: end.is_void,
        }
    }
}

fn fault(number: i32) -> Fault {
    match number {
        1 => Fault::Illegal,
        2 => Fault::Malformed,
        3 => Fault::Timeout,
        4 => Fault::Disconnect,
        _ => Fault::Unknown,
    }
}
