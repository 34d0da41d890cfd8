package kingmaker;

/** What a bot did wrong; UNKNOWN: something that a later protocol knows. */
public enum Fault {
    UNKNOWN, ILLEGAL, MALFORMED, TIMEOUT, DISCONNECT;

    private static final Fault[] ALL = values();

    static Fault of(int number) {
        return number > 0 && number < ALL.length ? ALL[number] : UNKNOWN;
    }

    @Override
    public String toString() {
        return name().toLowerCase();
    }
}
