"""The bytes that go over the wire, held against the generated code and against what a seat may see."""

import json
import random
from collections.abc import Iterator

import pytest
from google.protobuf.unknown_fields import UnknownFieldSet
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from referee import wire
from referee.faults import Clocks, Fault
from referee.rules import dealing
from referee.rules.cards import mask, members
from referee.rules.deal import Deal
from referee.rules.dealing import Dealt
from referee.rules.errors import ProtocolError
from referee.rules.registry import RULESETS
from referee.rules.ruleset import Game
from referee.rules.sampling import worlds
from referee.rules.view import view
from referee.table import MatchSpec, Table
from referee.v1 import decision_pb2, match_pb2, referee_service_pb2
from referee.wire import DecisionEncoder
from tests.strategies import GAMES

Decision, Layout, Pile = decision_pb2.Decision, decision_pb2.Layout, decision_pb2.Pile
PlayRequest, PlayResponse = referee_service_pb2.PlayRequest, referee_service_pb2.PlayResponse
#: Numbers of a match on its stream that take one to five bytes.
NUMBERS = (1, 127, 128, 16_383, 16_384, 2**32 - 1)
#: A busy machine is no failure.
patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
every_ruleset = pytest.mark.parametrize("name", RULESETS)


def spec(game: Game, seed: bytes = bytes(32), **changes) -> MatchSpec:
    names, seeds = [f"bot {seat}" for seat in range(game.players)], range(2**64 - 1, 2**64 - 1 - game.players, -1)
    return MatchSpec(match_id="a-match", game=game, seed=seed, players=tuple(names), bot_seeds=tuple(seeds), **changes)


def may_see(table: Table, number: int) -> decision_pb2.Decision:
    """The decision that the table waits for, built by the generated code from the seat's view."""
    seat = table.seat
    deal = table.match.deal
    seen = view(deal, seat)
    ids = table.spec.game.contract_ids
    layout = None
    if seen.layout is not None:
        layout = Layout(
            piles=[Pile(cards=pile) for pile in seen.layout.piles],
            stock=seen.layout.stock,
            hand_sizes=seen.layout.hand_sizes,
            turned=seen.layout.turned,
        )
    return Decision(
        match=number,
        number=table.asked[seat],
        kind=decision_pb2.DecisionKind.Value(f"DECISION_KIND_{deal.kind.upper()}"),
        deal=seen.number,
        dealer=seen.dealer,
        hand=seen.hand,
        legal=deal.legal(),
        contract=0 if seen.contract is None else 1 + ids.index(seen.contract),
        declarer=seen.declarer,
        actions=seen.actions,
        seats=seen.seats,
        trick_size=len(seen.table),
        tricks=seen.tricks,
        totals=table.match.totals,
        budget_ms=table.spec.clocks.budget_ms,
        bank_ms=table.bank_us[seat] // 1000,
        charged_us=table.last_charge_us[seat],
        seed=int.from_bytes(table.decision_seed(), "little"),
        last_fault=int(table.last_fault[seat]),
        layout=layout,
    )


def misbehave(table: Table, rng: random.Random) -> None:
    """Answer the decision that the table waits for, sometimes late, wrong or not at all."""
    if rng.random() < 0.02:
        table.fault(rng.choice([Fault.MALFORMED, Fault.TIMEOUT, Fault.DISCONNECT]), rng.randrange(2**33))
    else:
        action = rng.choice(table.match.deal.legal()) if rng.random() < 0.98 else rng.randrange(2**32)
        table.answer(action, rng.choice([0, 1, 127, 128, 20_000, 200_000, 260_000]))


@every_game
def test_every_field_of_a_decision_is_what_its_seat_may_see(game):
    rng = random.Random(repr(sorted(game.options.items())))
    table = Table(spec(game, rng.randbytes(32), max_faults=10**6))
    encoder = DecisionEncoder(table)
    while table.advance() is not None:
        number = rng.choice(NUMBERS)
        parsed = Decision.FromString(encoder.encode(number))
        assert parsed == may_see(table, number)
        assert len(UnknownFieldSet(parsed)) == 0
        misbehave(table, rng)
    assert table.over


@every_ruleset
def test_forced_decisions_and_other_first_dealers_are_encoded_as_well(name):
    rng = random.Random(name)
    game = RULESETS[name].game({"ask_forced": True, "first_dealer": 1})
    table = Table(spec(game, rng.randbytes(32)))
    encoder = DecisionEncoder(table)
    forced = 0
    while table.advance() is not None:
        parsed = Decision.FromString(encoder.encode(7))
        assert parsed == may_see(table, 7)
        forced += len(parsed.legal) == 1
        table.answer(rng.choice(parsed.legal), 1000)
    assert forced


def test_decisions_know_no_faults_and_charges_but_the_seat_s_own():
    game = RULESETS["king.simple"].game()
    one, other = Table(spec(game)), Table(spec(game))
    assert one.advance() == other.advance()
    first = one.seat
    action = one.match.deal.legal()[0]
    one.answer(action, 150_000)
    other.fault(Fault.TIMEOUT, 10**9)  # plays the same action
    assert one.advance() == other.advance() != first
    assert DecisionEncoder(one).encode(1) == DecisionEncoder(other).encode(1)


def test_seeds_of_decisions_are_fresh_and_depend_on_seat_and_count_alone():
    seeds = []
    for match_seed in (bytes(32), bytes(31) + b"\1"):
        table = Table(spec(RULESETS["king.fetes"].game({"ask_forced": True}), match_seed))
        drawn = {}
        while table.advance() is not None:
            drawn[table.seat, table.asked[table.seat]] = table.decision_seed()
            table.answer(table.match.deal.legal()[0], 0)
        assert len(set(drawn.values())) == len(drawn)
        seeds.append(drawn)
    both = seeds[0].keys() & seeds[1].keys()
    assert len(both) > 100
    assert all(seeds[0][key] == seeds[1][key] for key in both)


# Batches, and what stands around the decisions.


@every_ruleset
def test_a_batch_is_read_as_it_was_written(name):
    rng = random.Random(name)
    game = RULESETS[name].game()
    over, void = Table(spec(game, rng.randbytes(32))), Table(spec(game, rng.randbytes(32)))
    decisions = []
    while over.advance() is not None:
        if len(decisions) < wire.MAX_BATCH:
            decisions.append(DecisionEncoder(over).encode(len(decisions) + 1))
        misbehave(over, rng)
    infos = [wire.ruleset_info(3, game)]
    starts = [wire.match_start(over, seat, 200 + seat, 3) for seat in range(game.players)]
    ends = [wire.match_end(over, 1, 5), wire.match_end(void, 0, 6), wire.match_end(over, 0, 7, is_void=True)]
    data = wire.batch(infos, starts, decisions, ends)
    assert PlayResponse.FromString(data).WhichOneof("message") == "batch"
    parsed = PlayResponse.FromString(data).batch
    assert list(parsed.rulesets) == infos
    assert list(parsed.match_starts) == starts
    assert list(parsed.decisions) == [Decision.FromString(each) for each in decisions]
    assert list(parsed.match_ends) == ends
    assert PlayResponse.FromString(wire.batch()).batch == referee_service_pb2.Batch()
    assert wire.batch(decisions=iter(decisions[:1])) != wire.batch()


@every_game
def test_the_words_behind_the_numbers(game):
    info = wire.ruleset_info(9, game)
    assert (info.ruleset, info.id, info.players, info.version) == (9, game.ruleset, game.players, game.version)
    assert {option.name: json.loads(option.value) for option in info.options} == dict(game.options)
    assert [info.actions[number] for number in range(len(game.actions))] == list(game.actions.texts)
    assert tuple(info.contracts) == game.contract_ids


def test_a_start_commits_to_the_seed_and_the_end_tells_it():
    table = Table(spec(RULESETS["king.auction"].game(), b"k" * 32, clocks=Clocks(budget_ms=7, bank_ms=8), max_faults=9))
    start = wire.match_start(table, 2, 11, 1)
    assert start == match_pb2.MatchStart(
        match=11, ruleset=1, seat=2, players=["bot 0", "bot 1", "bot 2", "bot 3"], commitment=dealing.commitment(b"k" * 32),
        budget_ms=7, bank_ms=8, max_faults=9,
    )  # fmt: skip
    assert wire.match_end(table, 2, 11) == match_pb2.MatchEnd(match=11, is_void=True)
    while (seat := table.advance()) is not None:
        table.fault(Fault.ILLEGAL) if seat == 3 else table.answer(table.match.deal.legal()[0], 0)
    assert wire.match_end(table, 3, 11) == match_pb2.MatchEnd(
        match=11, match_id="a-match", totals=table.match.totals, ranks=table.ranks(), seed=b"k" * 32, forfeits=[3],
        faults=[1] * 9,
    )  # fmt: skip
    assert not wire.match_end(table, 2, 11).faults
    assert wire.match_end(table, 2, 11, is_void=True) == match_pb2.MatchEnd(match=11, is_void=True)


def test_welcome_and_goodbye():
    welcome = PlayResponse.FromString(wire.welcome()).welcome
    assert (welcome.version, welcome.max_batch) == (1, wire.MAX_BATCH)
    assert PlayResponse.FromString(wire.goodbye("it is late")).goodbye.reason == "it is late"


def test_the_largest_batch_fits_a_message():
    largest = 0
    for game in GAMES.values():
        table = Table(spec(game))
        encoder = DecisionEncoder(table)
        for _ in range(200):
            if table.advance() is None:
                break
            largest = max(largest, len(encoder.encode(2**32 - 1)))
            table.answer(table.match.deal.legal()[-1], 0)
    start = wire.match_start(table, 0, 2**32 - 1, 1).ByteSize()
    assert wire.MAX_BATCH * (largest + start + 8) < 512 * 1024
    answer = decision_pb2.Answer(match=2**32 - 1, number=2**32 - 1, action=2**32 - 1)
    answers = referee_service_pb2.Answers(answers=[answer] * wire.MAX_BATCH)
    assert PlayRequest(answers=answers).ByteSize() < 32 * 1024


# What a bot sends: whatever it is, it is read or it is malformed.


def hello(least: int, most: int, **more) -> bytes:
    return PlayRequest(hello=referee_service_pb2.Hello(min_version=least, max_version=most, **more)).SerializeToString()


def answers(*triples: tuple[int, int, int]) -> bytes:
    listed = [decision_pb2.Answer(match=match, number=number, action=action) for match, number, action in triples]
    return PlayRequest(answers=referee_service_pb2.Answers(answers=listed)).SerializeToString()


numbers = st.integers(0, 2**32 - 1)
triples = st.lists(st.tuples(numbers, numbers, numbers), max_size=20)
valid = st.one_of(
    triples.map(lambda each: answers(*each)),
    st.builds(hello, numbers, numbers, name=st.text(max_size=10), features=st.lists(st.text(max_size=5), max_size=3)),
)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A good message with some bytes cut out, put in, or changed."""
    data = bytearray(draw(valid))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(data)))
        data[at : at + draw(st.integers(0, 3))] = draw(st.binary(max_size=3))
    return bytes(data)


@settings(patient, max_examples=500)
@given(data=st.one_of(st.binary(max_size=200), damaged()))
@example(b"")
@example(b"\n\x0f\x08\x01\x10\x01\x1a\x01\xff")  # a hello whose feature is no UTF-8
@example(b"\x12\xff\xff\xff\xff\x0f")  # answers of 4 GiB, it says
@example(b"\x0b" * 150)  # groups within groups
def test_no_bytes_raise_anything_but_what_is_documented(data):
    found = wire.read_answers(data)
    if found is not None:
        assert all(0 <= number < 2**32 for each in found for number in (each.match, each.number, each.action))
    try:
        read = wire.read_hello(data)
    except ProtocolError:
        return
    assert read.min_version <= 1 <= read.max_version
    assert found is None


@patient
@given(triples=triples)
def test_answers_are_read_as_they_were_written(triples):
    assert [(each.match, each.number, each.action) for each in wire.read_answers(answers(*triples))] == triples


def test_unknown_fields_are_ignored():
    later = b"\xfa\x3f\x05later"  # field 1023
    assert [each.action for each in wire.read_answers(answers((1, 2, 3)) + later)] == [3]
    assert wire.read_hello(hello(1, 1) + later).max_version == 1


@pytest.mark.parametrize(("least", "most"), [(0, 0), (2, 2), (2, 9), (5, 0)])
def test_versions_that_are_not_spoken_are_refused_with_those_that_are(least, most):
    with pytest.raises(ProtocolError, match=f"versions 1 to 1 are spoken here, not {least} to {most}"):
        wire.read_hello(hello(least, most))


@pytest.mark.parametrize("data", [b"", b"\xff", answers((1, 1, 1)), answers()], ids=["empty", "bad", "answers", "none"])
def test_the_first_message_is_hello(data):
    with pytest.raises(ProtocolError, match="the first message of a stream is hello"):
        wire.read_hello(data)


# Not a byte more than a seat may see.


def waiting(deal: Deal, totals: list[int]) -> Table:
    """A table that asks for the decision at hand in this deal."""
    table = Table(spec(deal.game))
    table.match.deal, table.match.totals = deal, totals
    table.seat = deal.actor
    table.asked[deal.actor] = 5
    return table


def with_hidden_cards_permuted(deal: Deal, rng: random.Random) -> Deal:
    """The same deal with all that the seat to act cannot see permuted: the other hands, the stock, how all was dealt."""
    other, seat = deal.copy(), deal.actor
    hidden = [card for holder, hand in enumerate(other.hands) if holder != seat for card in members(hand)]
    layout = other.layout
    if layout is not None:
        hidden += layout.stock[layout.drawn :]
    rng.shuffle(hidden)
    for holder, hand in enumerate(other.hands):
        if holder != seat:
            other.hands[holder] = mask(hidden.pop() for _ in range(hand.bit_count()))
    if layout is not None:
        layout.stock = (*rng.sample(layout.stock[: layout.drawn], layout.drawn), *hidden)
    deck = rng.sample(deal.game.deck, len(deal.game.deck))
    size, players = deal.game.hand_size, deal.game.players
    hands = tuple(mask(deck[player * size : player * size + size]) for player in range(players))
    other.dealt = Dealt(hands, deal.dealt.turned, tuple(deck[size * players :]))
    other._mask = 0
    return other


def positions(game: Game, rng: random.Random) -> Iterator[Deal]:
    """Deals in which somebody is to act, without end: matches played at random."""
    while True:
        table = Table(spec(game, rng.randbytes(32)))
        while not table.over:
            yield table.match.deal
            table.match.apply(rng.choice(table.match.deal.legal()))


def compare(game: Game, cases: int, rng: random.Random) -> int:
    """Compare the messages of so many positions with those of as many permuted ones; return how many differed."""
    differed = 0
    for deal, _ in zip(positions(game, rng), range(cases), strict=False):
        totals = [rng.randrange(-500, 500) for _ in range(game.players)]
        other = with_hidden_cards_permuted(deal, rng)
        differed += other.hands != deal.hands
        assert DecisionEncoder(waiting(other, totals)).encode(3) == DecisionEncoder(waiting(deal, totals)).encode(3)
    return differed


def compare_from_the_start(game: Game, cases: int, rng: random.Random) -> int:
    """Deal anew what a seat has not seen, and compare every message to it in the deal until then."""
    done = 0
    for deal in positions(game, rng):
        if deal.layout is not None or done >= cases:
            return done
        if rng.random() > 0.1:
            continue
        seat = deal.actor
        dealt = worlds(game, view(deal, seat)).sample(rng).dealt
        one, other = (game.start(deal.number, deal.dealer, cards) for cards in (deal.dealt, dealt))
        for action in [*deal.actions, None]:
            if one.actor == seat:
                done += 1
                both = [DecisionEncoder(waiting(each, [0] * game.players)).encode(3) for each in (one, other)]
                assert both[0] == both[1]
            if action is not None:
                one.apply(action)
                other.apply(action)
    raise AssertionError("positions never end")


@every_game
def test_permuting_hidden_cards_changes_no_byte(game):
    cases = 3_000 // len(GAMES) + 1
    rng = random.Random(game.ruleset)
    assert compare(game, cases, rng) > cases * 0.6
    compare_from_the_start(game, cases, rng)


@pytest.mark.slow
@every_game
def test_permuting_hidden_cards_changes_no_byte_in_100_000_cases(game):
    cases = 100_000 // len(GAMES) + 1
    rng = random.Random(game.ruleset)
    assert compare(game, cases, rng) > cases * 0.6
    compare_from_the_start(game, cases, rng)
