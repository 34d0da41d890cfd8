"""`king.simple`: seven negatives, then the same seven turned round (docs/rules/king-simple.md)."""

from collections.abc import Mapping

from referee.rules import king
from referee.rules.actions import ActionTable
from referee.rules.cards import DECK_32
from referee.rules.contract import NOTHING, Contract, mirrored
from referee.rules.obligations import follow_suit, leading, no_hearts, when
from referee.rules.ruleset import FixedProgramme, Game, Option, Plan, Ruleset, Value, common_options
from referee.rules.trickplay import TrickPlay

ACTIONS = ActionTable()

_HEARTS_NOT_LED = (when(leading, no_hearts), follow_suit)
_POSITIVE_NAMES = ("tricks", "jacks", "queens", "hearts", "king_of_hearts", "last_two", "everything")


def _negatives(last_two: int) -> tuple[Contract, ...]:
    six = (
        Contract(id="no_tricks", tally=king.tricks(-2)),
        Contract(id="no_jacks", tally=king.jacks(-4)),
        Contract(id="no_queens", tally=king.queens(-4)),
        Contract(id="no_hearts", tally=king.hearts(-2), obligations=_HEARTS_NOT_LED),
        Contract(id="no_king_of_hearts", tally=king.king_of_hearts(-16), obligations=_HEARTS_NOT_LED),
        Contract(id="no_last_two", tally=king.last_two(-last_two)),
    )
    together = sum((contract.tally for contract in six), NOTHING)
    return (*six, Contract(id="nothing", tally=together, obligations=_HEARTS_NOT_LED))


def _build(options: Mapping[str, Value]) -> Game:
    last_two = options["last_two"]
    assert isinstance(last_two, int)
    negatives = _negatives(last_two)
    contracts = negatives + mirrored(negatives, _POSITIVE_NAMES)
    return Game(
        ruleset="king.simple",
        version=1,
        options=options,
        players=4,
        teams=(0, 1, 2, 3),
        deck=DECK_32,
        packets=(1,) * 8,
        programme=FixedProgramme(tuple(Plan((TrickPlay(),), contract) for contract in contracts)),
        actions=ACTIONS,
        contracts=contracts,
        match_total=0,
    )


KING_SIMPLE = Ruleset(
    id="king.simple",
    title="The older, simple King",
    page="king-simple.md",
    options=(
        Option(name="last_two", values=(6, 8), default=6, help="points for each of the last two tricks"),
        *common_options(4),
    ),
    build=_build,
)
