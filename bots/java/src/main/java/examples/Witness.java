package examples;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import kingmaker.Bot;
import kingmaker.Card;
import kingmaker.CardSet;
import kingmaker.Kingmaker;
import kingmaker.Match;
import kingmaker.Observation;
import kingmaker.Result;

/**
 * What it does depends on every word that it is told: the conformance transcripts check by it that nothing is misread.
 *
 * <p>Each text is hashed by FNV-1a of 64 bits, and that of a decision begins with the hash of what was heard of matches;
 * the answer is the legal action at this number modulo their count. With KINGMAKER_WITNESS set it prints what it hears.
 * First of all it checks the helpers for cards.
 */
public final class Witness implements Bot {
    private final boolean prints = System.getenv("KINGMAKER_WITNESS") != null;
    private long heard = 0xcbf29ce484222325L;

    @Override
    public void matchStart(Match match) {
        heard = listen(match);
    }

    @Override
    public int decide(Observation observation) {
        var legal = observation.legal();
        return legal.get((int) Long.remainderUnsigned(listen(observation), legal.size()));
    }

    @Override
    public void matchEnd(Match match, Result result) {
        heard = listen(result);
    }

    private long listen(Object told) {
        String text = told.toString();
        if (prints) {
            System.err.println(text);
        }
        long hash = heard;
        for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (each & 0xff)) * 0x100000001b3L;
        }
        return hash;
    }

    private static void checkCards() {
        Card[] all = IntStream.range(0, 52).mapToObj(Card::new).toArray(Card[]::new);
        CardSet set = CardSet.of(all);
        boolean right = Stream.of(all).allMatch(card -> Card.of(card.toString()).equals(card))
                && (all[0] + " " + all[51]).equals("2C AS") && all[51].suit() == 3 && all[51].rank() == 12
                && set.size() == 52 && set.has(all[51]) && Arrays.asList(all).equals(set.stream().toList())
                && Arrays.asList(all).subList(26, 39).equals(set.ofSuit(2).stream().toList());
        if (!right) {
            throw new AssertionError(set);
        }
    }

    public static void main(String[] arguments) {
        checkCards();
        Kingmaker.main("witness", new Witness());
    }
}
