"""`kingmaker serve` without a file: a competition, with all that it needs, in one command."""

from __future__ import annotations

import socket
import time
from pathlib import Path

from cluster.cli.competition import opened
from cluster.cli.output import say
from referee.isolation import tiers
from referee.rules.errors import ConfigError

SUBMIT = "127.0.0.1:7410"
_MOMENT_S = 10.0


def compete(
    data: Path, database: str | None, submit: str, listen: str, tls: tuple[Path, Path] | None, plaintext: bool, dashboard_port: int
) -> None:
    """Run a competition: take submissions, build and try them, keep playing, show the standings.

    ``submit``, ``listen``: where authors and remote bots come in. ``tls``: the files of certificate and key.

    Raises:
        ConfigError: it cannot be run on this machine as it has to be.
    """
    from referee.gate import Listen  # gRPC takes its time; other commands do without it

    for address in (submit, listen):
        Listen(address, (b"", b"") if tls else None, plaintext).check()
    if dashboard_port and not _comes_free(dashboard_port):
        raise ConfigError(f"port {dashboard_port} is taken by another program; --dashboard-port names another one for the pages, or 0 for none")
    place, registry = opened(data, database)
    place.alone()  # until this process ends
    from cluster.competition import seasons, serve, settings

    chosen = settings.load(place.folder)
    if reason := tiers.why_not(chosen.isolation):
        raise ConfigError(
            f"what strangers submit is isolated by {chosen.isolation}, and {reason}; install it, or set isolation in "
            f"{place.folder / settings.FILE}: landlock needs nothing installed, trusted is for a competition among friends"
        )
    season = seasons.current(registry)
    registry.close()
    say(f"season {season.number}; the commitment to its seed is {season.commitment}")
    say(f"authors submit to it: kingmaker submit DIR --server {submit}")
    if chosen.remote:
        say(f"remote bots come to {listen}: bots.play(MyBot(), {listen!r}, token)")
    if dashboard_port:
        say(f"the pages are at http://127.0.0.1:{dashboard_port}; Ctrl-C ends all of it, and nothing is lost")
    remote = listen if chosen.remote else None
    parts = serve.parts(place.folder.resolve(), submit, remote, dashboard_port or None, tls, plaintext=plaintext)
    serve.Tree(parts, registry.address, say).run()



def _comes_free(port: int) -> bool:
    """Whether nobody listens there, or stops within a moment, as the pages of a competition that was just ended do."""
    deadline = time.monotonic() + _MOMENT_S
    while True:
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.1)
        else:
            return True
