package kingmaker;

/** The referee cannot be found, refused the bot, or was lost. */
public final class RefereeException extends Exception {
    private static final long serialVersionUID = 1;
    private final boolean lost;

    RefereeException(String message, boolean lost) {
        super(message);
        this.lost = lost;
    }

    /** Whether the referee was there, and may be there again. */
    public boolean isLost() {
        return lost;
    }
}
