"""Perft: how many sequences of legal actions there are from small endings, for every contract of every ruleset.

``python -m tests.rules.perft`` writes perft/ again. A line has the contract, the deal, the hands by seat, the actions
that led to the ending, the numbers of sequences of 1, 2, 3, … further actions, the number of complete ones, and the sum
of their scores by seat. Where there are too many sequences to count them to the end, the line stops with "…".
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from referee.rules.cards import CARD_TEXTS, texts
from referee.rules.deal import Deal
from referee.rules.registry import RULESETS
from referee.rules.ruleset import Game, Ruleset
from tests.rules.playthroughs import cases

FOLDER = Path(__file__).with_suffix("")
#: Endings for each contract, and cards in each hand.
ENDINGS = 3
CARDS = 3
#: More sequences than this are not counted on.
MANY = 5000


def wanted() -> dict[str, str]:
    """The files by name: one a ruleset with each of its options."""
    result = {}
    for ruleset in RULESETS.values():
        for options in cases(ruleset):
            if not {"target", "last_two"} & set(options):  # what is legal does not depend on these
                name = " ".join([ruleset.id, *(f"{key}={value}" for key, value in options.items())])
                result[f"{name}.txt"] = "\n".join(lines(ruleset, options)) + "\n"
    return result


def lines(ruleset: Ruleset, options: dict) -> Iterator[str]:
    """The lines of one file."""
    game = replace(ruleset.game(options), packets=(1,) * CARDS)
    yield f"# {ruleset.id} {json.dumps(dict(game.options))}"
    yield "# contract; deal; hands; turned, stock; actions before; sequences by length; complete; sums of their scores"
    for contract, (number, before) in ways_to_contracts(game).items():
        for ending in range(ENDINGS):
            deal = small_deal(game, number, f"{contract} {ending}")
            for text in before:
                deal.apply(game.actions.number(text))
            yield line(deal, contract, before)
    for number in (1, 7):
        if game.programme.plan(number) is not None:
            yield line(small_deal(game, number, f"deal {number}"), "from the start", [])


def small_deal(game: Game, number: int, name: str) -> Deal:
    """A deal of few cards that follow from a name; with a stock, of few cards too."""
    seed = name.encode().ljust(32, b".")[:32]
    dealt = game.dealt(seed, number)
    return game.start(number, game.dealer(number), dealt._replace(stock=dealt.stock[:2]))


def ways_to_contracts(game: Game) -> dict[str, tuple[int, list[str]]]:
    """For each contract the first deal that can have it, and the fewest actions that lead to it."""
    found: dict[str, tuple[int, list[str]]] = {}
    number = 1
    while len(found) < len(game.contracts):
        waiting = [small_deal(game, number, "")]
        while waiting and waiting[0].contract is None:
            deal = waiting.pop(0)
            for action in deal.legal():
                after = deal.copy()
                after.apply(action)
                if after.contract is None:
                    waiting.append(after)
                else:
                    found.setdefault(after.contract.id, (number, _texts(after)))
            if set(found) == set(game.contract_ids):
                break
        if waiting and waiting[0].contract is not None:
            found.setdefault(waiting[0].contract.id, (number, []))
        number += 1
    return {name: found[name] for name in game.contract_ids}


def line(deal: Deal, contract: str, before: list[str]) -> str:
    lengths, complete, sums = count(deal)
    table = f"{_cards(deal.dealt.turned)}, {_cards(deal.dealt.stock)}" if deal.dealt.turned else "-"
    return "; ".join(
        [
            contract,
            str(deal.number),
            " / ".join(" ".join(texts(hand)) for hand in deal.dealt.hands),
            table,
            " ".join(before) or "-",
            " ".join(map(str, lengths)) or "-",
            "…" if complete is None else f"{complete}; {' '.join(map(str, sums))}",
        ]
    )


def count(deal: Deal) -> tuple[list[int], int | None, list[int]]:
    """The numbers of sequences by length, of complete ones (None where there are too many), and the sums of scores."""
    lengths: list[int] = []
    complete, sums = 0, [0] * deal.game.players
    deals = [deal]
    while True:
        for each in deals:
            if each.over:
                complete += 1
                sums = [total + score for total, score in zip(sums, each.scores(), strict=True)]
        deals = [after for before in deals for after in _after(before)]
        if not deals:
            return lengths, complete, sums
        lengths.append(len(deals))
        if len(deals) > MANY:
            return lengths, None, sums


def _after(deal: Deal) -> Iterator[Deal]:
    for action in deal.legal():
        after = deal.copy()
        after.apply(action)
        yield after


def _texts(deal: Deal) -> list[str]:
    return [deal.game.actions.text(action) for action in deal.actions]


def _cards(cards: tuple[int, ...]) -> str:
    return " ".join(CARD_TEXTS[card] for card in cards)


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    files = wanted()
    for path in FOLDER.glob("*.txt"):
        if path.name not in files:
            path.unlink()
    for name, text in files.items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
