package examples;

import java.nio.charset.StandardCharsets;
import kingmaker.Bot;
import kingmaker.Kingmaker;
import kingmaker.Match;
import kingmaker.Observation;
import kingmaker.Result;

/**
 * What it does depends on every word that it is told: the conformance transcripts check by it that nothing is misread.
 *
 * <p>Each text is hashed by FNV-1a of 64 bits, and that of a decision begins with the hash of what was heard of matches;
 * the answer is the legal action at this number modulo their count. With KINGMAKER_WITNESS set it prints what it hears.
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

    public static void main(String[] arguments) {
        Kingmaker.main("witness", new Witness());
    }
}
