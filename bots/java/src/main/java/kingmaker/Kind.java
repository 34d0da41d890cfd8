package kingmaker;

/** What sort of choice a decision is; UNKNOWN: one that a later protocol has. */
public enum Kind {
    UNKNOWN, PLAY, BID, ANSWER, REPLY, CHOOSE, CLAIM, TURN;

    private static final Kind[] ALL = values();

    static Kind of(int number) {
        return number > 0 && number < ALL.length ? ALL[number] : UNKNOWN;
    }

    @Override
    public String toString() {
        return name().toLowerCase();
    }
}
