package examples;

import kingmaker.Kingmaker;

/** The lowest legal action, always. */
public final class Lowest {
    public static void main(String[] arguments) {
        Kingmaker.main("lowest", o -> o.legal().get(0));
    }
}
