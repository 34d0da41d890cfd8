package kingmaker;

import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.TlsChannelCredentials;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Where the referee is, and how to speak to it. */
record Place(String name, String token, String target, ChannelCredentials credentials, boolean isRemote) {
    /** It warns of options that a unix socket does not have. Kept, so that its level is. */
    private static final Logger NETTY = Logger.getLogger("io.grpc.netty.shaded.io.netty");

    static {
        NETTY.setLevel(Level.SEVERE);
    }

    static Place find(Options options) throws RefereeException {
        if ((options.address() == null) != (options.token() == null)) {
            throw refused("address and token go together: both for a remote referee, neither for a hosted bot");
        }
        return options.address() == null ? seat(options) : remote(options);
    }

    private static Place seat(Options options) throws RefereeException {
        String named = System.getenv("KINGMAKER_SEAT");
        Path folder = Path.of(named == null || named.isEmpty() ? "/ref" : named).toAbsolutePath();
        try {
            String token = Files.readString(folder.resolve("token")).strip();
            if (Files.exists(folder.resolve("address"))) {
                Path roots = folder.resolve("roots.pem");
                return remote(new Options(
                        Files.readString(folder.resolve("address")).strip(), token,
                        Files.exists(roots) ? Files.readAllBytes(roots) : options.roots(), options.plaintext()));
            }
            Path socket = folder.resolve("ref.sock");
            String target = "unix://" + socket.toUri().getRawPath();
            return new Place(socket.toString(), token, target, InsecureChannelCredentials.create(), false);
        } catch (IOException error) {
            throw refused("no referee at " + folder + ": " + error
                    + "; KINGMAKER_SEAT names the folder with ref.sock and token");
        }
    }

    private static Place remote(Options options) throws RefereeException {
        String address = options.address();
        int colon = address.lastIndexOf(':');
        if (colon < 1) {
            throw refused("the address " + address + " is not host:port");
        }
        String host = address.substring(0, colon);
        boolean here = host.equals("localhost") || host.equals("[::1]") || host.startsWith("127.");
        ChannelCredentials credentials;
        if (options.roots() == null && (here || options.plaintext())) {
            credentials = InsecureChannelCredentials.create();
        } else {
            var tls = TlsChannelCredentials.newBuilder();
            try {
                credentials = options.roots() == null
                        ? tls.build()
                        : tls.trustManager(new ByteArrayInputStream(options.roots())).build();
            } catch (IOException error) {
                throw refused("the roots are not PEM certificates: " + error);
            }
        }
        return new Place(address, options.token(), "dns:///" + address, credentials, true);
    }

    ManagedChannel dial() {
        var builder = Grpc.newChannelBuilder(target, credentials).disableRetry().directExecutor();
        if (isRemote) {
            builder.keepAliveTime(30, TimeUnit.SECONDS).keepAliveTimeout(10, TimeUnit.SECONDS);
        }
        return builder.build();
    }

    static RefereeException refused(String message) {
        return new RefereeException(message, false);
    }
}
