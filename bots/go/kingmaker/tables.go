package kingmaker

import (
	"fmt"

	pb "kingmakerbot/kingmaker/internal/refereev1"
)

// tables are the matches in which a bot sits, and what it answers at them.
type tables struct {
	bot      Bot
	rulesets map[uint32]*Ruleset
	matches  map[uint32]*Match
}

func newTables(bot Bot) *tables {
	return &tables{bot, map[uint32]*Ruleset{}, map[uint32]*Match{}}
}

// play takes a batch: matches that begin, decisions, which are answered by one message, matches that are over.
func (t *tables) play(stream pb.RefereeService_PlayClient, batch *pb.Batch) error {
	if err := t.begin(batch); err != nil {
		return err
	}
	if decisions := batch.GetDecisions(); len(decisions) > 0 {
		answers, err := t.answer(decisions)
		if err != nil {
			return err
		}
		message := &pb.PlayRequest_Answers{Answers: &pb.Answers{Answers: answers}}
		if err := send(stream, &pb.PlayRequest{Message: message}); err != nil {
			return err
		}
	}
	return t.end(batch)
}

func (t *tables) begin(batch *pb.Batch) error {
	for _, info := range batch.GetRulesets() {
		t.rulesets[info.GetRuleset()] = newRuleset(info)
	}
	for _, start := range batch.GetMatchStarts() {
		ruleset := t.rulesets[start.GetRuleset()]
		if ruleset == nil {
			return unknown("ruleset", start.GetRuleset())
		}
		match := newMatch(start, ruleset)
		t.matches[match.Number] = match
		if starter, hears := t.bot.(MatchStarter); hears {
			starter.MatchStart(match)
		}
	}
	return nil
}

func (t *tables) answer(decisions []*pb.Decision) ([]*pb.Answer, error) {
	observations := make([]*Observation, len(decisions))
	for i, decision := range decisions {
		match := t.matches[decision.GetMatch()]
		if match == nil {
			return nil, unknown("match", decision.GetMatch())
		}
		observations[i] = newObservation(decision, match)
	}
	actions := decide(t.bot, observations)
	if len(actions) != len(decisions) {
		return nil, fmt.Errorf("DecideBatch returned %d actions for %d observations", len(actions), len(decisions))
	}
	answers := make([]*pb.Answer, len(decisions))
	for i, decision := range decisions {
		answers[i] = &pb.Answer{Match: decision.GetMatch(), Number: decision.GetNumber(), Action: actions[i]}
	}
	return answers, nil
}

func decide(bot Bot, observations []*Observation) []Action {
	if all, atOnce := bot.(BatchBot); atOnce {
		return all.DecideBatch(observations)
	}
	actions := make([]Action, len(observations))
	for i, observation := range observations {
		actions[i] = bot.Decide(observation)
	}
	return actions
}

func (t *tables) end(batch *pb.Batch) error {
	for _, end := range batch.GetMatchEnds() {
		match := t.matches[end.GetMatch()]
		if match == nil {
			return unknown("match", end.GetMatch())
		}
		delete(t.matches, match.Number)
		if ender, hears := t.bot.(MatchEnder); hears {
			ender.MatchEnd(match, newResult(end))
		}
	}
	return nil
}

func unknown(what string, number uint32) error {
	return fmt.Errorf("the referee speaks of %s %d, which it has not introduced", what, number)
}
