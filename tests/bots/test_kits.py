"""The kit of every language: built from `kingmaker new`, held to the transcripts, cut off, refused, and in real matches."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import grpc
import pytest

from tests.conformance.kits import BUILD_S, KITS, Built, built
from tests.conformance.referee import TOKEN, Replay, serving
from tests.conformance.transcript import FOLDER, read

VERSIONS = sorted(path for path in FOLDER.iterdir() if path.is_dir() and path.name.startswith("v"))
TRANSCRIPTS = sorted(path for version in VERSIONS for path in version.glob("*.txt"))
ROOT = FOLDER.parents[1]
SIMPLE = FOLDER / "v1" / "king.simple.txt"

pytestmark = pytest.mark.timeout(BUILD_S + 120)


@pytest.fixture(scope="session", params=KITS)
def kit(request: pytest.FixtureRequest) -> Built:
    return built(request.param)


@pytest.fixture
def seat(tmp_path: Path) -> Path:
    folder = tmp_path / "a seat % ü"  # a path that some would not quote
    folder.mkdir()
    (folder / "token").write_text(f"{TOKEN}\n")
    return folder


@contextmanager
def hosted(replay: Replay, seat: Path) -> Iterator[None]:
    """A referee behind the socket of a seat; the server's own path must be plain."""
    with serving(replay, f"unix:{seat.parent}/plain.sock"):
        (seat / "ref.sock").symlink_to(seat.parent / "plain.sock")
        yield


def test_there_is_a_transcript_for_every_ruleset_and_none_is_lost() -> None:
    names = {path.name for path in TRANSCRIPTS if path.parent.name == "v1"}
    assert names == {
        "edges.txt", "king.auction.txt", "king.fetes.txt", "king.simple.txt",
        "klaverjas.amsterdam.txt", "klaverjas.rotterdam.txt", "kings_corner.txt",
    }  # fmt: skip


#: The witness sees everything; a second bot shows that it does not only answer by heart.
CASES = [*(("witness", path) for path in TRANSCRIPTS), ("lowest", FOLDER / "v1" / "edges.txt")]


@pytest.mark.parametrize(("bot", "path"), CASES, ids=[f"{bot}-{path.parent.name}/{path.stem}" for bot, path in CASES])
def test_it_answers_as_recorded(kit: Built, bot: str, path: Path, seat: Path) -> None:
    replay = Replay(read(path), bot)
    with hosted(replay, seat):
        done = kit.play(bot, seat)
    assert replay.wrong == []
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert replay.told_all
    (hello,) = replay.streams
    assert (hello.min_version, hello.max_version, list(hello.features)) == (1, 1, [])
    assert (hello.name, hello.sdk) == (bot, f"kingmaker-{kit.language}/1")


def test_a_misreading_would_be_noticed(kit: Built, seat: Path) -> None:
    exchanges = read(SIMPLE)
    answers = exchanges[5].answers["witness"]
    (key,) = answers
    answers[key] += 1
    replay = Replay(exchanges, "witness")
    with hosted(replay, seat):
        kit.play("witness", seat)
    assert len(replay.wrong) == 1
    assert not replay.told_all


def test_a_wrong_token_is_told_in_one_line(kit: Built, seat: Path) -> None:
    (seat / "token").write_text("wrong")
    with hosted(Replay(read(SIMPLE), "lowest"), seat):
        done = kit.play("lowest", seat)
    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 1
    assert "not this socket's" in done.stderr


def test_a_seat_without_a_token_is_told_in_one_line(kit: Built, tmp_path: Path) -> None:
    done = kit.play("lowest", tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert str(tmp_path) in done.stderr
    assert "KINGMAKER_SEAT" in done.stderr


def test_a_lost_referee_ends_a_hosted_bot(kit: Built, seat: Path) -> None:
    """Its host has ended with its stream, and there is nothing to come back to."""
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(seat.parent / "plain.sock"))
    (seat / "ref.sock").symlink_to(seat.parent / "plain.sock")
    with closing(server), Wire(f"unix:{seat.parent}/real.sock", server) as wire:
        replay = Replay(read(SIMPLE), "lowest", wire.cut, cuts=(3,))
        with serving(replay, f"unix:{seat.parent}/real.sock"):
            done = kit.play("lowest", seat)
    assert (done.returncode, done.stdout, len(replay.streams)) == (1, "", 1)
    assert "lost" in done.stderr, done.stderr


def test_a_remote_bot_comes_back_after_a_cut(kit: Built, seat: Path) -> None:
    """Each stream begins anew, so that a referee may ask again what was not answered."""
    server = socket.create_server(("127.0.0.1", 0))
    (seat / "address").write_text(f"127.0.0.1:{server.getsockname()[1]}\n")
    with closing(server), Wire(f"unix:{seat.parent}/real.sock", server) as wire:
        replay = Replay(read(SIMPLE), "lowest", wire.cut, cuts=(6, 3))
        with serving(replay, f"unix:{seat.parent}/real.sock"):
            done = kit.play("lowest", seat)
    assert (replay.wrong, replay.told_all, len(replay.streams)) == ([], True, 3)
    assert (done.returncode, done.stdout) == (0, "")
    assert len(done.stderr.splitlines()) == 2


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An authority (roots.pem), and a server of this machine that it vouches for (server.pem, server.key)."""
    folder = tmp_path_factory.mktemp("certificates")
    (folder / "leaf.cnf").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\nbasicConstraints=CA:FALSE\n")
    new = ["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    for words in (
        [*new, "-x509", "-days", "2", "-subj", "/CN=tests", "-keyout", "ca.key", "-out", "roots.pem"],
        [*new, "-x509", "-days", "2", "-subj", "/CN=others", "-keyout", "others.key", "-out", "others.pem"],
        [*new, "-subj", "/CN=localhost", "-keyout", "server.key", "-out", "server.csr"],
        ["x509", "-req", "-days", "2", "-in", "server.csr", "-CA", "roots.pem", "-CAkey", "ca.key", "-CAcreateserial",
         "-extfile", "leaf.cnf", "-out", "server.pem"],
    ):  # fmt: skip
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True, timeout=60)
    return folder


def secure(seat: Path, certificates: Path, roots: str, kit: Built) -> tuple[Replay, subprocess.CompletedProcess[str]]:
    exchanges = read(SIMPLE)
    replay = Replay([*exchanges[:8], exchanges[-1]], "witness")
    pair = (certificates / "server.key").read_bytes(), (certificates / "server.pem").read_bytes()
    with serving(replay, "127.0.0.1:0", grpc.ssl_server_credentials([pair])) as port:
        (seat / "address").write_text(f"localhost:{port}")
        (seat / "roots.pem").write_bytes((certificates / roots).read_bytes())
        return replay, kit.play("witness", seat)


def test_a_remote_referee_is_spoken_to_by_tls(kit: Built, seat: Path, certificates: Path) -> None:
    replay, done = secure(seat, certificates, "roots.pem", kit)
    assert (replay.wrong, replay.told_all, done.returncode, done.stderr) == ([], True, 0, "")


@pytest.mark.slow  # ten seconds of patience
def test_a_referee_with_a_certificate_of_somebody_else_gets_no_token(kit: Built, seat: Path, certificates: Path) -> None:
    replay, done = secure(seat, certificates, "others.pem", kit)
    assert (replay.streams, done.returncode) == ([], 1)
    assert "localhost" in done.stderr.splitlines()[-1]


class Wire:
    """Carries bytes between a listening socket and a server's unix socket, and can be cut."""

    def __init__(self, target: str, server: socket.socket) -> None:
        self.target, self.server = target.removeprefix("unix:"), server
        self.ends: list[socket.socket] = []

    def __enter__(self) -> Wire:
        self.server.listen()
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.close()
        self.cut()

    def cut(self) -> None:
        """Break every connection, as a lost network does."""
        ends, self.ends = self.ends, []
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self.server.accept()
            except OSError:
                return  # the test is over
            if near.family == socket.AF_INET:
                near.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            far = socket.socket(socket.AF_UNIX)
            try:
                far.connect(self.target)
            except OSError:
                near.close()
                continue
            self.ends += [near, far]
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self._carry, args=(source, sink), daemon=True).start()

    @staticmethod
    def _carry(source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
        with suppress(OSError):
            sink.shutdown(socket.SHUT_RDWR)


def test_the_go_code_is_what_the_protos_give(tmp_path: Path) -> None:
    """It is committed, because Go has no build step that could make it."""
    if shutil.which("go") is None:
        pytest.skip("no go here")
    code = ROOT / "bots" / "go" / "kingmaker"
    env = os.environ | {"OUT": str(tmp_path), "PROTOC": f"{sys.executable} -m grpc_tools.protoc"}
    subprocess.run(["sh", "generate.sh"], cwd=code, env=env, check=True, timeout=BUILD_S)
    made, committed = ({path.name: path.read_text() for path in folder.iterdir()} for folder in (tmp_path, code / "internal" / "refereev1"))
    assert made == committed
