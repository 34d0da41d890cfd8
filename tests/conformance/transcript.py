"""Transcripts: what a referee once said on a stream, and what a correct bot answered.

A file has one line for each message, in order::

    referee BASE64          a PlayResponse, deflated (zlib)
    lowest MATCH.NUMBER=ACTION …    what the bot that plays the lowest legal action answers to the batch before
    witness MATCH.NUMBER=ACTION …   what bots/python/witness.py answers to it

Lines that begin with ``#`` say what the transcript is for. Files stay as they are for ever: the bots of yesterday hear
nothing else from the referee of tomorrow.
"""

from __future__ import annotations

import base64
import zlib
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).parent
#: By bot: (match, number) → action.
Answers = dict[str, dict[tuple[int, int], int]]


@dataclass
class Exchange:
    """One message of the referee, and the answers to it by bot; none where it asks nothing."""

    said: bytes
    answers: Answers = field(default_factory=dict)


def read(path: Path) -> list[Exchange]:
    exchanges: list[Exchange] = []
    for line in path.read_text(encoding="ascii").splitlines():
        speaker, _, words = line.partition(" ")
        if speaker == "referee":
            exchanges.append(Exchange(zlib.decompress(base64.b64decode(words, validate=True))))
        elif speaker != "#":
            exchanges[-1].answers[speaker] = dict(map(_triple, words.split()))
    return exchanges


def write(path: Path, purpose: str, exchanges: list[Exchange]) -> None:
    lines = [f"# {purpose}"]
    for exchange in exchanges:
        lines.append(f"referee {base64.b64encode(zlib.compress(exchange.said, 9)).decode()}")
        for bot, answers in exchange.answers.items():
            lines.append(" ".join([bot, *(f"{match}.{number}={action}" for (match, number), action in answers.items())]))
    path.write_text("\n".join(lines) + "\n", encoding="ascii")


def _triple(word: str) -> tuple[tuple[int, int], int]:
    decision, _, action = word.partition("=")
    match, _, number = decision.partition(".")
    return (int(match), int(number)), int(action)
