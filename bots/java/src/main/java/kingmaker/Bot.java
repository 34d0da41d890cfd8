package kingmaker;

import java.util.List;

/** What decides. A function from an observation to an action is a bot too. */
@FunctionalInterface
public interface Bot {
    /** Returns one of {@code observation.legal()}. */
    int decide(Observation observation);

    /** Returns an action for each observation, over all tables at which the bot is asked now. */
    default int[] decideBatch(List<Observation> observations) {
        return observations.stream().mapToInt(this::decide).toArray();
    }

    /** A match begins. */
    default void matchStart(Match match) {}

    /** A match is over. */
    default void matchEnd(Match match, Result result) {}
}
