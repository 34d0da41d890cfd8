"""What an author and an organiser say to a running competition, and what it answers."""

import io
import json
import tarfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import grpc
import pytest
from typer.testing import CliRunner

from cluster.cli import app
from cluster.competition import owners, registry
from cluster.competition.client import Client, Failed, state_of
from cluster.competition.schema import State
from cluster.competition.v1 import competition_service_pb2 as pb
from cluster.competition.v1 import competition_service_pb2_grpc as pb_grpc
from cluster.intake.packing import pack
from referee.rules.errors import ConfigError
from tests.competition.serving import Served

MANIFEST = 'name = "bot"\nlanguage = "python"\nrun = "python3 bot.py"\nrulesets = ["king.simple"]\n'


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with Served(tmp_path / "c") as found:
        yield found


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "bot.toml").write_text(MANIFEST)
    (folder / "bot.py").write_text("print()\n")
    return folder


def wait_until(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def names_in(archive: bytes) -> list[str]:
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        return sorted(tar.getnames())


def nobody(_: int) -> None:
    pass


def test_an_archive_arrives_whole_and_progress_is_told(served: Served) -> None:
    archive = bytes(range(256)) * 20_000
    told: list[int] = []
    with served.client() as client:
        found = client.submit(archive, told.append)
        assert (state_of(found), found.size, found.owner) == ("received", len(archive), "ada")
        assert told == sorted(told)
        assert told[-1] == len(archive)
        assert len(told) > 3
        assert [each.id for each in client.submissions()] == [found.id]
        assert client.submit(archive, nobody).id == found.id
    assert served.place.upload(found.id).read_bytes() == archive
    assert [path.name for path in served.place.uploads.iterdir()] == [found.id]


def test_what_is_too_much_is_refused_before_it_is_sent(served: Served) -> None:
    told: list[int] = []
    with served.client("ada", max_archive_bytes=1000, max_submissions_a_day=1) as client:
        with pytest.raises(Failed, match="more than the 1000 bytes"):
            client.submit(bytes(1001), told.append)
        assert told == []
        client.submit(b"one", nobody)
        with pytest.raises(Failed, match="1 submissions a day"):
            client.submit(b"two", nobody)
    assert len(list(served.place.uploads.iterdir())) == 1, "what was refused is not kept"


@pytest.mark.parametrize(
    ("pieces", "sentence"),
    [
        ([], "begins with its header"),
        ([pb.SubmitRequest(data=b"x")], "begins with its header"),
        ([pb.SubmitRequest(header=pb.SubmitHeader(size=2)), pb.SubmitRequest(data=b"x")], "told 2 bytes, 1 came"),
        ([pb.SubmitRequest(header=pb.SubmitHeader(size=2)), pb.SubmitRequest(data=b"xyz")], "told 2 bytes, 3 came"),
        ([pb.SubmitRequest(header=pb.SubmitHeader(size=2))] * 2, "after the header comes data"),
    ],
)
def test_an_upload_that_is_none_is_refused_and_leaves_nothing(pieces: list[pb.SubmitRequest], sentence: str, served: Served) -> None:
    _, token = owners.add(served.database, "ada", ("submit",))
    with grpc.insecure_channel(served.address) as channel:
        call = pb_grpc.CompetitionServiceStub(channel).Submit(iter(pieces), metadata=(("kingmaker-token", token),), timeout=10)
        with pytest.raises(grpc.RpcError) as refused:
            list(call)
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert sentence in refused.value.details()
    wait_until(lambda: not list(served.place.uploads.iterdir()))
    assert registry.of_owner(served.database, None) == []


def test_tokens_open_what_they_are_for(served: Served) -> None:
    with Client(served.address, "km_nobody") as stranger, pytest.raises(Failed, match="unknown here"):
        stranger.submissions()
    with served.client("bob", "play") as player, pytest.raises(Failed, match="is for play, not to submit"):
        player.submit(b"x", nobody)
    with served.client("ada") as author, pytest.raises(Failed, match="is for submit, not to admin"):
        author.add_owner("eve", ("submit",))
    with served.client("root", "admin") as organiser:
        token = organiser.add_owner("eve", ("submit",))
        with Client(served.address, token) as eve:
            eve.submit(b"x", nobody)
        assert [each.owner for each in organiser.submissions()] == ["eve"]
        assert organiser.revoke_owner("EVE") == 1
        assert [(each.name, each.revoked) for each in organiser.owners()][-1] == ("eve", True)
    with Client(served.address, token) as eve, pytest.raises(Failed, match="revoked"):
        eve.submissions()


def test_a_log_is_its_owners(served: Served) -> None:
    with served.client("ada") as ada, served.client("bob") as bob, served.client("root", "admin") as organiser:
        found = ada.submit(b"x", nobody)
        registry.move(served.database, found.id, (State.RECEIVED,), State.REJECTED, "no bot.toml in it")
        assert "no bot.toml in it" in ada.log(found.id).log
        assert "no bot.toml in it" in organiser.log(found.id).log
        for call in (bob.log, bob.submissions, ada.log):
            with pytest.raises(Failed, match="no submission"):
                call("0" * 12 if call == ada.log else found.id)
        assert bob.submissions() == []


def test_a_folder_is_packed_the_same_each_time_without_what_builds_make(bot: Path) -> None:
    first = pack(bot)
    for name in ("node_modules", "__pycache__", ".git"):
        (bot / name).mkdir()
        (bot / name / "x").write_text("x")
    (bot / "link.py").symlink_to("bot.py")
    names = names_in(pack(bot))
    assert names == ["bot.py", "bot.toml", "link.py", "node_modules/x"], "without a build all that it needs is sent"
    (bot / "bot.toml").write_text(MANIFEST + 'build = "true"\n')
    assert names_in(pack(bot)) == ["bot.py", "bot.toml", "link.py"]
    (bot / "link.py").unlink()
    (bot / "bot.toml").write_text(MANIFEST)
    (bot / "node_modules" / "x").unlink()
    assert pack(bot) == first
    (bot / "out").symlink_to("/etc/passwd")
    with pytest.raises(ConfigError, match="not in the bot's folder"):
        pack(bot)


def test_the_commands_submit_and_tell(served: Served, bot: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, token = owners.add(served.database, "ada", ("submit",))
    (tmp_path / "token").write_text(token + "\n")
    to = ["--server", served.address, "--token-file", str(tmp_path / "token")]
    said = CliRunner().invoke(app, ["submit", str(bot), "--no-wait", *to])
    assert said.exit_code == 0, said.output
    chosen = said.stdout.strip()
    (row,) = json.loads(CliRunner().invoke(app, ["submissions", "--format", "json", *to]).stdout)
    assert (row["submission"], row["state"], row["bot"]) == (chosen, "received", None)
    registry.move(served.database, chosen, (State.RECEIVED,), State.REJECTED, "it says \x1b[2J")
    monkeypatch.setenv("KINGMAKER_TOKEN", token)
    log = CliRunner().invoke(app, ["submissions", chosen, "--log", "--server", served.address])
    assert "it says \\x1b[2J" in log.stdout
    (bot / "bot.toml").write_text((bot / "bot.toml").read_text().replace('"king.simple"', '"king.fete"'))
    with tarfile.open(misspelt := tmp_path / "misspelt.tar.gz", "w:gz") as packed:
        packed.add(bot, "inside")
    for words, sentence in (
        (["submissions", "--log"], "name it"),
        (["submit", str(tmp_path / "nowhere"), *to], "No such file"),
        (["submit", str(tmp_path), *to], "bot.toml: No such file"),
        (["submit", str(tmp_path), *to], "`kingmaker new` makes"),
        (["submit", str(tmp_path / "token"), *to], "token: it is no zip or tar"),
        (["submit", str(misspelt), *to], "misspelt.tar.gz/inside/bot.toml: no ruleset 'king.fete'; did you mean 'king.fetes'?"),
        (["submissions", "--server", "example"], "it is HOST:PORT"),
        (["submissions", "--token-file", str(tmp_path / "none")], "No such file"),
        (["submissions", "--server", "127.0.0.1:1"], "no competition answers at 127.0.0.1:1"),
    ):
        assert sentence in str(CliRunner().invoke(app, words).exception), words
