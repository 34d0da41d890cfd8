"""Ports for servers that a test starts in other processes, and that have to be known before."""

import secrets
import socket
from pathlib import Path

#: From here on it is nobody's by custom; the end of all ports.
FIRST, END = 10_000, 1 << 16


def free_port() -> int:
    """A port where nobody listens, outside of those that the kernel gives to whoever asks for any: it stays free until it is used."""
    low, high = map(int, Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split())
    ours = [*range(FIRST, low), *range(high + 1, END)] or range(FIRST, END)
    while True:
        port = secrets.choice(ours)
        with socket.socket() as one:
            try:
                one.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
