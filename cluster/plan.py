"""Whether two plans, the JSON forms of a tournament, are one and the same; and a field that changes on the way."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from cluster.tournament import BotEntry, Tournament, parse
from referee.rules.errors import ConfigError


def settled(tournament: Tournament, old: Mapping[str, Any] | None, played: Callable[[], int], *,
            extend: bool) -> Tournament:  # fmt: skip
    """The tournament with those who joined and left since it was written down.

    ``old``: the plan that was written down, None at the start. ``played``: tells the first block after all that were played, where somebody joins or leaves;
    with ``extend`` new bots join there, and bots that the file no longer names leave there. They stand where they stood
    before, new ones after them.

    Raises:
        ConfigError: somebody joins or leaves among blocks that were played already.
    """
    if old is None:
        return tournament
    before = {bot["name"]: bot for bot in old["bots"]}
    named = {bot.name: bot for bot in tournament.bots}
    field = [_stayed(BotEntry(**bot), named.get(name), played, extend=extend) for name, bot in before.items()]
    kept = [bot for bot in tournament.bots if bot.name in before]
    if [bot.name for bot in kept] != [name for name in before if name in named]:
        return tournament  # `agree` says what is wrong
    field += [_joined(bot, played) if extend else bot for bot in tournament.bots if bot.name not in before]
    return parse({**tournament.model_dump(), "bots": [bot.model_dump() for bot in field if bot is not None]}, "--extend")


def _stayed(old: BotEntry, new: BotEntry | None, played: Callable[[], int], *, extend: bool) -> BotEntry | None:
    """A bot of old: as the file has it now, or gone."""
    if new is None:
        left = old.leaves if old.leaves is not None or not extend else played()
        return None if left is None else old.model_copy(update={"leaves": left})
    leaves = old.leaves if new.leaves is None else new.leaves
    if leaves != old.leaves and leaves is not None and leaves < played():
        raise ConfigError(f"bot {_json(new.name)} leaves at block {leaves}; leaves = {played()} is the earliest, so many were played")
    return new.model_copy(update={"joins": new.joins or old.joins, "leaves": leaves})


def _joined(new: BotEntry, played: Callable[[], int]) -> BotEntry:
    if 0 < new.joins < played():
        raise ConfigError(f"bot {_json(new.name)} joins at block {new.joins}; joins = {played()} is the earliest, so many were played")
    return new.model_copy(update={"joins": new.joins or played()})


def agree(folder: Path, old: Mapping[str, Any], new: Mapping[str, Any], *, extend: bool) -> None:
    """Check that what is written down in a folder and what is to be played are one tournament.

    ``extend``: more blocks and more bots than before are welcome.

    Raises:
        ConfigError: they are not; the text says what differs.
    """
    game = ("ruleset", "options", "seed")
    hidden = {"tournament_id"} if any(old.get(key) != new.get(key) for key in game) else set()  # it follows from them
    differences = list(_differences(_without(hidden, old), _without(hidden, new)))
    if all(extend and welcome for _, welcome in differences):
        return
    told = "; ".join(text for text, welcome in differences if not (extend and welcome))
    hint = "" if extend or not all(welcome for _, welcome in differences) else " (--extend accepts more blocks, and bots that join or leave)"
    raise ConfigError(f"{folder} holds results of another tournament: {told}{hint}")


def _without(hidden: set[str], plan: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in plan.items() if key not in hidden}


def _differences(old: Mapping[str, Any], new: Mapping[str, Any], place: str = "") -> Iterator[tuple[str, bool]]:
    """What differs, and whether it only makes a tournament longer."""
    for key in sorted(old.keys() | new.keys()):
        before, after, name = old.get(key), new.get(key), f"{place}{key}"
        if isinstance(before, dict) and isinstance(after, dict):
            yield from _differences(before, after, f"{name}.")
        elif name == "bots" and isinstance(before, list) and isinstance(after, list):
            yield from _bots(before, after)
        elif before != after:
            longer = name == "blocks" and isinstance(before, int) and isinstance(after, int) and after > before
            yield f"{name} was {_json(before)}, is {_json(after)}", longer


def _bots(old: list[Any], new: list[Any]) -> Iterator[tuple[str, bool]]:
    """What differs between two lists of settled bots; their order counts, because line-ups follow it."""
    before, after = ({bot["name"]: bot for bot in bots} for bots in (old, new))
    for name, bot in before.items():
        if name not in after:
            yield f"bots had {_json(name)}", True
        elif bot != after[name]:
            left = bot | {"leaves": after[name]["leaves"]} == after[name] and bot["leaves"] is None
            yield f"bot {_json(name)} was {_json(bot)}, is {_json(after[name])}", left
    added = [name for name in after if name not in before]
    if added:
        yield f"bots has {', '.join(map(_json, added))} more", True
    kept = [name for name in after if name in before]
    if kept != [name for name in before if name in after]:
        yield f"bots stood in the order {_json(list(before))}, stand in the order {_json(list(after))}", False


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
