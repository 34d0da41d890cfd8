package kingmaker;

/**
 * Says where the referee is. {@link #SEAT}: in the folder that KINGMAKER_SEAT names (default /ref), which holds the file
 * {@code token}, and the socket {@code ref.sock} or the file {@code address}, and {@code roots.pem} where the referee's
 * certificate is signed by an authority of its own.
 *
 * @param address host:port of a remote referee
 * @param token what it gave this bot
 * @param roots PEM certificates to trust instead of the system's, or null
 * @param plaintext send the token unencrypted to another machine; on this one nothing is encrypted without roots
 */
public record Options(String address, String token, byte[] roots, boolean plaintext) {
    public static final Options SEAT = new Options(null, null, null, false);

    public Options(String address, String token) {
        this(address, token, null, false);
    }
}
