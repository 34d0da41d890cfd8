"""`klaverjas.amsterdam` and `klaverjas.rotterdam`, which differ by their obligations only (docs/rules/klaverjas.md)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from referee.rules.actions import ActionTable
from referee.rules.cards import DECK_32, RANKS, SUITS, card, mask, of_rank
from referee.rules.choosing import Choice, Choose, by_anyone, next_to_dealer_leads
from referee.rules.claim import CLAIM, LEAVE, TricksWithBonus, TricksWithClaims
from referee.rules.contract import Contract, card_values, last_tricks
from referee.rules.deal import Deal
from referee.rules.obligations import (
    Obligation,
    follow_suit,
    no_undertrump,
    opponents_winning,
    overtrump,
    trump,
    trump_led,
    void,
    when,
)
from referee.rules.ruleset import Game, Option, Plan, Ruleset, UntilTarget, Value, common_options
from referee.rules.trick import KLAVERJAS_PLAIN, KLAVERJAS_TRUMP, Trick

AMSTERDAM = (follow_suit, when(trump_led, overtrump), when(opponents_winning, overtrump), when(void, no_undertrump))
ROTTERDAM = (follow_suit, when(void, trump), overtrump)

_PLAIN_VALUES = {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2}
_TRUMP_VALUES = {"J": 20, "9": 14, "A": 11, "T": 10, "K": 4, "Q": 3}
_ALIKE = {of_rank(rank): 200 if rank == "J" else 100 for rank in RANKS}
_KINGS_AND_QUEENS = of_rank("K") | of_rank("Q")

ACTIONS = ActionTable([*(f"trump:{suit}" for suit in SUITS), CLAIM, LEAVE])


def roem(trick: Trick) -> int:
    """The bonus in the four cards on the table: a run, four alike, king and queen of trump."""
    cards = mask(trick.cards)
    runs = cards & cards >> 1 & cards >> 2  # where runs of three begin; none crosses suits in a deck from 7 to ace
    marriage = trick.trumps & _KINGS_AND_QUEENS
    points = (0, 20, 50)[runs.bit_count()] or _ALIKE.get(cards, 0)
    return points + 20 if cards & marriage == marriage else points


def made_or_nat(deal: Deal, counts: list[int]) -> list[int]:
    """If the makers have more, all score their own (makers 100 more for all tricks); else the opponents score all."""
    trick, teams = deal.trick, deal.game.teams
    assert trick is not None
    assert deal.declarer is not None
    makers = teams[deal.declarer]
    sums = [0, 0]
    for seat, points in enumerate(counts):
        sums[teams[seat]] += points
    for seat, points, claimed in deal.bonuses:
        sums[teams[seat]] += points * claimed
    if sums[makers] <= sums[1 - makers]:
        sums[1 - makers] += sums[makers]
        sums[makers] = 0
    elif all(teams[winner] == makers for winner in trick.winners):
        sums[makers] += 100
    return [sums[team] for team in teams]


def made_nat_or_pit(deal: Deal) -> Sequence[str | None]:
    """For the makers ``made``, ``nat`` (they failed) or ``pit`` (they took every trick)."""
    trick, teams = deal.trick, deal.game.teams
    assert trick is not None
    assert deal.declarer is not None
    makers = teams[deal.declarer]
    word = "pit" if all(teams[winner] == makers for winner in trick.winners) else "made"
    if not deal.scores()[deal.declarer]:
        word = "nat"
    return [word if team == makers else None for team in teams]


def _values(trump_suit: str) -> dict[int, int]:
    return {
        card(rank + suit): value
        for suit in SUITS
        for rank, value in (_TRUMP_VALUES if suit == trump_suit else _PLAIN_VALUES).items()
    }


def _trumps(obligations: Sequence[Obligation]) -> tuple[Contract, ...]:
    return tuple(
        Contract(
            id=f"trump:{suit}",
            tally=card_values(_values(suit)) + last_tricks(1, 10),
            settlement=made_or_nat,
            outcome=made_nat_or_pit,
            obligations=tuple(obligations),
            trump=number,
            plain_order=KLAVERJAS_PLAIN,
            trump_order=KLAVERJAS_TRUMP,
        )
        for number, suit in enumerate(SUITS)
    )


@dataclass(frozen=True)
class UntilDecided(UntilTarget):
    """Until a team has reached the target, and on while the teams are equal."""

    def is_over(self, played: int, totals: Sequence[int]) -> bool:
        """After the first deal in which a total has reached the target and the totals differ."""
        return super().is_over(played, totals) and min(totals) < max(totals)

    def describe(self) -> str:
        """Where the match ends."""
        return super().describe() + " and the teams differ"


_PLAYS = {"choice": TricksWithClaims(roem), "auto": TricksWithBonus(roem)}


def _klaverjas(name: str, title: str, obligations: Sequence[Obligation]) -> Ruleset:
    contracts = _trumps(obligations)
    choose = Choose(tuple(Choice(each.id, each, by_anyone, next_to_dealer_leads) for each in contracts))

    def build(options: Mapping[str, Value]) -> Game:
        target, claims = options["target"], options["roem"]
        assert isinstance(target, int)
        assert isinstance(claims, str)
        return Game(
            ruleset=name,
            version=1,
            options=options,
            players=4,
            teams=(0, 1, 0, 1),
            deck=DECK_32,
            packets=(3, 2, 3),
            programme=UntilDecided(Plan((choose, _PLAYS[claims])), target),
            actions=ACTIONS,
            contracts=contracts,
        )

    return Ruleset(
        id=name,
        title=title,
        page="klaverjas.md",
        options=(
            Option(name="target", values=range(1, 10001), default=501, help="points that end the match"),
            Option(
                name="roem",
                values=("choice", "auto"),
                default="choice",
                help="whether the winner of a trick is asked to claim its bonus, or always gets it",
            ),
            *common_options(4),
        ),
        build=build,
    )


KLAVERJAS_AMSTERDAM = _klaverjas("klaverjas.amsterdam", "Klaverjas, Amsterdam trumping", AMSTERDAM)
KLAVERJAS_ROTTERDAM = _klaverjas("klaverjas.rotterdam", "Klaverjas, Rotterdam trumping", ROTTERDAM)
