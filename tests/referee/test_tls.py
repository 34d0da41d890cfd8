"""TLS at the gate: a bot plays over it, and does not give its token to a certificate that is not the referee's."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from cluster.store import Store
from referee.gate import Gate, Listen
from referee.rules.errors import ConfigError
from referee.rules.registry import RULESETS
from referee.tokens import TokenFile
from tests import loop
from tests.ports import free_port
from tests.referee.hosting import ROOT, against, play
from tests.referee.remote import guest, host, whose


def certificate(folder: Path, name: str, *more: str) -> tuple[Path, Path]:
    """A key, and a certificate that it has signed itself."""
    key, cert = folder / f"{name}.key", folder / f"{name}.pem"
    words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}"]
    alternatives = ["-addext", f"subjectAltName=DNS:{name}", "-keyout", str(key), "-out", str(cert)]
    subprocess.run([*words, *alternatives, *(more or ("-days", "2"))], check=True, capture_output=True, timeout=60)
    return key, cert


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tls")
    certificate(folder, "localhost")
    certificate(folder, "elsewhere")
    expired(folder, "localhost")
    return folder


def expired(folder: Path, name: str) -> None:
    """A certificate for this name, by an authority that a bot trusts, whose days are over."""
    key, authority = folder / f"{name}.key", folder / f"{name}.pem"
    (folder / "expired.key").write_bytes(key.read_bytes())
    (folder / "ca").mkdir()
    (folder / "ca" / "index.txt").touch()
    (folder / "ca.cnf").write_text(
        f"[ca]\ndefault_ca = here\n[here]\ndatabase = {folder}/ca/index.txt\nnew_certs_dir = {folder}/ca\nrand_serial = yes\n"
        f"default_md = sha256\npolicy = any\nx509_extensions = names\n[any]\ncommonName = supplied\n"
        f"[names]\nsubjectAltName = DNS:{name}\n"
    )
    request = ["openssl", "req", "-new", "-key", str(key), "-subj", f"/CN={name}", "-out", str(folder / "request")]
    sign = [
        "openssl", "ca", "-batch", "-config", str(folder / "ca.cnf"), "-keyfile", str(key), "-cert", str(authority), "-notext",
        "-startdate", "20200101000000Z", "-enddate", "20200201000000Z", "-in", str(folder / "request"),
        "-out", str(folder / "expired.pem"),
    ]  # fmt: skip
    for words in (request, sign):
        subprocess.run(words, check=True, capture_output=True, timeout=60)


def pair(folder: Path, name: str) -> tuple[bytes, bytes]:
    return (folder / f"{name}.key").read_bytes(), (folder / f"{name}.pem").read_bytes()


def test_a_bot_plays_over_tls(folder: Path) -> None:
    async def main() -> None:
        async with (
            host(tls=pair(folder, "localhost")) as (house, gate),
            guest(f"localhost:{gate.port}", "token of guest", str(folder / "localhost.pem")),
        ):
            (table,) = await play(house, against("guest"), game=RULESETS["king.simple"].game())
            assert not any(table.faults)

    loop.run(main(), 100)


@pytest.mark.parametrize(
    ("shown", "trusted"),
    [("elsewhere", "elsewhere"), ("localhost", "elsewhere"), ("expired", "localhost")],
    ids=["of another machine", "self-signed", "expired"],
)
def test_a_bot_refuses_a_certificate_that_is_not_the_referee_s(folder: Path, shown: str, trusted: str) -> None:
    async def main() -> None:
        async with (
            host(tls=pair(folder, shown)) as (_, gate),
            guest(f"localhost:{gate.port}", "token of guest", str(folder / f"{trusted}.pem")) as process,
        ):
            async with asyncio.timeout(60):
                assert await process.wait() == 1
            assert not gate.waits("guest", 0)

    loop.run(main(), 100)


def test_key_and_certificate_that_do_not_fit_are_told(folder: Path) -> None:
    async def main() -> None:
        wrong = pair(folder, "localhost")[0], b"no certificate"
        with pytest.raises(ConfigError, match="certificate and key do not fit"):
            await Gate(Listen("127.0.0.1:0", wrong), frozenset({"guest"}), whose).open()

    loop.run(main(), 60)


def listens(port: int) -> bool:
    """Wait until somebody does."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with suppress(OSError), socket.create_connection(("localhost", port)):
            return True
        time.sleep(0.05)
    return False


def test_serve_plays_a_tournament_with_a_remote_bot_over_tls(folder: Path, tmp_path: Path) -> None:
    """The whole of it, as an organiser and an author would type it."""
    (tmp_path / "league.toml").write_text(
        'ruleset = "king.simple"\nseed = 1\nblocks = 2\n[[bots]]\nname = "guest"\nremote = true\n'
        + "".join(f'[[bots]]\nname = "{name}"\n' for name in ("random", "lowest", "greedy"))
    )
    port = free_port()
    token = TokenFile(tmp_path / "tokens.json").add("guest")
    words = [
        sys.executable, "-m", "cluster.cli", "serve", str(tmp_path / "league.toml"), "--results", str(tmp_path / "out"),
        "--listen", f"localhost:{port}", "--tls-cert", str(folder / "localhost.pem"), "--tls-key", str(folder / "localhost.key"),
        "--tokens", str(tmp_path / "tokens.json"), "--format", "csv",
    ]  # fmt: skip
    roots = str(folder / "localhost.pem")
    bot = [sys.executable, str(ROOT / "tests" / "hostile" / "remote.py"), "remote", f"localhost:{port}", token, roots]
    started = []
    try:
        serving = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        started.append(serving)
        assert listens(port)
        playing = subprocess.Popen(bot, cwd=ROOT)
        started.append(playing)
        out, err = serving.communicate(timeout=120)
        assert serving.returncode == 0, err
        assert playing.wait(60) == 0
    finally:
        for process in started:
            process.kill()
            process.communicate()
    assert "2 blocks played" in err
    assert out.count("\n") == 5
    assert len(Store(tmp_path / "out").done()) == 2
