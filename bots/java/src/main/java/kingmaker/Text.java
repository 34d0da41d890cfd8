package kingmaker;

import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Everything in one line, the same in every language's SDK: the conformance transcripts hold them to it. */
final class Text {
    private Text() {}

    static String of(Observation seen) {
        Match match = seen.match();
        return String.join("; ", List.of(
                match.ruleset().id() + list(match.ruleset().options().entrySet().stream().map(Map.Entry::toString)),
                "match " + u(match.number()) + " of " + String.join(",", match.players()) + " seat " + match.seat(),
                "decision " + u(seen.number()) + " " + seen.kind(),
                "deal " + u(seen.deal()) + " dealer " + seen.dealer() + " contract " + seen.contract().orElse("-")
                        + " declarer " + (seen.declarer().isPresent() ? u(seen.declarer().getAsInt()) : "-"),
                "hand" + list(seen.hand().numbers().mapToObj(seen::text)),
                "trick" + list(moves(seen, seen.trick())),
                "history" + list(moves(seen, seen.history())),
                "tricks" + numbers(seen.tricks()),
                "totals" + list(seen.totals().stream().map(String::valueOf)),
                "layout " + seen.layout().map(layout -> of(seen, layout)).orElse("-"),
                "time " + u(seen.budgetMs()) + " " + u(seen.bankMs()) + " " + u(seen.chargedUs()),
                "fault " + seen.lastFault().map(Fault::toString).orElse("-"),
                "seed " + Long.toUnsignedString(seen.seed()),
                "legal" + list(seen.legal().stream().map(seen::text))));
    }

    private static String of(Observation seen, Layout layout) {
        String piles = layout.piles().entrySet().stream()
                .map(pile -> pile.getKey() + "="
                        + pile.getValue().stream().map(seen::text).collect(Collectors.joining(",")) + " ")
                .collect(Collectors.joining());
        return piles + "stock " + u(layout.stock()) + " hands" + numbers(layout.handSizes())
                + " turned" + list(layout.turned().stream().map(seen::text));
    }

    static String of(Match match) {
        return "match " + u(match.number()) + " " + match.ruleset().id() + " version " + u(match.ruleset().version())
                + " of " + String.join(",", match.players()) + " seat " + match.seat()
                + " commitment " + hex(match.commitment())
                + " time " + u(match.budgetMs()) + " " + u(match.bankMs()) + " faults " + u(match.maxFaults());
    }

    static String of(Result result) {
        return "result " + (result.matchId().isEmpty() ? "-" : result.matchId())
                + " totals" + list(result.totals().stream().map(String::valueOf)) + " ranks" + numbers(result.ranks())
                + " seed " + hex(result.seed()) + " forfeits" + numbers(result.forfeits())
                + " faults" + list(result.faults().stream().map(Fault::toString))
                + " void " + (result.isVoid() ? "yes" : "no");
    }

    private static Stream<String> moves(Observation seen, List<Move> moves) {
        return moves.stream().map(move -> move.seat() + ":" + seen.text(move.action()));
    }

    /** Numbers of the protocol have no sign. */
    private static String u(int number) {
        return Integer.toUnsignedString(number);
    }

    private static String numbers(List<Integer> numbers) {
        return list(numbers.stream().map(Text::u));
    }

    /** A space before each thing. */
    private static String list(Stream<String> things) {
        return things.map(thing -> " " + thing).collect(Collectors.joining());
    }

    private static String hex(byte[] bytes) {
        return bytes.length == 0 ? "-" : HexFormat.of().formatHex(bytes);
    }
}
