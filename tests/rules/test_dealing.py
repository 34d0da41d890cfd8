"""docs/rules/README.md, "Verifiable deals", against a second implementation written from the page alone.

deals.json pins what both give, for tests in other languages too: a list of matches, each with its seed, commitment,
ruleset, the options that are not default, and the deals. ``python -m tests.rules.test_dealing`` writes it again.
"""

import hashlib
import hmac
import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.rules import dealing
from referee.rules.cards import CARD_TEXTS, members
from referee.rules.match import Match
from referee.rules.registry import ruleset
from tests.strategies import GAMES, games, seeds

FILE = Path(__file__).with_name("deals.json")
SEEDS = ["00" * 32, "ff" * 32, "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"]
LONG = list(CARD_TEXTS)
SHORT = [text for text in CARD_TEXTS if text[0] in "789TJQKA"]
#: Ruleset, options, deck, packets, cards turned, players, deal numbers.
MATCHES = [
    ("king.fetes", {}, LONG, [1] * 13, 0, 4, [1, 2, 10]),
    ("king.auction", {}, LONG, [1] * 13, 0, 4, [1, 7]),
    ("king.auction", {"deck": 32, "first_dealer": 3}, SHORT, [1] * 8, 0, 4, [1, 2]),
    ("king.simple", {}, SHORT, [1] * 8, 0, 4, [1, 14]),
    ("klaverjas.amsterdam", {}, SHORT, [3, 2, 3], 0, 4, [1, 4, 100]),
    ("klaverjas.rotterdam", {"first_dealer": 2}, SHORT, [3, 2, 3], 0, 4, [1]),
    ("kings_corner", {}, LONG, [1] * 7, 4, 4, [1]),
    ("kings_corner", {"players": 3, "target": 50}, LONG, [1] * 7, 4, 3, [1, 2, 3]),
    ("kings_corner", {"players": 2, "target": 100, "first_dealer": 1}, LONG, [1] * 7, 4, 2, [1, 2]),
]


class WordStream:
    """Steps 2 and 3 of the recipe, word by word."""

    def __init__(self, seed: bytes, deal: int) -> None:
        self.seed, self.deal = seed, deal
        self.block = 0
        self.waiting: list[int] = []

    def word(self) -> int:
        if not self.waiting:
            message = b"kingmaker/deal/1" + self.deal.to_bytes(4, "big") + self.block.to_bytes(4, "big")
            digest = hmac.new(self.seed, message, hashlib.sha256).digest()
            self.waiting = [int(digest.hex()[8 * i : 8 * i + 8], 16) for i in range(8)]
            self.block += 1
        return self.waiting.pop(0)

    def below(self, m: int) -> int:
        while True:
            word = self.word()
            if word < 2**32 - 2**32 % m:
                return word % m


def by_the_page(
    seed: bytes, number: int, first_dealer: int, deck: list[str], packets: list[int], turned: int, players: int
):
    """Steps 4 and 5 of the recipe, with cards as texts."""
    stream = WordStream(seed, number)
    cards = list(deck)
    for i in reversed(range(1, len(cards))):
        j = stream.below(i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    dealer = (first_dealer + number - 1) % players
    hands: list[list[str]] = [[] for _ in range(players)]
    for packet in packets:
        for step in range(players):
            for _ in range(packet):
                hands[(dealer + 1 + step) % players].append(cards.pop(0))
    return {
        "number": number,
        "dealer": dealer,
        "hands": [sorted(hand, key=CARD_TEXTS.index) for hand in hands],
        "turned": cards[:turned],
        "stock": cards[turned:],
    }


def pinned() -> list[dict]:
    """What deals.json holds."""
    return [
        {
            "seed": seed,
            "commitment": hashlib.sha256(bytes.fromhex(seed)).hexdigest(),
            "ruleset": name,
            "options": options,
            "deals": [by_the_page(bytes.fromhex(seed), n, options.get("first_dealer", 0), *how) for n in numbers],
        }
        for seed in SEEDS
        for name, options, *how, numbers in MATCHES
    ]


def by_the_engine(match: dict) -> list[dict]:
    game = ruleset(match["ruleset"]).game(match["options"])
    deals = []
    for number in (deal["number"] for deal in match["deals"]):
        dealt = game.dealt(bytes.fromhex(match["seed"]), number)
        deals.append(
            {
                "number": number,
                "dealer": game.dealer(number),
                "hands": [[CARD_TEXTS[card] for card in members(hand)] for hand in dealt.hands],
                "turned": [CARD_TEXTS[card] for card in dealt.turned],
                "stock": [CARD_TEXTS[card] for card in dealt.stock],
            }
        )
    return deals


MATCHES_PINNED = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else []


def test_the_pinned_deals_are_those_of_the_page():
    assert pinned() == MATCHES_PINNED


@pytest.mark.parametrize("match", MATCHES_PINNED, ids=lambda match: f"{match['ruleset']} {match['seed'][:4]}")
def test_rulebook_verifiable_deals_the_engine_deals_what_is_pinned(match):
    assert by_the_engine(match) == match["deals"]


@pytest.mark.parametrize("match", MATCHES_PINNED, ids=lambda match: f"{match['ruleset']} {match['seed'][:4]}")
def test_rulebook_verifiable_deals_1_the_commitment_is_the_sha_256_of_the_seed(match):
    assert dealing.commitment(bytes.fromhex(match["seed"])).hex() == match["commitment"]


@given(seed=seeds, number=st.integers(1, 2**32 - 1))
def test_rulebook_verifiable_deals_2_words(seed, number):
    stream = WordStream(seed, number)
    words = dealing.words(seed, number)
    assert [next(words) for _ in range(40)] == [stream.word() for _ in range(40)]


def test_rulebook_verifiable_deals_3_words_too_large_are_thrown_away(monkeypatch):
    """For a draw below 3 the word 2^32 - 1 is too large, for one below 2 it is not."""
    monkeypatch.setattr(dealing, "words", lambda seed, number: iter([2**32 - 1, 4, 2**32 - 1, 7]))
    # 4 mod 3 = 1: deck[2] and deck[1] change places; then (2^32 - 1) mod 2 = 1: deck[1] stays.
    assert dealing.shuffled(bytes(32), 1, [10, 20, 30]) == [10, 30, 20]


@given(game=games, seed=seeds, number=st.integers(1, 30))
def test_rulebook_verifiable_deals_5_every_card_is_dealt_once(game, seed, number):
    dealt = game.dealt(seed, number)
    cards = [card for hand in dealt.hands for card in members(hand)] + list(dealt.turned) + list(dealt.stock)
    assert sorted(cards) == list(game.deck)
    assert [hand.bit_count() for hand in dealt.hands] == [game.hand_size] * game.players


def test_rulebook_verifiable_deals_5_packets_begin_after_the_dealer():
    """An unshuffled deck shows who gets which card."""
    dealt = dealing.deal_out(range(32), 4, 1, (3, 2, 3), 0)
    assert members(dealt.hands[2]) == [0, 1, 2, 12, 13, 20, 21, 22]
    assert members(dealt.hands[1]) == [9, 10, 11, 18, 19, 29, 30, 31]


def test_rulebook_verifiable_deals_5_stock_top_first_after_the_turned_cards():
    dealt = dealing.deal_out(range(52), 3, 2, (1,) * 7, 4)
    assert members(dealt.hands[0]) == list(range(0, 21, 3))
    assert dealt.turned == (21, 22, 23, 24)
    assert dealt.stock == tuple(range(25, 52))


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_a_match_deals_by_the_recipe(game):
    seed = bytes(range(32))
    match = Match(game, seed)
    assert match.deal.dealt == game.dealt(seed, 1)
    while not match.finished:
        match.apply(match.deal.legal()[0])
    if not match.over:
        assert match.deal.dealt == game.dealt(seed, 2)


def test_every_card_falls_to_every_seat_about_equally_often():
    game = ruleset("king.fetes").game()
    count = Counter()
    deals = 1000
    for number in range(1, deals + 1):
        hands = game.dealt(bytes(32), number).hands
        count.update((card, seat) for seat, hand in enumerate(hands) for card in members(hand))
    assert len(count) == 52 * 4
    assert all(abs(times - deals / 4) < 6 * (deals * 3 / 16) ** 0.5 for times in count.values())


if __name__ == "__main__":
    lines = ",\n".join(json.dumps(match, separators=(",", ":")) for match in pinned())
    FILE.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
