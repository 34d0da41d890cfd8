//! Cards and sets of them.

use std::fmt;
use std::str::FromStr;

use crate::Action;

const RANKS: &[u8; 13] = b"23456789TJQKA";
const SUITS: &[u8; 4] = b"CDHS";

/// A card, 13 * suit + rank: 0 is 2C, 51 is AS. Its number is also the action that plays it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Card(pub u8);

impl Card {
    /// C=0 D=1 H=2 S=3.
    pub fn suit(self) -> u8 {
        self.0 / 13
    }

    /// 2=0 to A=12.
    pub fn rank(self) -> u8 {
        self.0 % 13
    }
}

impl From<Card> for Action {
    fn from(card: Card) -> Action {
        Action::from(card.0)
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let suit = SUITS.get(usize::from(self.suit())).copied().unwrap_or(b'?');
        write!(f, "{}{}", char::from(RANKS[usize::from(self.rank())]), char::from(suit))
    }
}

impl FromStr for Card {
    type Err = String;

    /// Reads a text such as KH.
    fn from_str(text: &str) -> Result<Card, String> {
        let place = |letters: &[u8], letter: u8| letters.iter().position(|&known| known == letter);
        if let &[rank, suit] = text.as_bytes()
            && let (Some(rank), Some(suit)) = (place(RANKS, rank), place(SUITS, suit))
        {
            return Ok(Card((13 * suit + rank) as u8));
        }
        Err(format!("{text:?} is no card: a rank of 23456789TJQKA and a suit of CDHS, such as KH"))
    }
}

/// A set of cards: bit c is card c. Iterating gives the cards in ascending order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CardSet(pub u64);

impl CardSet {
    /// Whether the card is in the set.
    pub fn has(self, card: Card) -> bool {
        self.0 >> card.0 & 1 == 1
    }

    /// How many cards it holds.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether it holds none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Its cards of one suit.
    pub fn of_suit(self, suit: u8) -> CardSet {
        CardSet(self.0 & 0x1fff << (13 * suit))
    }
}

impl Iterator for CardSet {
    type Item = Card;

    fn next(&mut self) -> Option<Card> {
        let card = (self.0 != 0).then(|| Card(self.0.trailing_zeros() as u8));
        self.0 &= self.0.wrapping_sub(1);
        card
    }
}

impl FromIterator<Card> for CardSet {
    fn from_iter<I: IntoIterator<Item = Card>>(cards: I) -> CardSet {
        CardSet(cards.into_iter().fold(0, |set, card| set | 1 << card.0))
    }
}
