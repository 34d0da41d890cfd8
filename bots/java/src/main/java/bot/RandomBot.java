package bot;

import kingmaker.Kingmaker;

/** Any legal action; the seed comes with the decision, so that the same match plays the same again. */
public final class RandomBot {
    public static void main(String[] arguments) {
        Kingmaker.main("random", o -> o.legal().get((int) Long.remainderUnsigned(o.seed(), o.legal().size())));
    }
}
