// What it does depends on every word that it is told: the conformance transcripts check by it that nothing is misread.
//
// Each text is hashed by FNV-1a of 64 bits, and that of a decision begins with the hash of what was heard of matches;
// the answer is the legal action at this number modulo their count. With KINGMAKER_WITNESS set it prints what it hears.
package main

import (
	"fmt"
	"os"

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

func main() {
	_, prints := os.LookupEnv("KINGMAKER_WITNESS")
	kingmaker.Main("witness", &witness{heard: 0xcbf29ce484222325, prints: prints})
}
