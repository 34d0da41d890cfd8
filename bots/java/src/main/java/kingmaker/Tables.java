package kingmaker;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import referee.v1.DecisionOuterClass.Answer;
import referee.v1.DecisionOuterClass.Decision;
import referee.v1.Match.MatchEnd;
import referee.v1.Match.MatchStart;
import referee.v1.Match.RulesetInfo;
import referee.v1.RefereeServiceOuterClass.Answers;
import referee.v1.RefereeServiceOuterClass.Batch;

/** The matches in which a bot sits, and what it answers at them. */
final class Tables {
    private final Bot bot;
    private final Map<Integer, Ruleset> rulesets = new HashMap<>();
    private final Map<Integer, Match> matches = new HashMap<>();

    Tables(Bot bot) {
        this.bot = bot;
    }

    /** Learns the rulesets and matches that are new. */
    void begin(Batch batch) throws RefereeException {
        for (RulesetInfo info : batch.getRulesetsList()) {
            rulesets.put(info.getRuleset(), Ruleset.of(info));
        }
        for (MatchStart start : batch.getMatchStartsList()) {
            Match match = Match.of(start, known("ruleset", rulesets.get(start.getRuleset()), start.getRuleset()));
            matches.put(match.number(), match);
            bot.matchStart(match);
        }
    }

    /** The bot's answers, one to each decision. */
    Answers answer(List<Decision> decisions) throws RefereeException {
        var observations = new ArrayList<Observation>(decisions.size());
        for (Decision decision : decisions) {
            Match match = known("match", matches.get(decision.getMatch()), decision.getMatch());
            observations.add(new Observation(decision, match));
        }
        int[] actions = bot.decideBatch(observations);
        if (actions.length != observations.size()) {
            throw new IllegalStateException(
                    "decideBatch returned " + actions.length + " actions for " + observations.size() + " observations");
        }
        var answers = Answers.newBuilder();
        for (int i = 0; i < actions.length; i++) {
            Decision decision = decisions.get(i);
            answers.addAnswers(Answer.newBuilder()
                    .setMatch(decision.getMatch()).setNumber(decision.getNumber()).setAction(actions[i]));
        }
        return answers.build();
    }

    /** Drops the matches that are over. */
    void end(Batch batch) throws RefereeException {
        for (MatchEnd end : batch.getMatchEndsList()) {
            Match match = known("match", matches.remove(end.getMatch()), end.getMatch());
            bot.matchEnd(match, Result.of(end));
        }
    }

    private static <T> T known(String what, T thing, int number) throws RefereeException {
        if (thing == null) {
            throw Place.refused("the referee speaks of " + what + " " + Integer.toUnsignedString(number)
                    + ", which it has not introduced");
        }
        return thing;
    }
}
