// Any legal action; the seed comes with the decision, so that the same match plays the same again.
package main

import "kingmakerbot/kingmaker"

func main() {
	kingmaker.Main("random", kingmaker.DecideFunc(func(o *kingmaker.Observation) kingmaker.Action {
		return o.Legal[o.Seed%uint64(len(o.Legal))]
	}))
}
