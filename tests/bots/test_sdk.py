"""The Python SDK against a scripted referee in the same process."""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest

import bots
from bots import client
from bots.client import SEAT_VARIABLE, Tables
from referee.rules import registry
from referee.rules.errors import BadNotation
from referee.v1 import decision_pb2, match_pb2, referee_service_pb2, referee_service_pb2_grpc
from referee.wire import ruleset_info
from tests.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
TOKEN = "a-token-for-tests"
FETES = registry.ruleset("king.fetes").game()
CORNER = registry.ruleset("kings_corner").game()
WELCOME = referee_service_pb2.PlayResponse(welcome=referee_service_pb2.Welcome(version=1, max_batch=256))
GOODBYE = referee_service_pb2.PlayResponse(goodbye=referee_service_pb2.Goodbye(reason="over"))


class ScriptedReferee(referee_service_pb2_grpc.RefereeServiceServicer):
    """Sends batches one after the other, each when the one before is answered, and keeps what it is told."""

    def __init__(self, batches: list[referee_service_pb2.Batch], *, last: str = "goodbye") -> None:
        self.batches = batches
        self.last = last
        self.told: list[referee_service_pb2.PlayRequest] = []
        self.token = ""

    def Play(self, request_iterator: Any, context: grpc.ServicerContext) -> Iterator[referee_service_pb2.PlayResponse]:
        self.token = str(dict(context.invocation_metadata()).get("kingmaker-token"))
        if self.token != TOKEN:
            context.abort(grpc.StatusCode.UNAUTHENTICATED, "the token is not this socket's")
        self.told.append(next(request_iterator))
        yield WELCOME
        for batch in self.batches:
            yield referee_service_pb2.PlayResponse(batch=batch)
            if batch.decisions:
                self.told.append(next(request_iterator))
        if self.last == "abort":
            context.abort(grpc.StatusCode.ABORTED, "superseded")
        if self.last == "goodbye":
            yield GOODBYE

    @property
    def answers(self) -> list[list[tuple[int, int, int]]]:
        """(match, number, action) by message."""
        return [[(a.match, a.number, a.action) for a in told.answers.answers] for told in self.told[1:]]


@contextmanager
def serving(referee: ScriptedReferee, address: str) -> Iterator[int]:
    with ThreadPoolExecutor(2) as threads:
        server = grpc.server(threads)
        referee_service_pb2_grpc.add_RefereeServiceServicer_to_server(referee, server)
        port = server.add_insecure_port(address)
        server.start()
        try:
            yield port
        finally:
            server.stop(0).wait()


@pytest.fixture
def seat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "a seat"  # a path that needs quoting
    folder.mkdir()
    (folder / "token").write_text(TOKEN + "\n")
    monkeypatch.setenv(SEAT_VARIABLE, str(folder))
    return folder


def play_at(seat: Path, bot: Any, *batches: referee_service_pb2.Batch, last: str = "goodbye") -> ScriptedReferee:
    referee = ScriptedReferee(list(batches), last=last)
    with serving(referee, f"unix:{str(seat / 'ref.sock').replace(' ', '%20')}"):
        bots.play(bot)
    return referee


def start(match: int = 1, *, seat: int = 2, ruleset: int = 1) -> match_pb2.MatchStart:
    return match_pb2.MatchStart(match=match, ruleset=ruleset, seat=seat, players=list("abcd"), max_faults=3)


def decision(match: int = 1, number: int = 1, **fields: Any) -> decision_pb2.Decision:
    basis: dict[str, Any] = {"kind": 1, "legal": [4, 7, 51], "seed": 5}
    return decision_pb2.Decision(match=match, number=number, **(basis | fields))


FIRST = referee_service_pb2.Batch(
    rulesets=[ruleset_info(1, FETES)], match_starts=[start(1), start(2)], decisions=[decision(1), decision(2)]
)
SECOND = referee_service_pb2.Batch(
    match_ends=[
        match_pb2.MatchEnd(
            match=1, match_id="m", totals=[1, 2, 3, 4], ranks=[4, 3, 2, 1], faults=[decision_pb2.FAULT_KIND_TIMEOUT]
        )
    ],
    decisions=[decision(2, 2), decision(2, 3, legal=[9])],
)

SECOND_WITHOUT_END = referee_service_pb2.Batch(decisions=[decision(2, 2)])


class Last:
    """The highest legal action; notes what the hooks are told."""

    def __init__(self) -> None:
        self.heard: list[Any] = []

    def decide(self, observation: bots.Observation, legal: list[int]) -> int:
        assert legal == observation.legal
        return legal[-1]

    def match_start(self, match: bots.Match) -> None:
        self.heard.append(("start", match.number))

    def match_end(self, match: bots.Match, result: bots.Result) -> None:
        self.heard.append(("end", match.number, result))


def test_hello_comes_first_with_the_token(seat: Path) -> None:
    referee = play_at(seat, Last())
    hello = referee.told[0].hello
    assert (hello.min_version, hello.max_version, hello.name) == (1, 1, "Last")
    assert hello.sdk.startswith("kingmaker-python/")
    assert referee.token == TOKEN


def test_a_batch_is_answered_by_one_message(seat: Path) -> None:
    referee = play_at(seat, Last(), FIRST, SECOND)
    assert referee.answers == [[(1, 1, 51), (2, 1, 51)], [(2, 2, 51), (2, 3, 9)]]


def test_a_batch_without_decisions_is_not_answered(seat: Path) -> None:
    assert play_at(
        seat, Last(), referee_service_pb2.Batch(rulesets=FIRST.rulesets, match_starts=[start(2)]), SECOND_WITHOUT_END
    ).answers == [[(2, 2, 51)]]


def test_a_bot_may_decide_all_at_once(seat: Path) -> None:
    sizes: list[int] = []

    class AtOnce:
        def decide_batch(self, observations: list[bots.Observation]) -> list[int]:
            sizes.append(len(observations))
            return [observation.legal[observation.match % 2] for observation in observations]

    assert play_at(seat, AtOnce(), FIRST).answers == [[(1, 1, 7), (2, 1, 4)]]
    assert sizes == [2]


def test_hooks_hear_of_matches(seat: Path) -> None:
    bot = Last()
    play_at(seat, bot, FIRST, SECOND)
    assert bot.heard[:2] == [("start", 1), ("start", 2)]
    kind, match, result = bot.heard[2]
    assert (kind, match, result.match_id) == ("end", 1, "m")
    assert (result.totals, result.ranks, result.faults, result.is_void) == (
        (1, 2, 3, 4),
        (4, 3, 2, 1),
        ("timeout",),
        False,
    )


def test_matches_are_dropped_at_their_end() -> None:
    tables = Tables(Last())
    for batch in (FIRST, SECOND):
        tables.begin(batch)
        tables.answers(batch.decisions)
        tables.end(batch)
    assert list(tables.matches) == [2]


def test_the_end_of_the_stream_is_an_end_too(seat: Path) -> None:
    assert len(play_at(seat, Last(), FIRST, last="nothing").answers) == 1


def test_a_remote_bot_gives_address_and_token() -> None:
    referee = ScriptedReferee([FIRST])
    with serving(referee, "127.0.0.1:0") as port:
        bots.play(Last(), f"127.0.0.1:{port}", TOKEN, name="far")
    assert referee.told[0].hello.name == "far"
    assert len(referee.answers) == 1
    with pytest.raises(ValueError, match="address and token"):
        bots.play(Last(), "127.0.0.1:1")


def test_a_remote_referee_that_is_not_there_yet_is_waited_for(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever starts the bot is told so, once, after a while."""
    monkeypatch.setattr(client, "TELL_S", 0.0)
    port, told, referee = free_port(), "", ScriptedReferee([FIRST])
    with ThreadPoolExecutor(1) as threads:
        playing = threads.submit(bots.play, Last(), f"127.0.0.1:{port}", TOKEN)
        while not told.endswith("\n") and not playing.done():
            told += capsys.readouterr().err
        with serving(referee, f"127.0.0.1:{port}"):
            playing.result(60)
    assert len(referee.answers) == 1
    assert re.fullmatch(rf"the connection to the referee at 127.0.0.1:{port} failed or was lost: .*; looking for it for a minute\n", told)
    assert capsys.readouterr().err == ""


def test_a_remote_referee_that_never_comes_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "SEEK_S", 0.5)
    with pytest.raises(bots.NoReferee, match=r"connection to the referee at 127\.0\.0\.1:\d+ failed or was lost"):
        bots.play(Last(), f"127.0.0.1:{free_port()}", TOKEN)


def test_a_wrong_token_is_told(seat: Path) -> None:
    (seat / "token").write_text("wrong")
    with pytest.raises(bots.NoReferee, match="UNAUTHENTICATED: the token is not this socket's"):
        play_at(seat, Last(), FIRST)


def test_an_abort_is_told(seat: Path) -> None:
    with pytest.raises(bots.NoReferee, match="ABORTED: superseded"):
        play_at(seat, Last(), FIRST, last="abort")


def test_no_referee_listens(seat: Path) -> None:
    with pytest.raises(bots.NoReferee, match=r"connection to the referee at unix:.* failed or was lost"):
        bots.play(Last())


def test_no_seat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SEAT_VARIABLE, str(tmp_path / "nowhere"))
    with pytest.raises(bots.NoReferee, match=r"no referee at .*nowhere"):
        bots.play(Last())


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (None, "decide returned None in match 1, decision 1; it must return an int, one of .*4, 7, 51"),
        (4.0, "decide returned 4.0"),
        ("4C", "decide returned '4C'"),
        (-1, "decide returned -1 .*whole numbers from 0"),
        (1 << 32, "decide returned 4294967296"),
    ],
)
def test_what_is_no_action_is_told(seat: Path, answer: object, complaint: str) -> None:
    class Wrong:
        def decide(self, observation: bots.Observation, legal: list[int]) -> Any:
            return answer

    with pytest.raises(bots.BadAnswer, match=complaint):
        play_at(seat, Wrong(), FIRST)


@pytest.mark.parametrize("answers", [None, [], [4], [4, None], [1, 2, 3]])
def test_what_is_no_list_of_actions_is_told(seat: Path, answers: object) -> None:
    class Wrong:
        def decide_batch(self, observations: list[bots.Observation]) -> Any:
            return answers

    with pytest.raises(bots.BadAnswer, match="decide_batch returned"):
        play_at(seat, Wrong(), FIRST)


def test_an_illegal_number_is_for_the_referee_to_judge(seat: Path) -> None:
    class Illegal:
        def decide(self, observation: bots.Observation, legal: list[int]) -> int:
            return 12

    assert play_at(seat, Illegal(), FIRST).answers == [[(1, 1, 12), (2, 1, 12)]]


def test_what_a_bot_raises_comes_through(seat: Path) -> None:
    class Broken:
        def decide(self, observation: bots.Observation, legal: list[int]) -> int:
            raise ZeroDivisionError("the bot's own")

    with pytest.raises(ZeroDivisionError, match="the bot's own"):
        play_at(seat, Broken(), FIRST)


def test_a_thing_without_decide_is_no_bot(seat: Path) -> None:
    with pytest.raises(TypeError, match="no method decide"):
        play_at(seat, object(), FIRST)


# As processes: what an author sees.


def run(seat: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, SEAT_VARIABLE: str(seat), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def run_at(seat: Path, *arguments: str) -> tuple[ScriptedReferee, subprocess.CompletedProcess[str]]:
    referee = ScriptedReferee([FIRST])
    with serving(referee, f"unix:{str(seat / 'ref.sock').replace(' ', '%20')}"):
        return referee, run(seat, *arguments)


def test_a_reference_bot_is_a_command(seat: Path) -> None:
    referee, process = run_at(seat, "-m", "bots.reference", "random")
    assert (process.returncode, process.stderr, process.stdout) == (0, "", "")
    assert referee.told[0].hello.name == "random"
    assert referee.answers == [[(1, 1, [4, 7, 51][5 % 3]), (2, 1, [4, 7, 51][5 % 3])]]


def test_an_exception_ends_the_process_with_its_trace(seat: Path) -> None:
    code = "import bots\nclass B:\n def decide(self, o, legal): return legal[99]\nbots.play(B())"
    _, process = run_at(seat, "-c", code)
    assert process.returncode == 1
    assert "Traceback" in process.stderr
    assert "IndexError" in process.stderr


def test_a_lost_referee_is_one_sentence_and_status_1(seat: Path) -> None:
    process = run(seat, "-m", "bots.reference", "random")
    assert process.returncode == 1
    assert process.stderr.startswith("the connection to the referee at unix:")
    assert "Traceback" not in process.stderr


@pytest.mark.parametrize(
    ("arguments", "text"), [((), "usage:"), (("greddy",), "did you mean 'greedy'"), (("a", "b"), "usage:")]
)
def test_wrong_usage_is_status_2(seat: Path, arguments: tuple[str, ...], text: str) -> None:
    process = run(seat, "-m", "bots.reference", *arguments)
    assert process.returncode == 2
    assert text in process.stderr


# What an observation shows.


def observe(game: Any = FETES, **fields: Any) -> bots.Observation:
    match = bots.Match(start(7), bots.Ruleset(ruleset_info(1, game)))
    return bots.Observation(decision(7, 3, **fields), match)


def test_an_observation_of_a_trick() -> None:
    seen = observe(
        hand=1 << 4 | 1 << 51, contract=2, actions=[0, 1, 2, 3, 8, 9], seats=[0, 1, 2, 3, 3, 0], trick_size=2, dealer=3,
        tricks=[0, 0, 0, 1], totals=[5, 0, -5, 0], deal=2, budget_ms=200, bank_ms=5000, charged_us=17, last_fault=3, seed=99,
    )  # fmt: skip
    assert (seen.kind, seen.contract, seen.declarer, seen.seat, seen.dealer) == ("play", "no_hearts", None, 2, 3)
    assert (seen.hand, seen.hand_mask, seen.legal) == ([4, 51], 1 << 4 | 1 << 51, [4, 7, 51])
    assert seen.trick == [(3, 8), (0, 9)]
    assert seen.history == [(0, 0), (1, 1), (2, 2), (3, 3), (3, 8), (0, 9)]
    assert (seen.tricks, seen.totals, seen.deal, seen.match, seen.number) == ([0, 0, 0, 1], [5, 0, -5, 0], 2, 7, 3)
    assert (seen.budget_ms, seen.bank_ms, seen.charged_us, seen.last_fault) == (200, 5000, 17, "timeout")
    assert (seen.players, seen.ruleset, seen.options["first_dealer"]) == (("a", "b", "c", "d"), "king.fetes", 0)
    assert seen.seed == 99
    assert seen.random is seen.random
    assert seen.random.random() == observe(seed=99).random.random()
    assert seen.layout is None
    assert "no_hearts" in repr(seen)


def test_an_observation_when_leading_a_deal() -> None:
    seen = observe(kind=2, seed=0)
    assert (seen.kind, seen.contract, seen.trick, seen.history, seen.tricks) == ("bid", None, [], [], [])
    assert seen.last_fault is None
    assert observe(declarer=0).declarer == 0


def test_actions_have_texts() -> None:
    seen = observe()
    for text in ("KH", "+3", "trump:S:self", "pass"):
        assert seen.text(seen.action(text)) == text
    with pytest.raises(BadNotation, match=r"'KX' is no action of king.fetes"):
        seen.action("KX")
    for number in (-1, 10_000):
        with pytest.raises(BadNotation, match="is no action"):
            seen.text(number)


def test_an_observation_of_a_layout() -> None:
    piles = [decision_pb2.Pile(cards=cards) for cards in ([5], [], [], [], [11, 23], [], [], [])]
    layout = decision_pb2.Layout(piles=piles, stock=20, hand_sizes=[7, 6, 7, 7], turned=[5, 11, 30, 31])
    seen = observe(CORNER, kind=7, layout=layout).layout
    assert seen is not None
    assert (seen.piles["N"], seen.piles["NE"], seen.piles["S"], seen.stock) == ([5], [11, 23], [], 20)
    assert (seen.hand_sizes, seen.turned) == ([7, 6, 7, 7], [5, 11, 30, 31])


def test_cards_have_helpers() -> None:
    check: Callable[[str], int] = bots.cards.card
    assert (bots.cards.suit_of(check("KH")), bots.cards.rank_of(check("KH")), bots.cards.card_text(37)) == (2, 11, "KH")
