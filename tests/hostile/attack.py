"""Attacks the referee while the other three wait for its first answer, and then plays well, if it still can.

``attack.py MARK NAME``: NAME is one of the functions below; what it returns is printed.
"""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress

import grpc
import h2
from raw import HELLO, PlayRequest, PlayResponse, answers, converse, lowest

from referee.v1 import referee_service_pb2

PLAY = "/referee.v1.RefereeService/Play"
PATIENCE_S = 1.0


def call(token: str | None, *messages: bytes, more: tuple[tuple[str, str], ...] = (), **options) -> str:
    """Try a stream of its own; return how it ended."""
    metadata = (() if token is None else (("kingmaker-token", token),)) + more
    channel_options = [("grpc.use_local_subchannel_pool", 1), ("grpc.max_send_message_length", -1)]
    with grpc.insecure_channel(f"unix:{h2.SEAT}/ref.sock", options=channel_options) as channel:
        stream = channel.stream_stream(PLAY)(iter(messages), metadata=metadata, timeout=20, **options)
        try:
            for _ in stream:
                return "let in"
            return "closed"
        except grpc.RpcError as error:
            return f"{error.code().name}: {error.details()}"


def token() -> str:
    return (h2.SEAT / "token").read_text()


def raw(*parts: bytes) -> str:
    """Say this on a connection of its own, and wait until the referee closes it."""
    with h2.connect() as sock:
        reader = threading.Thread(target=h2.drain, args=(sock,))  # else a flood would stop itself by what comes back
        reader.start()
        with suppress(ConnectionError):
            for part in parts:
                sock.sendall(part)
            sock.shutdown(1)
        reader.join()
    return "the connection is closed"


# Who one is.


def no_token() -> str:
    return call(None, HELLO)


def wrong_token() -> str:
    return call("0" * 64, HELLO)


def anothers_token() -> str:
    others = [file for file in h2.SEAT.parent.glob("*/token") if file.parent != h2.SEAT]
    return call(others[0].read_text(), HELLO) if others else "no other bot"


# Sizes.


def metadata() -> str:
    return call(token(), HELLO, more=(("more", "x" * 60_000),))


def bomb() -> str:
    hello = referee_service_pb2.Hello(min_version=1, max_version=1, name="0" * (8 << 20))
    data = referee_service_pb2.PlayRequest(hello=hello).SerializeToString()
    return call(token(), data, compression=grpc.Compression.Gzip)


def large_hello() -> str:
    hello = referee_service_pb2.Hello(min_version=1, max_version=1, name="n" * (1 << 20))
    return call(token(), referee_service_pb2.PlayRequest(hello=hello).SerializeToString())


def four_gigabytes() -> str:
    return raw(h2.PREFACE, h2.settings(), h2.opening(1), h2.message(b"\0" * 1000, length=2**32 - 1))


def frame_of_16_mib() -> str:
    return raw(h2.PREFACE, h2.settings(), h2.opening(1), h2.frame(h2.DATA, stream=1, length=2**24 - 1), bytes(1 << 16))


# What is no gRPC.


def random_bytes() -> str:
    return raw(random.Random(1).randbytes(100_000))


def http_1() -> str:
    return raw(b"POST /referee.v1.RefereeService/Play HTTP/1.1\r\nHost: referee\r\nContent-Length: 3\r\n\r\nabc")


def tls_hello() -> str:
    return raw(bytes.fromhex("16030100c8010000c40303") + bytes(193))


# Floods.


def pings() -> str:
    ping = h2.frame(h2.PING, bytes(8))
    return raw(h2.PREFACE, h2.settings(), *[ping * 1000] * 200)


def pings_on_a_stream() -> str:
    ping = h2.frame(h2.PING, bytes(8))
    return raw(h2.PREFACE, h2.settings(), h2.opening(1), *[ping * 1000] * 200)


def many_settings() -> str:
    return raw(h2.PREFACE, *[h2.settings((h2.INITIAL_WINDOW_SIZE, 1000)) * 1000] * 100)


def open_and_reset() -> str:
    pairs = [h2.opening(stream) + h2.frame(h2.RST_STREAM, bytes(4), stream) for stream in range(1, 40_001, 2)]
    return raw(h2.PREFACE, h2.settings(), *[b"".join(pairs[at : at + 100]) for at in range(0, len(pairs), 100)])


def half_open() -> str:
    socks = [h2.connect() for _ in range(200)]
    for sock in socks[::2]:
        sock.sendall(h2.PREFACE[:10])
    kept.extend(socks)
    return "200 connections"


def fifty_streams() -> str:
    with h2.connect() as sock:
        sock.sendall(h2.PREFACE + h2.settings() + b"".join(h2.opening(stream) for stream in range(1, 101, 2)))
        sock.settimeout(0.2)
        with suppress(TimeoutError):
            while sock.recv(1 << 16):
                pass
    return "50 streams"


kept: list[object] = []


def main() -> None:
    name = sys.argv[2]
    told: list[str] = []
    attacker = threading.Thread(target=lambda: told.append(globals()[name]()), daemon=True)

    def reply(batch):
        if attacker.ident is None:
            attacker.start()
            attacker.join(PATIENCE_S)
        return [lowest(batch)]

    converse(reply)
    attacker.join(30)
    print(*told, flush=True)


# On the stream itself.


def not_held(batch):
    held = batch.decisions[0].legal
    return [answers((d.match, d.number, next(c for c in range(52) if c not in held)) for d in batch.decisions)]


def negative(batch):
    good = lowest(batch)
    (decision,) = batch.decisions
    minus = b"\x18" + b"\xff" * 9 + b"\x01"  # action = -1, as a signed field would write it
    answer = bytes((8, decision.match, 16, decision.number)) + minus
    assert good[:2]
    return [b"\x12" + bytes((len(answer) + 2,)) + b"\x0a" + bytes((len(answer),)) + answer]


def truncated(batch):
    return [lowest(batch)[:-1]]


def wrong_type(batch):
    return [b"\x12\x04\x0a\x02\x0d\x01"]  # match as 32 fixed bits, of which three are missing


def bad_utf8(batch):
    return [b"\x0a\x04\x22\x02\xff\xfe"]  # a hello whose name is no text


def unknown_fields(batch):
    return [lowest(batch) + b"\xfa\x7f\x05moons" + b"\xc0\x3e\x01"]


def future(batch):
    return [answers((d.match, d.number + 1, d.legal[0]) for d in batch.decisions)] * 10


def too_large(batch):
    return [bytes(64 * 1024 + 1)]


def pours(batch):
    return [lowest(batch), *[b"\xfa\x7f\xe0\xd4\x03" + bytes(60_000)] * 1000]


def half_close(batch):
    return [None]


def frozen(batch):
    if not kept:
        wake = f"sleep 2.5; kill -CONT {os.getpid()}"
        kept.append(subprocess.Popen(["/bin/sh", "-c", wake]))
        os.kill(os.getpid(), signal.SIGSTOP)
    return [lowest(batch)]


# Conversations of their own.


def second_stream() -> None:
    def open_another(batch):
        threading.Thread(target=lambda: converse(lambda later: [lowest(later)])).start()
        return []

    try:
        converse(open_another)
    except grpc.RpcError as error:
        print(f"{error.code().name}: {error.details()}", flush=True)


def strange_name() -> None:
    hello = referee_service_pb2.Hello(min_version=1, max_version=1, name="=1+1<script>\x1b[31m\u202e\0'\"", sdk="\0")
    converse(lambda batch: [lowest(batch)], PlayRequest(hello=hello).SerializeToString())


def too_soon() -> None:
    early = [answers([(77, 1, 0)]) for _ in range(9)]
    converse(lambda batch: [lowest(batch)], HELLO, *early)


def zero_window(at_start: bool = False) -> None:
    """Takes the first batch and answers it, and lets nothing more through."""
    sock = h2.connect()
    closed = h2.settings((h2.INITIAL_WINDOW_SIZE, 0))
    first = closed if at_start else h2.settings()
    sock.sendall(h2.PREFACE + first + h2.frame(h2.SETTINGS, flags=h2.ACK) + h2.opening(1) + h2.message(HELLO))
    frames = h2.Frames(sock)
    while not at_start:
        kind, _, payload = frames.next()
        batch = PlayResponse.FromString(payload[5:]).batch if kind == h2.DATA else None
        if batch is not None and batch.decisions:
            sock.sendall(closed)
            sock.sendall(h2.message(lowest(batch)))
            break
    time.sleep(1000)


def zero_window_at_start() -> None:
    zero_window(at_start=True)


STREAM = (half_close, frozen, not_held, negative, truncated, wrong_type, bad_utf8, unknown_fields, future, too_large, pours)

OWN = (second_stream, strange_name, too_soon, zero_window, zero_window_at_start)

if __name__ == "__main__":
    function = globals()[sys.argv[2]]
    if function in STREAM:
        converse(function)
    elif function in OWN:
        function()
    else:
        main()
