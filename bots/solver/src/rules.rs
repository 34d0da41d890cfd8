//! The games as data: contracts, bids and choices (`rows` reads them).
//!
//! Nothing here, or after it, asks for a contract's name: a name is only the key under which its row is found.

use crate::cards::Cards;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Condition {
    Leading,
    FirstTrick,
    Void,
    TrumpLed,
    OpponentsWinning,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Keep {
    FollowSuit,
    Overtrump,
    Trump,
    NoUndertrump,
    Cards(Cards),
}

/// Cards that a player must keep to where all conditions hold (or, with `false`, do not hold).
#[derive(Clone, Debug)]
pub struct Obligation {
    pub conditions: Vec<(Condition, bool)>,
    pub keep: Keep,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stop {
    Never,
    AtOnce,
    /// At the end of the trick in which the last of these cards was taken.
    Taken(Cards),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Settlement {
    /// Each scores what he counts, above what the owner and the others start with.
    Start { owner: i32, others: i32 },
    /// The makers score only if they have more than their opponents.
    Nat,
}

/// What becomes of a bonus in a trick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bonus {
    None,
    Auto,
    Choice,
}

/// One row. `beats`: by card, the cards that beat it; `height`: by card, its place in its suit, trumps above all;
/// `worth`: by card, points for taking it; `last`: points for each of so many last tricks; `class`: cards of equal
/// class and suit count the same and are bound alike.
#[derive(Clone, Debug)]
pub struct Contract {
    pub id: String,
    pub trump: Option<usize>,
    pub trumps: Cards,
    pub beats: [Cards; 52],
    pub height: [u8; 52],
    pub obligations: Vec<Obligation>,
    pub per_trick: i32,
    pub worth: [i32; 52],
    pub groups: Vec<(Cards, i32)>,
    pub last: Vec<(u8, i32)>,
    pub stop: Stop,
    pub settlement: Settlement,
    pub class: [u8; 52],
    pub natural: bool,
    /// What counts is better taken than not.
    pub positive: bool,
    /// By card, its place among all cards: by what it is worth and then by height; from the one best got rid of.
    pub low: [u8; 52],
    pub shed: [u8; 52],
}

/// `flat`, and `each` trick of the owner up to `most`: what a bid costs.
#[derive(Clone, Debug)]
pub struct Bid {
    pub action: u32,
    pub strength: i32,
    pub plus: bool,
    pub flat: i32,
    pub each: i32,
    pub most: i32,
    pub contract: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Leader {
    Declarer,
    AfterDeclarer,
    AfterDealer,
}

#[derive(Clone, Debug)]
pub struct Choice {
    pub action: u32,
    pub contract: usize,
    pub leader: Leader,
}

#[derive(Clone, Debug)]
pub struct Game {
    pub ruleset: String,
    pub options: Vec<(String, String)>,
    pub teams: [usize; 4],
    pub deck: Cards,
    pub hand_size: u8,
    pub bonus: Bonus,
    pub contracts: Vec<Contract>,
    pub actions: Vec<(u32, String)>,
    pub bids: Vec<Bid>,
    pub choices: Vec<Choice>,
}

impl Game {
    /// The row of a contract.
    pub fn contract(&self, id: &str) -> Option<usize> {
        self.contracts.iter().position(|row| row.id == id)
    }

    /// The text of an action that is no card; empty where there is none.
    pub fn text(&self, action: u32) -> &str {
        self.actions.iter().find(|(number, _)| *number == action).map_or("", |(_, text)| text)
    }

    /// The number of an action that is no card.
    pub fn action(&self, text: &str) -> Option<u32> {
        self.actions.iter().find(|(_, name)| name == text).map(|(number, _)| *number)
    }

    /// The seats of a seat's team, as bits.
    pub fn side(&self, seat: usize) -> u8 {
        (0..4).filter(|&other| self.teams[other] == self.teams[seat]).map(|other| 1 << other).sum()
    }
}

/// The game of a ruleset with these options (name and JSON value); options that it does not list are of no matter.
pub fn find<'a>(games: &'a [Game], ruleset: &str, options: &[(String, String)]) -> Option<&'a Game> {
    games.iter().find(|game| game.ruleset == ruleset && game.options.iter().all(|wanted| options.contains(wanted)))
}
