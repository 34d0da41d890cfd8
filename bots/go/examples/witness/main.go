// What it does depends on every word that it is told: the conformance transcripts check by it that nothing is misread.
//
// Each text is hashed by FNV-1a of 64 bits, and that of a decision begins with the hash of what was heard of matches;
// the answer is the legal action at this number modulo their count. With KINGMAKER_WITNESS set it prints what it hears.
// First of all it checks the helpers for cards.
package main

import (
	"fmt"
	"log"
	"os"
	"slices"

	"kingmakerbot/kingmaker"
)

type witness struct {
	heard  uint64
	prints bool
}

func (w *witness) MatchStart(match *kingmaker.Match) { w.heard = w.listen(match) }

func (w *witness) MatchEnd(_ *kingmaker.Match, result *kingmaker.Result) { w.heard = w.listen(result) }

func (w *witness) Decide(o *kingmaker.Observation) kingmaker.Action {
	return o.Legal[w.listen(o)%uint64(len(o.Legal))]
}

func (w *witness) listen(told fmt.Stringer) uint64 {
	text, hash := told.String(), w.heard
	if w.prints {
		fmt.Fprintln(os.Stderr, text)
	}
	for i := range len(text) {
		hash = (hash ^ uint64(text[i])) * 0x100000001b3
	}
	return hash
}

func checkCards() {
	all := make([]kingmaker.Card, 52)
	for number := range all {
		card, err := kingmaker.ParseCard(kingmaker.Card(number).String())
		if err != nil || int(card) != number {
			log.Panic(card, err)
		}
		all[number] = card
	}
	set := kingmaker.Set(all...)
	if set.Len() != 52 || !set.Has(51) || !slices.Equal(set.OfSuit(kingmaker.Hearts).Cards(), all[26:39]) {
		log.Panic(set)
	}
	if all[0].String() != "2C" || all[51].String() != "AS" || all[51].Suit() != kingmaker.Spades || all[51].Rank() != kingmaker.Ace {
		log.Panic(all)
	}
}

func main() {
	checkCards()
	_, prints := os.LookupEnv("KINGMAKER_WITNESS")
	kingmaker.Main("witness", &witness{heard: 0xcbf29ce484222325, prints: prints})
}
