package kingmaker

import (
	"fmt"
	"math/bits"
	"strings"
)

// A Card is 13*suit + rank: 0 is 2C, 51 is AS. As an Action it is the play of this card.
type Card uint8

// The suits, and the ranks that have names.
const (
	Clubs = iota
	Diamonds
	Hearts
	Spades

	Jack  = 9
	Queen = 10
	King  = 11
	Ace   = 12

	ranks = "23456789TJQKA"
	suits = "CDHS"
)

// Suit is Clubs (0) to Spades (3).
func (c Card) Suit() int { return int(c) / 13 }

// Rank is 0 for a two to 12 for an ace.
func (c Card) Rank() int { return int(c) % 13 }

// String is the card's text, such as KH.
func (c Card) String() string {
	if c > 51 {
		return fmt.Sprintf("Card(%d)", uint8(c))
	}
	return string([]byte{ranks[c.Rank()], suits[c.Suit()]})
}

// ParseCard reads a text such as KH.
func ParseCard(text string) (Card, error) {
	if len(text) == 2 {
		rank, suit := strings.IndexByte(ranks, text[0]), strings.IndexByte(suits, text[1])
		if rank >= 0 && suit >= 0 {
			return Card(13*suit + rank), nil
		}
	}
	return 0, fmt.Errorf("%q is no card: a rank of %s and a suit of %s, such as KH", text, ranks, suits)
}

// A CardSet holds card c if bit c is set.
type CardSet uint64

// Set is the set of some cards.
func Set(cards ...Card) CardSet {
	var set CardSet
	for _, card := range cards {
		set |= 1 << card
	}
	return set
}

// Has tells whether the card is in the set.
func (s CardSet) Has(card Card) bool { return s>>card&1 == 1 }

// Len is the number of cards.
func (s CardSet) Len() int { return bits.OnesCount64(uint64(s)) }

// OfSuit is the part of the set in one suit.
func (s CardSet) OfSuit(suit int) CardSet { return s & (0x1fff << (13 * suit)) }

// Cards are the cards in ascending order.
func (s CardSet) Cards() []Card {
	cards := make([]Card, 0, s.Len())
	for ; s != 0; s &= s - 1 {
		cards = append(cards, Card(bits.TrailingZeros64(uint64(s))))
	}
	return cards
}
