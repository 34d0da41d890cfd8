package kingmaker

import (
	"strconv"

	pb "kingmakerbot/kingmaker/internal/refereev1"
)

// An Action is a number of the ruleset's table of actions; those up to 51 are the cards.
type Action = uint32

// A Seat is a place at the table, from 0, clockwise.
type Seat = uint32

// A Move is an action with the seat that took it.
type Move struct {
	Seat   Seat
	Action Action
}

// A Ruleset has the words behind a ruleset's numbers.
type Ruleset struct {
	ID      string
	Version uint32
	Players int
	// Options by name, defaults included; the values are JSON: 0, true, null, "auto".
	Options map[string]string
	// Actions are the texts of the actions by their numbers.
	Actions   []string
	Contracts []string
	numbers   map[string]Action
}

// A Match is one match as this seat was told of it.
type Match struct {
	// Number is what this stream calls it, never used twice.
	Number  uint32
	Ruleset *Ruleset
	Seat    Seat
	// Players are the names by seat.
	Players []string
	// Commitment is the SHA-256 of the seed from which every deal follows.
	Commitment       []byte
	BudgetMs, BankMs uint32
	MaxFaults        uint32
}

// A Result tells how a match ended. Totals and Ranks (by seat) and Seed are empty when it is void.
type Result struct {
	MatchID  string
	Totals   []int32
	Ranks    []uint32
	Seed     []byte
	Forfeits []Seat
	// Faults of this seat: illegal, malformed, timeout, disconnect.
	Faults []string
	Void   bool
}

// A Layout is the table of Kings in the Corner.
type Layout struct {
	// Piles in the order of Places; the cards of each from the bottom (highest) up.
	Piles     [][]uint32
	Stock     uint32
	HandSizes []uint32
	// Turned are the cards turned at the start onto N, E, S, W.
	Turned []uint32
}

// Places names the piles of a Layout.
var Places = [...]string{"N", "E", "S", "W", "NE", "SE", "SW", "NW"}

// Observation is one decision with all that its seat may know.
type Observation struct {
	Match *Match
	// Number counts the decisions of this seat in this match, from 1.
	Number uint32
	// Kind is play, bid, answer, reply, choose, claim or turn.
	Kind string
	// Legal are the legal actions, ascending, never empty.
	Legal []Action
	// Deal is the deal's number in the match, from 1; Dealer the seat that dealt.
	Deal   uint32
	Dealer Seat
	Hand   CardSet
	// Contract is the contract's name, empty until it is known.
	Contract string
	// Tricks taken in this deal, by seat; empty where no tricks are played.
	Tricks []uint32
	// Totals are the points before this deal, by seat.
	Totals []int32
	// BudgetMs is the time for this decision before the bank is touched, BankMs what is left of the bank.
	BudgetMs, BankMs uint32
	// ChargedUs is what the previous decision was charged, in microseconds.
	ChargedUs uint32
	// LastFault is the fault at the previous decision, empty for none.
	LastFault string
	// Seed is for the bot's own randomness: with it alone, the same match plays the same again.
	Seed uint64

	decision *pb.Decision
}

var kinds = map[pb.DecisionKind]string{1: "play", 2: "bid", 3: "answer", 4: "reply", 5: "choose", 6: "claim", 7: "turn"}

var faults = [...]string{"", "illegal", "malformed", "timeout", "disconnect"}

// Declarer is the seat that plays the deal; false where nobody does, or it is not known yet.
func (o *Observation) Declarer() (Seat, bool) {
	return o.decision.GetDeclarer(), o.decision.Declarer != nil
}

// History is all that every seat saw in this deal, in order.
func (o *Observation) History() []Move {
	actions, seats := o.decision.GetActions(), o.decision.GetSeats()
	moves := make([]Move, len(actions))
	for i, action := range actions {
		moves[i] = Move{seats[i], action}
	}
	return moves
}

// Trick is the cards now on the table, in order; empty when leading.
func (o *Observation) Trick() []Move {
	history := o.History()
	return history[len(history)-int(o.decision.GetTrickSize()):]
}

// Layout is the table of Kings in the Corner; nil in trick games.
func (o *Observation) Layout() *Layout {
	layout := o.decision.GetLayout()
	if layout == nil {
		return nil
	}
	piles := make([][]uint32, len(Places))
	for i, pile := range layout.GetPiles() {
		if i < len(piles) {
			piles[i] = pile.GetCards()
		}
	}
	return &Layout{piles, layout.GetStock(), layout.GetHandSizes(), layout.GetTurned()}
}

// Text is the text of an action (KH, +3, trump:S:self, move:E:N), or its number where the ruleset has none for it.
func (o *Observation) Text(action Action) string {
	actions := o.Match.Ruleset.Actions
	if int64(action) < int64(len(actions)) && actions[action] != "" {
		return actions[action]
	}
	return strconv.FormatUint(uint64(action), 10)
}

// Action is the number of an action from its text; false if the ruleset has no such action.
func (o *Observation) Action(text string) (Action, bool) {
	action, found := o.Match.Ruleset.numbers[text]
	return action, found
}

func newObservation(decision *pb.Decision, match *Match) *Observation {
	o := &Observation{
		Match: match, Number: decision.GetNumber(), Kind: kinds[decision.GetKind()], Legal: decision.GetLegal(),
		Deal: decision.GetDeal(), Dealer: decision.GetDealer(), Hand: CardSet(decision.GetHand()),
		Tricks: decision.GetTricks(), Totals: decision.GetTotals(),
		BudgetMs: decision.GetBudgetMs(), BankMs: decision.GetBankMs(), ChargedUs: decision.GetChargedUs(),
		LastFault: faultName(decision.GetLastFault()), Seed: decision.GetSeed(), decision: decision,
	}
	if o.Kind == "" {
		o.Kind = "unknown"
	}
	if contract := int(decision.GetContract()); contract > 0 && contract <= len(match.Ruleset.Contracts) {
		o.Contract = match.Ruleset.Contracts[contract-1]
	}
	return o
}

func newRuleset(info *pb.RulesetInfo) *Ruleset {
	ruleset := &Ruleset{
		ID: info.GetId(), Version: info.GetVersion(), Players: int(info.GetPlayers()), Options: map[string]string{},
		Actions: info.GetActions(), Contracts: info.GetContracts(), numbers: map[string]Action{},
	}
	for _, option := range info.GetOptions() {
		ruleset.Options[option.GetName()] = option.GetValue()
	}
	for number, text := range ruleset.Actions {
		if text != "" {
			ruleset.numbers[text] = Action(number)
		}
	}
	return ruleset
}

func newMatch(start *pb.MatchStart, ruleset *Ruleset) *Match {
	return &Match{
		Number: start.GetMatch(), Ruleset: ruleset, Seat: start.GetSeat(), Players: start.GetPlayers(),
		Commitment: start.GetCommitment(), BudgetMs: start.GetBudgetMs(), BankMs: start.GetBankMs(),
		MaxFaults: start.GetMaxFaults(),
	}
}

func newResult(end *pb.MatchEnd) *Result {
	names := make([]string, len(end.GetFaults()))
	for i, fault := range end.GetFaults() {
		names[i] = faultName(fault)
	}
	return &Result{
		MatchID: end.GetMatchId(), Totals: end.GetTotals(), Ranks: end.GetRanks(), Seed: end.GetSeed(),
		Forfeits: end.GetForfeits(), Faults: names, Void: end.GetIsVoid(),
	}
}

func faultName(fault pb.FaultKind) string {
	if fault < 0 || int(fault) >= len(faults) {
		return "unknown"
	}
	return faults[fault]
}
