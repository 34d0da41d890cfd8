package kingmaker;

import io.grpc.CallOptions;
import io.grpc.ClientInterceptors;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.BlockingClientCall;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import referee.v1.RefereeServiceOuterClass.Hello;
import referee.v1.RefereeServiceOuterClass.PlayRequest;
import referee.v1.RefereeServiceOuterClass.PlayResponse;

/** Lets a bot play: connect, read batches of decisions, ask the bot and answer, until the referee says goodbye. */
public final class Kingmaker {
    private static final int VERSION = 1;
    private static final String SDK = "kingmaker-java/1";
    /** How long a referee that is not there yet is waited for, and a remote one that was lost. */
    private static final long CONNECT_S = 10, SEEK_S = 60;
    /** How long the referee has to take our last message. */
    private static final long FAREWELL_S = 1;
    private static final Metadata.Key<String> TOKEN = Metadata.Key.of("kingmaker-token", Metadata.ASCII_STRING_MARSHALLER);
    /** The one method of the service; for it alone no plugin of protoc is worth having. */
    private static final MethodDescriptor<PlayRequest, PlayResponse> PLAY =
            MethodDescriptor.<PlayRequest, PlayResponse>newBuilder()
                    .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
                    .setFullMethodName(MethodDescriptor.generateFullMethodName("referee.v1.RefereeService", "Play"))
                    .setRequestMarshaller(ProtoUtils.marshaller(PlayRequest.getDefaultInstance()))
                    .setResponseMarshaller(ProtoUtils.marshaller(PlayResponse.getDefaultInstance()))
                    .build();

    private final Place place;
    private final String name;
    private final Bot bot;

    private Kingmaker(Place place, String name, Bot bot) {
        this.place = place;
        this.name = name;
        this.bot = bot;
    }

    /**
     * Plays until the goodbye, and ends the process: with status 1 and a sentence on stderr if the referee cannot be
     * found, refused the bot or was lost.
     */
    public static void main(String name, Bot bot) {
        try {
            play(name, bot, Options.SEAT);
        } catch (RefereeException error) {
            System.err.println("kingmaker: " + error.getMessage());
            System.exit(1);
        } catch (InterruptedException error) {
            System.exit(1);
        }
    }

    /**
     * Plays all matches that the referee has for this bot, and returns when it says goodbye. A remote referee that is lost
     * is looked for again for a minute; it then asks again what was not answered.
     */
    public static void play(String name, Bot bot, Options options) throws RefereeException, InterruptedException {
        var player = new Kingmaker(Place.find(options), name, bot);
        for (long patience = CONNECT_S; ; patience = SEEK_S) {
            ManagedChannel channel = player.place.dial();
            try {
                player.connect(channel, patience);
                player.converse(channel);
                return;
            } catch (RefereeException error) {
                if (!error.isLost() || !player.place.isRemote()) {
                    throw error;
                }
                System.err.println("kingmaker: " + error.getMessage() + "; looking for it");
            } finally {
                channel.shutdownNow().awaitTermination(FAREWELL_S, TimeUnit.SECONDS);
            }
        }
    }

    private void connect(ManagedChannel channel, long patience) throws RefereeException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(patience);
        while (true) {
            ConnectivityState state = channel.getState(true);
            if (state == ConnectivityState.READY) {
                return;
            }
            if (state == ConnectivityState.TRANSIENT_FAILURE) {
                channel.resetConnectBackoff(); // waits no longer than we do
                TimeUnit.MILLISECONDS.sleep(100);
            }
            var changed = new CountDownLatch(1);
            channel.notifyWhenStateChanged(state, changed::countDown);
            if (!changed.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                throw Place.refused("no referee at " + place.name() + " within " + patience + " s");
            }
        }
    }

    private void converse(ManagedChannel channel) throws RefereeException, InterruptedException {
        var metadata = new Metadata();
        metadata.put(TOKEN, place.token());
        var entitled = ClientInterceptors.intercept(channel, MetadataUtils.newAttachHeadersInterceptor(metadata));
        var call = ClientCalls.blockingBidiStreamingCall(entitled, PLAY, CallOptions.DEFAULT);
        try {
            var hello = Hello.newBuilder().setMinVersion(VERSION).setMaxVersion(VERSION).setName(name).setSdk(SDK);
            call.write(PlayRequest.newBuilder().setHello(hello).build());
            var tables = new Tables(bot);
            for (PlayResponse response; (response = call.read()) != null; ) {
                if (response.hasGoodbye()) {
                    part(call);
                    return;
                }
                if (response.hasBatch()) {
                    var batch = response.getBatch();
                    tables.begin(batch);
                    if (batch.getDecisionsCount() > 0) {
                        var answers = tables.answer(batch.getDecisionsList());
                        call.write(PlayRequest.newBuilder().setAnswers(answers).build());
                    }
                    tables.end(batch);
                }
            }
        } catch (StatusException error) {
            throw explain(error.getStatus());
        } finally {
            call.cancel("the conversation is over", null); // does nothing to a call that has ended
        }
    }

    /** Ends our side, and waits a moment for the referee to have heard it. */
    private static void part(BlockingClientCall<PlayRequest, PlayResponse> call) throws InterruptedException {
        call.halfClose();
        try {
            while (call.read(FAREWELL_S, TimeUnit.SECONDS) != null) {
                // Nothing is said after goodbye.
            }
        } catch (StatusException | TimeoutException error) {
            // Whether it was heard is of no importance.
        }
    }

    private RefereeException explain(Status status) {
        if (status.getCode() == Status.Code.UNAVAILABLE) {
            return new RefereeException(
                    "the connection to the referee at " + place.name() + " is lost: " + status.getDescription(), true);
        }
        return Place.refused("the referee at " + place.name() + " ended the conversation: " + status.getCode() + ": "
                + status.getDescription());
    }
}
