"""Remote bots in the ladder: real ones, that come by `bots.play` with a token, leave, and come back."""

import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import grpc
import polars as pl
import pytest

from cluster.competition import owners, publishing, seasons
from cluster.competition.database import Database
from cluster.competition.ladder import Keeper
from cluster.competition.place import Place
from cluster.competition.remote import Guests, whose
from cluster.competition.settings import LadderSettings, Settings
from cluster.store import PLAN, Store
from cluster.tournament import ClockSettings
from cluster.verify import verify
from referee.gate import Listen
from referee.service import METHOD, SERVICE, TOKEN_KEY
from tests.competition.running import Competition, until
from tests.ports import free_port
from tests.referee.hosting import ROOT

BOT = """
import sys
import bots

class Bot:
    decided = 0

    def decide(self, observation, legal):
        self.decided += 1
        if self.decided == {leaves}:
            sys.exit("I have to go")
        return legal[observation.seed % len(legal)]

bots.play(Bot(), {address!r}, {token!r})
"""
SIMPLE = (LadderSettings(ruleset="king.simple"),)
PATIENT = ClockSettings(budget_ms=60_000)


@contextmanager
def bot(address: str, token: str, leaves: int = 0) -> Iterator[subprocess.Popen[str]]:
    """A remote bot; it leaves at its ``leaves``th decision, 0 for never."""
    code = BOT.format(address=address, token=token, leaves=leaves)
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


class House:
    """The ladder of remote bots in this process; use as a context."""

    def __init__(self, folder: Path) -> None:
        self.place = Place(folder)
        self.database: Database = self.place.database(None)
        self.address = f"127.0.0.1:{free_port()}"
        settings = Settings(remote=SIMPLE, remote_clocks=PATIENT)
        self.guests = Guests(settings, Listen(self.address), whose(self.database.address))
        self.keeper = Keeper(self.place, self.database, settings, self.guests)
        self.ladder = seasons.ladder(self.database, "king.simple", remote=True)

    def __enter__(self) -> "House":
        return self

    def __exit__(self, *_: object) -> None:
        self.guests.close()
        self.database.close()

    @property
    def store(self) -> Store:
        return Store(self.place.results(self.ladder, 1))

    def token(self, name: str, *scopes: str) -> str:
        return owners.add(self.database, name, scopes or ("play",))[1]

    def here(self) -> set[str]:
        return {entry.name for entry in self.guests.bots(self.ladder)}


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with House(tmp_path / "c") as found:
        yield found


def test_two_remote_bots_play_in_a_list_of_their_own_while_they_are_connected(house: House) -> None:
    assert not house.keeper.step(), "nobody is there"
    with bot(house.address, house.token("Ada")) as first, bot(house.address, house.token("国王")) as second:
        until(lambda: house.here() == {"Ada", "国王"}, "both of them")
        for _ in range(3):
            assert house.keeper.step()
        matches = house.store.table("matches")
        assert set(matches["bot"]) == {"random", "greedy", "cautious", "Ada", "国王"}
        assert matches["faults"].sum() == 0
        assert set(matches.filter(pl.col("bot") == "Ada")["tier"]) == {"remote"}
        assert (first.poll(), second.poll()) == (None, None), "they need not come anew for each round"
        first.kill()
        until(lambda: house.here() == {"国王"}, "the other one alone")
        assert house.keeper.step()
        assert not any("Ada" in lineup for lineup in house.store.lineups()[12:])
    until(lambda: house.here() == set(), "nobody")
    assert not house.keeper.step()
    with bot(house.address, house.token("Ada")):
        until(lambda: house.here() == {"Ada"}, "the first one again")
        assert house.keeper.step()
        found = seasons.latest_snapshot(house.database, house.ladder.id, 1)
        assert found is not None
        assert set(found.standings["bot"]) == {"random", "greedy", "cautious", "Ada", "国王"}, "under the name that it had"
    report = verify(house.store)
    assert report.problems == []
    assert report.stored_blocks == 20


def test_who_leaves_in_the_middle_of_a_round_loses_it_alone(house: House) -> None:
    with bot(house.address, house.token("ada"), leaves=30) as leaver, bot(house.address, house.token("bob")):
        until(lambda: house.here() == {"ada", "bob"}, "both of them")
        assert house.keeper.step()
        leaver.wait(60)
        matches = house.store.table("matches")
        ada, others = matches.filter(pl.col("bot") == "ada"), matches.filter(pl.col("bot") != "ada")
        assert ada["disconnect"].sum() == ada["faults"].sum() > 0
        assert others["faults"].sum() == 0
        assert others["forfeited"].sum() == 0
        assert house.here() == {"bob"}
        assert house.keeper.step()
    assert verify(house.store).problems == []


def test_who_says_nothing_is_not_waited_for(house: House) -> None:
    over = threading.Event()

    def nothing() -> Iterator[bytes]:
        over.wait()
        yield from ()

    with grpc.insecure_channel(house.address) as channel:
        channel.stream_stream(f"/{SERVICE}/{METHOD}")(nothing(), metadata=[(TOKEN_KEY, house.token("mute"))])
        with bot(house.address, house.token("ada")):
            until(lambda: "ada" in house.here(), "the one who plays")
            assert house.keeper.step()
        over.set()
    assert {name for lineup in house.store.lineups() for name in lineup} == {"random", "greedy", "cautious", "ada"}


@pytest.mark.parametrize(("scopes", "name", "sentence"), [
    (("submit",), "ada", "the token is for submit, not to play"),
    (("play",), "Greedy", "'Greedy' is the name of a reference bot"),
    (None, "ada", "the token is unknown here"),
])  # fmt: skip
def test_who_may_not_play_is_told_why(scopes: tuple[str, ...] | None, name: str, sentence: str, house: House) -> None:
    token = "km_nobody" if scopes is None else house.token(name, *scopes)
    with bot(house.address, token) as process:
        assert sentence in process.communicate(timeout=60)[1]
        assert process.returncode == 1
    assert house.here() == set()


def test_who_is_revoked_is_shown_out(house: House) -> None:
    with bot(house.address, house.token("ada")) as process:
        until(lambda: house.here() == {"ada"}, "the bot")
        owners.revoke(house.database, "ada")
        assert "the token is revoked" in process.communicate(timeout=60)[1]
    assert house.here() == set()


def is_open(address: str) -> bool:
    host, _, port = address.rpartition(":")
    with socket.socket() as probe:
        return probe.connect_ex((host, int(port))) == 0


@pytest.mark.slow
def test_whatever_is_killed_remote_bots_come_back_and_nobody_pays_for_it(tmp_path: Path) -> None:
    settings = 'ladders = []\nremote = [{ruleset = "king.simple"}]\nremote_clocks = {budget_ms = 60000}\npause_s = 0.1\nisolation = "trusted"\n'
    with Competition(tmp_path / "c", settings) as running, ExitStack() as stack:
        until(lambda: is_open(running.gate), "the gate open")  # a bot that never saw it gives up after a minute
        players = [
            stack.enter_context(bot(running.gate, owners.add(running.database, name, ("play",))[1])) for name in ("ada", "bob")
        ]
        store = Store(running.place.results(seasons.ladder(running.database, "king.simple", remote=True), 1))

        def goes_on() -> None:
            """Both of them sit in rounds that begin from now on, and these are played; one may be back before the other."""
            before = len(store.lineups())
            until(lambda: {"ada", "bob"} <= {name for lineup in store.lineups()[before:] for name in lineup}, "both in new rounds")
            coming = len(store.lineups())
            until(lambda: (store.folder / PLAN).exists() and len(store.done()) >= coming, "the end of these rounds")

        goes_on()
        for victim in ("remote", "referee.launcher", "remote"):
            running.kill(victim)
            goes_on()
        assert [player.poll() for player in players] == [None, None]
        publishing.freeze(running.place, running.database)
        until(lambda: len(store.done()) == store.plan["blocks"], "the end of the season")
        matches = store.table("matches")
        assert matches["faults"].sum() == 0
        assert verify(store).problems == []
