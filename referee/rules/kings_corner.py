"""`kings_corner`: Kings in the Corner (docs/rules/kings-corner.md)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from referee.rules.cards import DECK_52, of_rank
from referee.rules.contract import Contract
from referee.rules.deal import Deal
from referee.rules.layout import ACTIONS, END, FIRST_MOVE, FIRST_PLACE, LOW_TO_HIGH, MOVES, Layout
from referee.rules.ruleset import Game, Option, Plan, Programme, Ruleset, UntilTarget, Value, common_options

_KINGS = of_rank("K")
_MOVE_BITS = {pair: 1 << number for number, pair in enumerate(MOVES, FIRST_MOVE)}


def lowest_hand(deal: Deal, counts: list[int]) -> list[int]:
    """10 for each king left in the hand and 1 for any other card; the lowest hands take nothing."""
    lowest = min(counts)
    return [0 if count == lowest else count for count in counts]


@dataclass(frozen=True)
class Turns:
    """Turns of several actions, each begun by a card from the stock, until a hand is empty or nobody goes on."""

    def begin(self, deal: Deal) -> None:
        """Lay out the turned cards, and let the first player draw."""
        deal.layout = Layout(deal.dealt.turned, deal.dealt.stock)
        deal.kind = "turn"
        self._turn(deal, deal.layout, deal.leader)

    def legal(self, deal: Deal) -> int:
        """End, cards that fit a place, piles that fit another."""
        layout: Layout = deal.layout  # type: ignore[assignment]  # `begin` has made it
        hand = deal.hands[deal.actor]  # type: ignore[index]  # somebody is to act
        mask = 1 << END
        for place, accepted in enumerate(layout.accepts):
            if hand & accepted:
                mask |= (hand & accepted) << FIRST_PLACE + 52 * place
        for move in layout.moves():
            mask |= _MOVE_BITS[move]
        return mask

    def apply(self, deal: Deal, action: int) -> None:
        """End the turn, lay a card or move a pile."""
        layout: Layout = deal.layout  # type: ignore[assignment]  # `begin` has made it
        seat: int = deal.actor  # type: ignore[assignment]  # somebody is to act
        if action == END:
            self._end_turn(deal, layout, seat)
        elif action >= FIRST_MOVE:
            layout.move(*MOVES[action - FIRST_MOVE])
        else:
            place, card = divmod(action - FIRST_PLACE, 52)
            layout.place(card, place)
            deal.hands[seat] ^= 1 << card
            if not deal.hands[seat]:
                self._end_round(deal)

    def describe(self) -> str:
        """What happens in it."""
        return "Turns of several actions, each begun by a card from the stock."

    def _turn(self, deal: Deal, layout: Layout, seat: int) -> None:
        drawn = layout.draw()
        deal.hands[seat] |= drawn
        layout.is_idle = not drawn
        deal.actor = seat

    def _end_turn(self, deal: Deal, layout: Layout, seat: int) -> None:
        players = deal.game.players
        layout.idle_turns = layout.idle_turns + 1 if layout.is_idle else 0
        if layout.idle_turns == players:
            self._end_round(deal)
        else:
            self._turn(deal, layout, (seat + 1) % players)

    def _end_round(self, deal: Deal) -> None:
        assert deal.contract is not None
        counts = [hand.bit_count() + 9 * (hand & _KINGS).bit_count() for hand in deal.hands]
        deal.finish(deal.contract.settlement(deal, counts))


def won_or_lost(deal: Deal) -> Sequence[str | None]:
    """``won`` or ``lost``, by a last card laid or, ``blocked``, by the count of the hands."""
    how = " blocked" if all(deal.hands) else ""
    return [("lost" if score else "won") + how for score in deal.scores()]


ROUND = Contract(id="round", settlement=lowest_hand, obligations=(), outcome=won_or_lost, plain_order=LOW_TO_HIGH)
_PLAN = Plan((Turns(),), ROUND)


@dataclass(frozen=True)
class OneRound:
    """One round, which a position may call by any number: nothing depends on it."""

    def plan(self, number: int) -> Plan | None:
        """The round, whatever its number."""
        return _PLAN if number >= 1 else None

    def is_over(self, played: int, totals: Sequence[int]) -> bool:
        """After the round."""
        return played >= 1

    def describe(self) -> str:
        """How many rounds."""
        return "one round"


def _programme(target: Value) -> Programme:
    return UntilTarget(_PLAN, target) if isinstance(target, int) else OneRound()


def _build(options: Mapping[str, Value]) -> Game:
    players = options["players"]
    assert isinstance(players, int)
    return Game(
        ruleset="kings_corner",
        version=1,
        options=options,
        players=players,
        teams=tuple(range(players)),
        deck=DECK_52,
        packets=(1,) * 7,
        turned=4,
        programme=_programme(options["target"]),
        actions=ACTIONS,
        contracts=(ROUND,),
        lower_is_better=True,
    )


KINGS_CORNER = Ruleset(
    id="kings_corner",
    title="Kings in the Corner",
    page="kings-corner.md",
    options=(
        Option(name="players", values=(4, 3, 2), default=4, help="how many play"),
        Option(
            name="target",
            values=(None, 25, 50, 75, 100),
            default=None,
            help="the total of penalties that ends the match; null plays one round",
        ),
        *common_options(4),
    ),
    build=_build,
)
