package kingmaker;

import java.util.List;
import referee.v1.Match.MatchStart;

/**
 * One match, as this seat was told of it.
 *
 * @param number what this stream calls it, never used twice
 * @param players the names by seat
 * @param commitment SHA-256 of the seed from which every deal follows
 */
public record Match(
        int number, Ruleset ruleset, int seat, List<String> players, byte[] commitment,
        int budgetMs, int bankMs, int maxFaults) {

    static Match of(MatchStart start, Ruleset ruleset) {
        return new Match(
                start.getMatch(), ruleset, start.getSeat(), start.getPlayersList(), start.getCommitment().toByteArray(),
                start.getBudgetMs(), start.getBankMs(), start.getMaxFaults());
    }

    @Override
    public String toString() {
        return Text.of(this);
    }
}
