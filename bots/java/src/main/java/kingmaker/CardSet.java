package kingmaker;

import java.util.Iterator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** A set of cards: bit c of the mask is card c. Its cards come in ascending order. */
public record CardSet(long mask) implements Iterable<Card> {
    /** The set of some cards. */
    public static CardSet of(Card... cards) {
        return new CardSet(Stream.of(cards).mapToLong(card -> 1L << card.number()).reduce(0, (a, b) -> a | b));
    }

    /** Whether the card is in the set. */
    public boolean has(Card card) {
        return (mask >>> card.number() & 1) == 1;
    }

    /** How many cards it holds. */
    public int size() {
        return Long.bitCount(mask);
    }

    /** Its cards of one suit. */
    public CardSet ofSuit(int suit) {
        return new CardSet(mask & 0x1fffL << 13 * suit);
    }

    /** Its cards. */
    public Stream<Card> stream() {
        return numbers().mapToObj(Card::new);
    }

    /** The numbers of its cards. */
    public IntStream numbers() {
        return LongStream.iterate(mask, bits -> bits != 0, bits -> bits & bits - 1)
                .mapToInt(Long::numberOfTrailingZeros);
    }

    @Override
    public Iterator<Card> iterator() {
        return stream().iterator();
    }
}
