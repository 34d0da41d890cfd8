package kingmaker;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import referee.v1.DecisionOuterClass.Decision;

/**
 * One decision with all that its seat may know. Cards and actions are numbers, those up to 51 are the cards; {@link #text}
 * and {@link #action} translate.
 */
public final class Observation {
    private static final List<String> PLACES = List.of("N", "E", "S", "W", "NE", "SE", "SW", "NW");

    private final Decision decision;
    private final Match match;

    Observation(Decision decision, Match match) {
        this.decision = decision;
        this.match = match;
    }

    /** The match: its seat, players, and ruleset with its options. */
    public Match match() {
        return match;
    }

    /** Counts the decisions of this seat in this match, from 1. */
    public int number() {
        return decision.getNumber();
    }

    public Kind kind() {
        return Kind.of(decision.getKindValue());
    }

    /** The legal actions, ascending, never empty. */
    public List<Integer> legal() {
        return decision.getLegalList();
    }

    /** The deal's number in the match, from 1. */
    public int deal() {
        return decision.getDeal();
    }

    /** The seat that dealt. */
    public int dealer() {
        return decision.getDealer();
    }

    /** The cards in hand. */
    public CardSet hand() {
        return new CardSet(decision.getHand());
    }

    /** The contract's name; empty until it is known. */
    public Optional<String> contract() {
        int index = decision.getContract() - 1;
        var contracts = match.ruleset().contracts();
        return index >= 0 && index < contracts.size() ? Optional.of(contracts.get(index)) : Optional.empty();
    }

    /** The seat that plays the deal; empty where nobody does, or it is not known yet. */
    public OptionalInt declarer() {
        return decision.hasDeclarer() ? OptionalInt.of(decision.getDeclarer()) : OptionalInt.empty();
    }

    /** All that every seat saw in this deal, in order. */
    public List<Move> history() {
        return moves(0);
    }

    /** The cards now on the table, in order; empty when leading. */
    public List<Move> trick() {
        return moves(decision.getActionsCount() - decision.getTrickSize());
    }

    private List<Move> moves(int from) {
        return IntStream.range(from, decision.getActionsCount())
                .mapToObj(i -> new Move(decision.getSeats(i), decision.getActions(i)))
                .toList();
    }

    /** Tricks taken in this deal, by seat; empty where no tricks are played. */
    public List<Integer> tricks() {
        return decision.getTricksList();
    }

    /** Points before this deal, by seat. */
    public List<Integer> totals() {
        return decision.getTotalsList();
    }

    /** The table of Kings in the Corner; empty in trick games. */
    public Optional<Layout> layout() {
        if (!decision.hasLayout()) {
            return Optional.empty();
        }
        var layout = decision.getLayout();
        var piles = new LinkedHashMap<String, List<Integer>>();
        for (int i = 0; i < PLACES.size(); i++) {
            piles.put(PLACES.get(i), i < layout.getPilesCount() ? layout.getPiles(i).getCardsList() : List.of());
        }
        return Optional.of(new Layout(piles, layout.getStock(), layout.getHandSizesList(), layout.getTurnedList()));
    }

    /** Time for this decision before the bank is touched, in milliseconds. */
    public int budgetMs() {
        return decision.getBudgetMs();
    }

    /** What is left of the match's bank, in milliseconds. */
    public int bankMs() {
        return decision.getBankMs();
    }

    /** What the previous decision was charged, in microseconds. */
    public int chargedUs() {
        return decision.getChargedUs();
    }

    /** The fault at the previous decision. */
    public Optional<Fault> lastFault() {
        int fault = decision.getLastFaultValue();
        return fault == 0 ? Optional.empty() : Optional.of(Fault.of(fault));
    }

    /** 64 bits, without sign, for the bot's own randomness: with them alone, the same match plays the same again. */
    public long seed() {
        return decision.getSeed();
    }

    /** The text of an action (KH, +3, trump:S:self, move:E:N), or its number where the ruleset has none for it. */
    public String text(int action) {
        var actions = match.ruleset().actions();
        String text = action >= 0 && action < actions.size() ? actions.get(action) : "";
        return text.isEmpty() ? Integer.toUnsignedString(action) : text;
    }

    /** The number of an action from its text; empty if the ruleset has no such action. */
    public OptionalInt action(String text) {
        Integer number = match.ruleset().numbers().get(text);
        return number == null ? OptionalInt.empty() : OptionalInt.of(number);
    }

    @Override
    public String toString() {
        return Text.of(this);
    }
}
