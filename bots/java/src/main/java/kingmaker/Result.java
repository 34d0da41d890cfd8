package kingmaker;

import java.util.List;
import referee.v1.Match.MatchEnd;

/**
 * How a match ended; totals, ranks and seed are empty when it is void.
 *
 * @param totals by seat
 * @param ranks by seat
 * @param forfeits seats
 * @param faults those of this seat
 */
public record Result(
        String matchId, List<Integer> totals, List<Integer> ranks, byte[] seed,
        List<Integer> forfeits, List<Fault> faults, boolean isVoid) {

    static Result of(MatchEnd end) {
        return new Result(
                end.getMatchId(), end.getTotalsList(), end.getRanksList(), end.getSeed().toByteArray(),
                end.getForfeitsList(), end.getFaultsValueList().stream().map(Fault::of).toList(), end.getIsVoid());
    }

    @Override
    public String toString() {
        return Text.of(this);
    }
}
