"""Readable golden transcripts of whole matches: one for every ruleset and every value of its own options.

``python -m tests.rules.playthroughs`` writes them again into playthroughs/; the difference is there to be reviewed.
"""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from referee.rules.cards import CARD_TEXTS, texts
from referee.rules.deal import Deal
from referee.rules.match import Match
from referee.rules.registry import RULESETS
from referee.rules.ruleset import Ruleset, Value
from tests.strategies import COMMON

FOLDER = Path(__file__).with_suffix("")
SEED = hashlib.sha256(b"playthroughs").digest()
#: Values of options that stand for too many to play them all.
CHOSEN = {"target": (501, 1)}


def cases(ruleset: Ruleset) -> Iterator[dict[str, Value]]:
    """The defaults, and each other value of each option of the ruleset's own."""
    yield {}
    for option in ruleset.options:
        if option.name not in COMMON:
            values = CHOSEN[option.name] if isinstance(option.values, range) else option.values
            yield from ({option.name: value} for value in values if value != option.default)


def wanted() -> dict[str, str]:
    """The transcripts by file name."""
    result = {}
    for ruleset in RULESETS.values():
        for options in cases(ruleset):
            name = " ".join([ruleset.id, *(f"{name}={json.dumps(value)}" for name, value in options.items())])
            result[name.replace('"', "") + ".txt"] = "\n".join(transcript(ruleset, options)) + "\n"
    return result


def transcript(ruleset: Ruleset, options: dict[str, Value]) -> Iterator[str]:
    """One match, in which every choice follows from a hash. A number in brackets: how many actions were legal."""
    game = ruleset.game(options)
    match = Match(game, SEED)
    settled = " ".join(f"{name}={json.dumps(value)}" for name, value in game.options.items())
    yield f"# {ruleset.id} version {game.version} {settled}"
    yield f"# seed {SEED.hex()}"
    while not match.over:
        deal = match.deal
        yield ""
        yield f"deal {deal.number}, dealer {deal.dealer}" + (f", {deal.contract.id}" if deal.contract else "")
        yield from (f"  seat {seat} holds {' '.join(texts(hand))}" for seat, hand in enumerate(deal.dealt.hands))
        if deal.dealt.turned:
            yield f"  turned {' '.join(CARD_TEXTS[card] for card in deal.dealt.turned)}"
            yield f"  stock {' '.join(CARD_TEXTS[card] for card in deal.dealt.stock)}"
        yield from _decisions(match, deal)
        if deal.layout is not None:
            yield "  piles " + ", ".join(f"{place} {' '.join(pile)}" for place, pile in deal.layout.texts().items())
            yield from (
                f"  seat {seat} has left {' '.join(texts(hand)) or 'nothing'}" for seat, hand in enumerate(deal.hands)
            )
        yield f"  scores {_numbers(deal.scores())}, totals {_numbers(match.totals)}"
    yield ""
    yield f"ranks {_numbers(match.ranks())}"


def _decisions(match: Match, deal: Deal) -> Iterator[str]:
    """A line for each trick, turn or other decision."""
    line: list[str] = []
    while not deal.over:
        seat, kind, legal = deal.actor, deal.kind, deal.legal()
        action = _choice(deal, legal)
        text = deal.game.actions.text(action)
        tricks = deal.trick and sum(deal.trick.counts)
        match.apply(action)
        if kind == "play":
            line.append(f"{text}({len(legal)})" if line else f"  seat {seat} leads {text}({len(legal)})")
            if sum(deal.trick.counts) != tricks:
                yield " ".join(line) + f", seat {deal.trick.winners[-1]} takes it"
                line = []
        elif kind == "turn":
            line.append(f"{text}({len(legal)})" if line else f"  seat {seat} {text}({len(legal)})")
            if deal.over or deal.actor != seat or text == "end":
                yield " ".join(line)
                line = []
        else:
            yield f"  seat {seat} {kind} {text} of {' '.join(deal.game.actions.names(sum(1 << each for each in legal)))}"


def _choice(deal: Deal, legal: list[int]) -> int:
    """A choice that follows from what was done so far; half of the bids and answers are the first legal one."""
    done = f"{deal.number} {deal.actions}".encode()
    number = int.from_bytes(hashlib.sha256(done).digest()[:4], "big")
    if deal.kind not in ("play", "turn", "choose", "claim") and number % 2:
        return legal[0]
    return legal[number // 2 % len(legal)]


def _numbers(numbers: list[int]) -> str:
    return " ".join(map(str, numbers))


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
