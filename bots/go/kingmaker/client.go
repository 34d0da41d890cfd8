// Package kingmaker lets a bot play at a Kingmaker referee: it connects, reads batches of decisions, asks the bot and
// answers, until the referee says goodbye.
package kingmaker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	pb "kingmakerbot/kingmaker/internal/refereev1"
)

//go:generate sh generate.sh

const (
	version = 1
	sdk     = "kingmaker-go/1"
	// connectTime is how long a referee that is not there yet is waited for.
	connectTime = 10 * time.Second
	// farewellTime is how long the referee has to take our last message.
	farewellTime = time.Second
)

// A Bot decides one thing at a time. It may also be a MatchStarter and a MatchEnder.
type Bot interface {
	// Decide returns one of o.Legal.
	Decide(o *Observation) Action
}

// A BatchBot decides all that waits for it at once, over all of its tables.
type BatchBot interface {
	Bot
	// DecideBatch returns an action for each observation, in their order.
	DecideBatch(observations []*Observation) []Action
}

// A MatchStarter is told of matches that begin.
type MatchStarter interface{ MatchStart(match *Match) }

// A MatchEnder is told of matches that are over.
type MatchEnder interface {
	MatchEnd(match *Match, result *Result)
}

// DecideFunc is a bot that is one function.
type DecideFunc func(o *Observation) Action

// Decide calls the function.
func (f DecideFunc) Decide(o *Observation) Action { return f(o) }

// Main plays until the goodbye and ends the process: status 1, with a sentence on stderr, if the referee cannot be
// found, refused the bot or was lost.
func Main(name string, bot Bot) {
	if err := Play(context.Background(), name, bot, Options{}); err != nil {
		fmt.Fprintln(os.Stderr, "kingmaker:", err)
		os.Exit(1)
	}
}

// Play plays all matches that the referee has for this bot, and returns when it says goodbye. A remote referee that
// is lost is looked for again for a minute; it then asks again what was not answered.
func Play(ctx context.Context, name string, bot Bot, options Options) error {
	place, err := options.find()
	if err != nil {
		return err
	}
	conn, err := place.dial()
	if err != nil {
		return err
	}
	defer conn.Close()
	patience := connectTime
	for {
		connected, err := converse(ctx, conn, place, name, bot, patience)
		if status.Code(err) != codes.Unavailable || !connected || place.patience == 0 {
			return place.explain(err)
		}
		fmt.Fprintf(os.Stderr, "kingmaker: the referee at %s is lost, looking for it\n", place.name)
		patience = place.patience
	}
}

// converse has one conversation, from hello to goodbye or to the end of the stream.
func converse(ctx context.Context, conn *grpc.ClientConn, place *place, name string, bot Bot, patience time.Duration) (connected bool, err error) {
	ctx, cancel := context.WithCancel(metadata.AppendToOutgoingContext(ctx, "kingmaker-token", place.token))
	defer cancel()
	if err := waitReady(ctx, conn, patience); err != nil {
		return false, err
	}
	stream, err := pb.NewRefereeServiceClient(conn).Play(ctx)
	if err != nil {
		return false, err
	}
	hello := &pb.Hello{MinVersion: version, MaxVersion: version, Name: name, Sdk: sdk}
	if err := send(stream, &pb.PlayRequest{Message: &pb.PlayRequest_Hello{Hello: hello}}); err != nil {
		return false, err
	}
	tables := newTables(bot)
	for {
		response, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return connected, nil
		}
		if err != nil {
			return connected, err
		}
		switch message := response.GetMessage().(type) {
		case *pb.PlayResponse_Welcome:
			connected = true
		case *pb.PlayResponse_Batch:
			if err := tables.play(stream, message.Batch); err != nil {
				return connected, err
			}
		case *pb.PlayResponse_Goodbye:
			return connected, part(stream, cancel)
		}
	}
}

// part ends our side, and waits a moment for the referee to have heard it.
func part(stream pb.RefereeService_PlayClient, cancel context.CancelFunc) error {
	defer time.AfterFunc(farewellTime, cancel).Stop()
	_ = stream.CloseSend() // whether it still arrives is of no importance
	for {
		if _, err := stream.Recv(); err != nil {
			return nil
		}
	}
}

// send returns the reason why the stream is over, where Send only tells that it is.
func send(stream pb.RefereeService_PlayClient, request *pb.PlayRequest) error {
	err := stream.Send(request)
	for errors.Is(err, io.EOF) {
		if _, reason := stream.Recv(); reason != nil {
			return reason
		}
	}
	return err
}
