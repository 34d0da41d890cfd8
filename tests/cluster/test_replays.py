"""Replays, checked by a program that knows the pages and nothing of the referee."""

import hashlib
import hmac
import json
from array import array
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from cluster import run
from cluster.replays import BrokenReplay, replay
from cluster.store import Store
from tests.cluster.fakes import FakePlay, Quiet, a_tournament

RANKS, SUITS = "23456789TJQKA", "CDHS"
FULL = [rank + suit for suit in SUITS for rank in RANKS]
SMALL = [card for card in FULL if card[0] in "789TJQKA"]
#: Kind of decision to the words with which its actions begin (docs/replay.md).
WORDS = {
    "bid": ("pass", "+", "-"),
    "answer": ("accept", "refuse", "raise", "eight_or_nulls"),
    "reply": ("pass", "+", "-", "stand", "give_up", "decline"),
    "choose": ("trump:", "no_trump", "nulls", "433"),
    "claim": ("claim", "leave"),
    "turn": ("place:", "move:", "end"),
}
CASES: list[tuple[str, dict[str, Any], list[str]]] = [
    ("king.fetes", {}, FULL),
    ("king.auction", {}, FULL),
    ("king.auction", {"deck": 32}, SMALL),
    ("king.simple", {"last_two": 8, "first_dealer": 2}, SMALL),
    ("klaverjas.amsterdam", {}, SMALL),
    ("klaverjas.rotterdam", {"roem": "auto", "target": 100}, SMALL),
    ("kings_corner", {}, FULL),
    ("kings_corner", {"players": 2, "target": 25}, FULL),
    ("kings_corner", {"players": 3, "ask_forced": True}, FULL),
]


def deal_again(seed: bytes, number: int, deck: list[str], players: int, dealer: int, packets: list[int]) -> tuple[list[list[str]], list[str]]:  # fmt: skip
    """The recipe of rules/README, "Verifiable deals": hands by seat, and the rest of the deck."""

    def words() -> Iterator[int]:
        for block in count():
            message = b"kingmaker/deal/1" + number.to_bytes(4, "big") + block.to_bytes(4, "big")
            digest = hmac.new(seed, message, hashlib.sha256).digest()
            for start in range(0, 32, 4):
                yield int.from_bytes(digest[start : start + 4], "big")

    stream, cards = words(), list(deck)
    for i in range(len(cards) - 1, 0, -1):
        while (word := next(stream)) >= 2**32 - 2**32 % (i + 1):
            pass
        j = word % (i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    hands: list[list[str]] = [[] for _ in range(players)]
    for packet in packets:
        for step in range(1, players + 1):
            hands[(dealer + step) % players] += [cards.pop(0) for _ in range(packet)]
    return hands, cards


def ascending(cards: list[str]) -> list[str]:
    return sorted(cards, key=lambda card: (SUITS.index(card[1]), RANKS.index(card[0])))


def check_decision(decision: dict[str, Any], ask_forced: bool) -> None:
    assert list(decision) == ["seat", "kind", "action", "legal", "forced", "ms", "fault"]
    assert decision["action"] in decision["legal"]
    assert len(set(decision["legal"])) == len(decision["legal"])
    assert decision["forced"] == (len(decision["legal"]) == 1 and not ask_forced)
    assert (decision["ms"] is None) == decision["forced"]
    assert decision["fault"] is None
    if decision["kind"] == "play":
        assert decision["legal"] == ascending(decision["legal"])
    else:
        assert all(action.startswith(WORDS[decision["kind"]]) for action in decision["legal"])


def check_tricks(deal: dict[str, Any], players: int) -> None:
    """Every card is played once, by whom it was dealt to, in tricks that go round."""
    plays = [d for d in deal["decisions"] if d["kind"] == "play"]
    held = [set(hand) for hand in deal["hands"]]
    for number, play in enumerate(plays):
        assert set(play["legal"]) <= held[play["seat"]]
        held[play["seat"]].remove(play["action"])
        if number % players:
            assert play["seat"] == (plays[number - 1]["seat"] + 1) % players
            led = plays[number - number % players]["action"][1]
            if any(card[1] == led for card in [*held[play["seat"]], play["action"]]):
                assert play["action"][1] == led


def check_replay(told: dict[str, Any], deck: list[str], zero_sum: bool) -> None:
    """All of docs/replay.md that can be checked without the rules of the game."""
    assert list(told) == [
        "format", "match_id", "tournament_id", "ruleset", "options", "players", "commitment", "seed", "deals", "totals",
        "ranks", "forfeits",
    ]  # fmt: skip
    assert told["format"] == "kingmaker-replay/1"
    seed, players = bytes.fromhex(told["seed"]), len(told["players"])
    assert len(seed) == 32
    assert hashlib.sha256(seed).hexdigest() == told["commitment"]
    corners = told["ruleset"] == "kings_corner"
    packets = [3, 2, 3] if told["ruleset"].startswith("klaverjas") else [1] * (7 if corners else len(deck) // players)
    totals = [0] * players
    for number, deal in enumerate(told["deals"], 1):
        assert deal["number"] == number
        assert deal["dealer"] == (told["options"]["first_dealer"] + number - 1) % players
        hands, rest = deal_again(seed, number, deck, players, deal["dealer"], packets)
        assert deal["hands"] == [ascending(hand) for hand in hands]
        assert ("turned" in deal, "stock" in deal) == (corners, corners)
        if corners:
            assert deal["turned"] + deal["stock"] == rest
        for decision in deal["decisions"]:
            check_decision(decision, told["options"]["ask_forced"])
        check_tricks(deal, players)
        totals = [total + score for total, score in zip(totals, deal["scores"], strict=True)]
        assert deal["totals"] == totals
    assert told["totals"] == totals
    assert not zero_sum or sum(totals) == 0
    order = totals if corners else [-total for total in totals]
    assert told["ranks"] == [1 + sum(other < mine for other in order) for mine in order]
    assert told["forfeits"] == []


@pytest.mark.parametrize(("ruleset", "options", "deck"), CASES, ids=[f"{case[0]} {case[1]}" for case in CASES])
def test_replays_of_every_ruleset_hold_what_the_page_promises(
    ruleset: str, options: dict[str, Any], deck: list[str], tmp_path: Path
) -> None:
    settings = a_tournament(("lowest", "random", "wild", "calm"), ruleset=ruleset, options=options, blocks=2)
    run.run(settings, tmp_path, FakePlay(settings), Quiet())
    rows = Store(tmp_path).table("replays").to_dicts()
    assert rows
    for row in rows:
        told = json.loads(json.dumps(replay(row), allow_nan=False))
        check_replay(told, deck, zero_sum=ruleset in ("king.fetes", "king.simple"))
        assert told["options"].items() >= options.items()


def test_replays_of_real_bots_agree_with_the_tables(real_results: Path) -> None:
    store = Store(real_results)
    matches, deals = store.table("matches"), store.table("deals")
    for row in store.table("replays").to_dicts():
        told = replay(row)
        check_replay(told, FULL, zero_sum=True)
        seats = matches.filter(match_id=row["match_id"]).sort("seat")
        assert told["totals"] == seats["total"].to_list()
        assert told["ranks"] == seats["rank"].to_list()
        assert told["players"] == seats["bot"].to_list()
        asked = [d["seat"] for deal in told["deals"] for d in deal["decisions"] if not d["forced"]]
        assert [asked.count(seat) for seat in range(4)] == seats["decisions"].to_list()
        for deal in told["deals"]:
            rows = deals.filter(match_id=row["match_id"], deal=deal["number"]).sort("seat")
            assert rows["score"].to_list() == deal["scores"]
            assert set(rows["contract"]) == {deal["contract"]}
            assert set(rows["declarer"]) == {deal["declarer"]}


def changed(row: dict[str, Any], column: str, kind: str, place: int, value: int) -> dict[str, Any]:
    numbers = array(kind)
    numbers.frombytes(row[column])
    numbers[place] = value
    return row | {column: numbers.tobytes()}


@pytest.fixture
def row(fake_results: Path) -> dict[str, Any]:
    return Store(fake_results).table("replays").row(0, named=True)


def first_choice(row: dict[str, Any]) -> tuple[int, int]:
    """The place of the first decision with a choice, and another action that is legal there."""
    decisions = [decision for deal in replay(row)["deals"] for decision in deal["decisions"]]
    for place, decision in enumerate(decisions):
        others = [card for card in decision["legal"] if card != decision["action"]]
        if others and decision["kind"] == "play":
            return place, FULL.index(others[0])
    raise AssertionError


def broken(row: dict[str, Any]) -> str:
    with pytest.raises(BrokenReplay) as caught:
        replay(row)
    assert str(caught.value).startswith(f"match {row['match_id']}: ")
    return str(caught.value)


def test_a_flipped_bit_of_the_seed_is_found(row: dict[str, Any]) -> None:
    for bit in (0, 100, 255):
        seed = (int.from_bytes(row["seed"], "big") ^ 1 << bit).to_bytes(32, "big")
        assert "the seed does not match its commitment" in broken(row | {"seed": seed})
        committed = row | {"seed": seed, "commitment": hashlib.sha256(seed).digest()}
        assert "action" in broken(committed), "other hands, in which the cards played are not"


def test_an_action_that_is_not_legal_is_named(row: dict[str, Any]) -> None:
    held = replay(row)["deals"][0]["hands"]
    leader = replay(row)["deals"][0]["decisions"][0]["seat"]
    foreign = next(FULL.index(card) for card in held[(leader + 1) % 4])
    assert f"action 1: {FULL[foreign]} is not legal; legal: " in broken(changed(row, "actions", "H", 0, foreign))
    assert "action 5: " in broken(changed(row, "actions", "H", 4, 60_000))


def test_another_legal_action_is_found(row: dict[str, Any]) -> None:
    place, other = first_choice(row)
    broken(changed(row, "actions", "H", place, other))


def test_swapped_cards_that_give_a_whole_match_are_found(row: dict[str, Any]) -> None:
    """The last two decisions of one seat with a choice between them, exchanged: every action stays legal."""
    decisions = [decision for deal in replay(row)["deals"] for decision in deal["decisions"]]
    found = 0
    for place, decision in enumerate(decisions):
        for later in range(place + 1, min(place + 60, len(decisions))):
            other = decisions[later]
            if decision["seat"] == other["seat"] and other["action"] in {*decision["legal"]} - {decision["action"]}:
                numbers = array("H")
                numbers.frombytes(row["actions"])
                numbers[place], numbers[later] = numbers[later], numbers[place]
                found += "hash of the match" in broken(row | {"actions": numbers.tobytes()})
        if found > 2:
            return
    raise AssertionError("no exchange kept every action legal")


@pytest.mark.parametrize("column", ["actions", "marks", "charged_us"])
def test_a_column_that_is_too_short_or_too_long_is_found(column: str, row: dict[str, Any]) -> None:
    broken(row | {column: row[column][:-4]})
    broken(row | {column: row[column][:-1]} if column != "marks" else row | {column: b""})
    broken(row | {column: row[column] + row[column][:4]})


def test_actions_that_end_early_or_late_are_found(row: dict[str, Any]) -> None:
    short = {"actions": row["actions"][:-8], "marks": row["marks"][:-4], "charged_us": row["charged_us"][:-16]}
    assert "end before the match does" in broken(row | short)
    late = {"actions": row["actions"] + b"\0\0", "marks": row["marks"] + b"\0", "charged_us": row["charged_us"] + b"\0" * 4}
    assert "after the end" in broken(row | late)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("ruleset", "king.nothing"),
        ("ruleset", "king.auction"),
        ("options", '{"first_dealer": 1}'),
        ("options", '{"unknown": 1}'),
        ("options", "{"),
        ("players", ["a", "b", "c", "d"]),
        ("forfeits", [2]),
        ("match_hash", "0" * 64),
        ("commitment", b"\0" * 32),
    ],
)
def test_everything_else_that_was_changed_is_found(column: str, value: object, row: dict[str, Any]) -> None:
    broken(row | {column: value})


def test_a_fault_that_was_wiped_or_invented_is_found(row: dict[str, Any]) -> None:
    place = first_choice(row)[0]
    for mark in (1, 3, 8, 16, 7):
        broken(changed(row, "marks", "B", place, mark))
