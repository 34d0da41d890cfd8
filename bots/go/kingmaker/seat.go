package kingmaker

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"
)

// seekTime is how long a remote referee that was lost is looked for.
const seekTime = time.Minute

// Options say where the referee is. The zero value: in the folder that KINGMAKER_SEAT names (default /ref), which
// holds the file token, and the socket ref.sock or the file address, and roots.pem where the referee's certificate
// is signed by an authority of its own.
type Options struct {
	// Address is host:port of a remote referee, Token what it gave this bot.
	Address, Token string
	// Roots are PEM certificates to trust instead of the system's.
	Roots []byte
	// Plaintext sends the token unencrypted to another machine. On this one nothing is encrypted without Roots.
	Plaintext bool
}

// place is where the referee is.
type place struct {
	name, token     string
	network, target string
	security        credentials.TransportCredentials
	patience        time.Duration
}

func (o Options) find() (*place, error) {
	if (o.Address == "") != (o.Token == "") {
		return nil, errors.New("address and token go together: both for a remote referee, neither for a hosted bot")
	}
	if o.Address != "" {
		return o.remote()
	}
	folder := os.Getenv("KINGMAKER_SEAT")
	if folder == "" {
		folder = "/ref"
	}
	token, err := os.ReadFile(filepath.Join(folder, "token"))
	if err != nil {
		return nil, fmt.Errorf("no referee at %s: %w; KINGMAKER_SEAT names the folder with ref.sock and token", folder, err)
	}
	o.Token = strings.TrimSpace(string(token))
	if address, err := os.ReadFile(filepath.Join(folder, "address")); err == nil {
		o.Address = strings.TrimSpace(string(address))
		if roots, err := os.ReadFile(filepath.Join(folder, "roots.pem")); err == nil {
			o.Roots = roots
		}
		return o.remote()
	}
	socket := filepath.Join(folder, "ref.sock")
	return &place{name: socket, token: o.Token, network: "unix", target: socket, security: insecure.NewCredentials()}, nil
}

func (o Options) remote() (*place, error) {
	host, _, err := net.SplitHostPort(o.Address)
	if err != nil {
		return nil, fmt.Errorf("the address %q is not host:port", o.Address)
	}
	there := &place{name: o.Address, token: o.Token, network: "tcp", target: o.Address, patience: seekTime}
	if ip := net.ParseIP(host); o.Roots == nil && (o.Plaintext || host == "localhost" || ip != nil && ip.IsLoopback()) {
		there.security = insecure.NewCredentials()
		return there, nil
	}
	config := &tls.Config{ServerName: host}
	if o.Roots != nil {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(o.Roots) {
			return nil, errors.New("the roots hold no certificate in PEM")
		}
	}
	there.security = credentials.NewTLS(config)
	return there, nil
}

func (p *place) dial() (*grpc.ClientConn, error) {
	dialer := func(ctx context.Context, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, p.network, p.target)
	}
	often := backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 2, Jitter: 0.2, MaxDelay: 2 * time.Second}
	options := []grpc.DialOption{
		grpc.WithTransportCredentials(p.security), grpc.WithContextDialer(dialer), grpc.WithDisableRetry(),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: often, MinConnectTimeout: 5 * time.Second}),
	}
	if p.network == "unix" {
		options = append(options, grpc.WithAuthority("localhost"))
	} else {
		options = append(options, grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 30 * time.Second, Timeout: 10 * time.Second}))
	}
	return grpc.NewClient("passthrough:///referee", options...) // the dialer knows where that is
}

func waitReady(ctx context.Context, conn *grpc.ClientConn, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for state := conn.GetState(); state != connectivity.Ready; state = conn.GetState() {
		conn.Connect()
		if !conn.WaitForStateChange(ctx, state) {
			return status.Errorf(codes.Unavailable, "no connection within %v", patience)
		}
	}
	return nil
}

func (p *place) explain(err error) error {
	told, isStatus := status.FromError(err)
	switch {
	case err == nil || !isStatus:
		return err
	case told.Code() == codes.Unavailable:
		return fmt.Errorf("the connection to the referee at %s failed or was lost: %s", p.name, told.Message())
	default:
		return fmt.Errorf("the referee at %s ended the conversation: %s: %s", p.name, told.Code(), told.Message())
	}
}
