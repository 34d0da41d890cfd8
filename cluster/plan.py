"""Whether two plans, the JSON forms of a tournament, are one and the same tournament."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from referee.rules.errors import ConfigError


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
    hint = "" if extend or not all(welcome for _, welcome in differences) else " (--extend accepts more blocks and bots)"
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
    """What differs between two lists of bots; their order counts, because line-ups follow it."""
    before, after = ({bot["name"]: bot for bot in bots} for bots in (old, new))
    for name, bot in before.items():
        if name not in after:
            yield f"bots had {_json(name)}", False
        elif bot != after[name]:
            yield f"bot {_json(name)} was {_json(bot)}, is {_json(after[name])}", False
    added = [name for name in after if name not in before]
    if added:
        yield f"bots has {', '.join(map(_json, added))} more", True
    kept = [name for name in after if name in before]
    if kept != [name for name in before if name in after]:
        yield f"bots stood in the order {_json(list(before))}, stand in the order {_json(list(after))}", False


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
