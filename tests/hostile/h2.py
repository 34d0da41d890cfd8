"""As much of HTTP/2 as it takes to break it: frames by hand, on the bot's own socket."""

import os
import socket
import struct
from collections.abc import Iterable
from pathlib import Path

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, CONTINUATION = 0, 1, 3, 4, 6, 9
END_STREAM, ACK, END_HEADERS = 1, 1, 4
INITIAL_WINDOW_SIZE = 4
SEAT = Path(os.environ["KINGMAKER_SEAT"])


def frame(kind: int, payload: bytes = b"", stream: int = 0, flags: int = 0, length: int | None = None) -> bytes:
    """``length``: what the frame claims to hold."""
    size = len(payload) if length is None else length
    return struct.pack(">I", size)[1:] + bytes((kind, flags)) + struct.pack(">I", stream) + payload


def settings(*pairs: tuple[int, int]) -> bytes:
    return frame(SETTINGS, b"".join(struct.pack(">HI", *pair) for pair in pairs))


def _text(text: bytes) -> bytes:
    """A string of HPACK, not compressed."""
    size = len(text)
    if size < 127:
        return bytes((size,)) + text
    head, size = bytearray((127,)), size - 127
    while size > 127:
        head.append(size & 127 | 128)
        size >>= 7
    return bytes(head) + bytes((size,)) + text


def opening(stream: int, *more: tuple[bytes, bytes]) -> bytes:
    """The headers that open a Play call, in as many frames as they need."""
    fields: Iterable[tuple[bytes, bytes]] = (
        (b":method", b"POST"),
        (b":scheme", b"http"),
        (b":path", b"/referee.v1.RefereeService/Play"),
        (b":authority", b"localhost"),
        (b"content-type", b"application/grpc"),
        (b"te", b"trailers"),
        (b"kingmaker-token", (SEAT / "token").read_bytes()),
        *more,
    )
    block = b"".join(b"\0" + _text(name) + _text(value) for name, value in fields)
    parts = [block[at : at + 16_000] for at in range(0, len(block), 16_000)]
    frames = [
        frame(CONTINUATION if number else HEADERS, part, stream, END_HEADERS if part is parts[-1] else 0)
        for number, part in enumerate(parts)
    ]
    return b"".join(frames)


def message(data: bytes, stream: int = 1, length: int | None = None) -> bytes:
    """A gRPC message in one frame; ``length``: what it claims to hold."""
    return frame(DATA, b"\0" + struct.pack(">I", len(data) if length is None else length) + data, stream)


def connect() -> socket.socket:
    made = socket.socket(socket.AF_UNIX)
    made.connect(str(SEAT / "ref.sock"))
    return made


def drain(sock: socket.socket, seconds: float = 10.0) -> bytes:
    """What comes until the other side closes; the last 64 kB of it."""
    sock.settimeout(seconds)
    heard = b""
    try:
        while data := sock.recv(1 << 16):
            heard = (heard + data)[-(1 << 16) :]
    except ConnectionError:
        pass  # closed, which is what was wanted
    return heard


class Frames:
    """Reads frames."""

    def __init__(self, sock: socket.socket) -> None:
        self._file = sock.makefile("rb")

    def next(self) -> tuple[int, int, bytes]:
        """Kind, flags and payload."""
        head = self._file.read(9)
        return head[3], head[4], self._file.read(int.from_bytes(head[:3], "big"))
