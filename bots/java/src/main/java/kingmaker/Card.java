package kingmaker;

/** A card, 13 * suit + rank: 0 is 2C, 51 is AS. Its number is also the action that plays it. */
public record Card(int number) implements Comparable<Card> {
    private static final String RANKS = "23456789TJQKA";
    private static final String SUITS = "CDHS";

    public Card {
        if (number < 0 || number > 51) {
            throw new IllegalArgumentException(number + " is no card: cards are 0 to 51");
        }
    }

    /** Reads a text such as KH. */
    public static Card of(String text) {
        int rank = text.length() == 2 ? RANKS.indexOf(text.charAt(0)) : -1;
        int suit = text.length() == 2 ? SUITS.indexOf(text.charAt(1)) : -1;
        if (rank < 0 || suit < 0) {
            throw new IllegalArgumentException(
                    text + " is no card: a rank of " + RANKS + " and a suit of " + SUITS + ", such as KH");
        }
        return new Card(13 * suit + rank);
    }

    /** C=0 D=1 H=2 S=3. */
    public int suit() {
        return number / 13;
    }

    /** 2=0 to A=12. */
    public int rank() {
        return number % 13;
    }

    @Override
    public int compareTo(Card other) {
        return Integer.compare(number, other.number);
    }

    @Override
    public String toString() {
        return "" + RANKS.charAt(rank()) + SUITS.charAt(suit());
    }
}
