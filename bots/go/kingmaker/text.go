package kingmaker

import (
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// String is everything in one line, the same in every language's SDK: the conformance transcripts hold them to it.
func (o *Observation) String() string {
	ruleset := o.Match.Ruleset
	options := ""
	for _, name := range slices.Sorted(maps.Keys(ruleset.Options)) {
		options += fmt.Sprintf(" %s=%s", name, ruleset.Options[name])
	}
	declarer := "-"
	if seat, known := o.Declarer(); known {
		declarer = fmt.Sprint(seat)
	}
	return strings.Join([]string{
		ruleset.ID + options,
		fmt.Sprintf("match %d of %s seat %d", o.Match.Number, strings.Join(o.Match.Players, ","), o.Match.Seat),
		fmt.Sprintf("decision %d %s", o.Number, o.Kind),
		fmt.Sprintf("deal %d dealer %d contract %s declarer %s", o.Deal, o.Dealer, orDash(o.Contract), declarer),
		"hand" + list(o.Hand.Cards(), func(card Card) string { return o.Text(Action(card)) }),
		"trick" + list(o.Trick(), o.moveText),
		"history" + list(o.History(), o.moveText),
		"tricks" + plain(o.Tricks),
		"totals" + plain(o.Totals),
		"layout " + o.layoutText(),
		fmt.Sprintf("time %d %d %d", o.BudgetMs, o.BankMs, o.ChargedUs),
		"fault " + orDash(o.LastFault),
		fmt.Sprintf("seed %d", o.Seed),
		"legal" + list(o.Legal, o.Text),
	}, "; ")
}

func (o *Observation) moveText(move Move) string {
	return fmt.Sprintf("%d:%s", move.Seat, o.Text(move.Action))
}

func (o *Observation) layoutText() string {
	layout := o.Layout()
	if layout == nil {
		return "-"
	}
	text := ""
	for i, cards := range layout.Piles {
		text += Places[i] + "=" + strings.ReplaceAll(strings.TrimSpace(list(cards, o.Text)), " ", ",") + " "
	}
	return fmt.Sprintf("%sstock %d hands%s turned%s", text, layout.Stock, plain(layout.HandSizes), list(layout.Turned, o.Text))
}

func (m *Match) String() string {
	return fmt.Sprintf("match %d %s version %d of %s seat %d commitment %s time %d %d faults %d",
		m.Number, m.Ruleset.ID, m.Ruleset.Version, strings.Join(m.Players, ","), m.Seat,
		orDash(hex.EncodeToString(m.Commitment)), m.BudgetMs, m.BankMs, m.MaxFaults)
}

func (r *Result) String() string {
	void := map[bool]string{false: "no", true: "yes"}[r.Void]
	return fmt.Sprintf("result %s totals%s ranks%s seed %s forfeits%s faults%s void %s",
		orDash(r.MatchID), plain(r.Totals), plain(r.Ranks), orDash(hex.EncodeToString(r.Seed)),
		plain(r.Forfeits), plain(r.Faults), void)
}

// list has a space before each thing.
func list[T any](things []T, text func(T) string) string {
	var b strings.Builder
	for _, thing := range things {
		b.WriteByte(' ')
		b.WriteString(text(thing))
	}
	return b.String()
}

func plain[T any](things []T) string {
	return list(things, func(thing T) string { return fmt.Sprint(thing) })
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
