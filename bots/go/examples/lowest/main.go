// The lowest legal action, always.
package main

import "kingmakerbot/kingmaker"

func main() {
	kingmaker.Main("lowest", kingmaker.DecideFunc(func(o *kingmaker.Observation) kingmaker.Action { return o.Legal[0] }))
}
