//! Cards are the numbers 0 to 51 (`13 * suit + rank`), sets of cards the masks with those bits.

pub type Card = u8;
pub type Cards = u64;

pub const RANKS: &str = "23456789TJQKA";

pub const SUITS: [Cards; 4] = [0x1FFF, 0x1FFF << 13, 0x1FFF << 26, 0x1FFF << 39];

/// The whole suit of a card.
#[inline]
pub fn suit_of(card: Card) -> Cards {
    SUITS[card as usize / 13]
}

#[inline]
pub fn bit(card: Card) -> Cards {
    1 << card
}

/// The lowest card of a set that is not empty.
#[inline]
pub fn lowest(cards: Cards) -> Card {
    cards.trailing_zeros() as Card
}

/// The cards of a set, ascending.
pub fn members(mut cards: Cards) -> impl Iterator<Item = Card> {
    std::iter::from_fn(move || {
        if cards == 0 {
            return None;
        }
        let card = lowest(cards);
        cards &= cards - 1;
        Some(card)
    })
}
