"""Replays in the words of docs/replay.md, re-simulated from what is stored."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from cluster.records import mark_parts, unpack
from referee.rules import dealing, registry
from referee.rules.cards import CARD_TEXTS, texts
from referee.rules.deal import Deal
from referee.rules.errors import KingmakerError, RulesError
from referee.rules.match import Match
from referee.table import MatchSpec, Table

FORMAT = "kingmaker-replay/1"


class BrokenReplay(KingmakerError):
    """A stored replay that does not follow from its own seed, or not to its hash; the text says at which action."""


def replay(row: Mapping[str, Any]) -> dict[str, Any]:
    """Play a stored match again, and tell all of it.

    ``row``: a row of the `replays` table.

    Raises:
        BrokenReplay: what is stored cannot be.
    """
    where = f"match {row['match_id']}"
    if dealing.commitment(row["seed"]) != row["commitment"]:
        raise BrokenReplay(f"{where}: the seed does not match its commitment")
    try:
        events = list(_decisions(row))
        match = Match(registry.ruleset(row["ruleset"]).game(json.loads(row["options"])), row["seed"])
    except ValueError as error:
        raise BrokenReplay(f"{where}: {error}") from None
    decisions: list[list[dict[str, Any]]] = [[]]
    for number, (action, told) in enumerate(events, 1):
        deal = match.deal
        try:
            described = _describe(deal, action)
            match.apply(action)
        except RulesError as error:
            raise BrokenReplay(f"{where}: action {number}: {error}") from None
        decisions[-1].append(described | told)
        if deal.over:
            decisions.append([])
    if not match.over or decisions.pop():
        raise BrokenReplay(f"{where}: the stored actions end before the match does")
    if _hash(row, match) != row["match_hash"]:
        raise BrokenReplay(f"{where}: what is stored does not come to the hash of the match")
    return _tell(row, match, decisions)


def _hash(row: Mapping[str, Any], match: Match) -> str:
    """The hash of a match that was played again, over the stored marks and names."""
    spec = MatchSpec(
        match_id=row["match_id"], game=match.game, seed=match.seed, players=tuple(row["players"]),
        bot_seeds=(0,) * match.game.players,
    )  # fmt: skip
    table = Table(spec)
    table.match, table.forfeits = match, set(row["forfeits"])
    table.actions, table.marks = unpack("H", row["actions"]), unpack("B", row["marks"])
    return table.record_hash()


def _decisions(row: Mapping[str, Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    actions, marks = unpack("H", row["actions"]), unpack("B", row["marks"])
    for action, mark, charge in zip(actions, marks, unpack("I", row["charged_us"]), strict=True):
        forced, substitute, fault = mark_parts(mark)
        ms = None if forced or substitute else charge / 1000
        yield action, {"forced": forced, "ms": ms, "fault": fault}


def _describe(deal: Deal, action: int) -> dict[str, Any]:
    names = deal.game.actions
    return {"seat": deal.actor, "kind": deal.kind, "action": names.text(action), "legal": names.names(deal.legal_mask())}


def _tell(row: Mapping[str, Any], match: Match, decisions: list[list[dict[str, Any]]]) -> dict[str, Any]:
    deals, totals = [], [0] * match.game.players
    for deal, taken in zip(match.finished, decisions, strict=True):
        totals = [total + score for total, score in zip(totals, deal.scores(), strict=True)]
        deals.append(_deal(deal, taken, totals))
    return {
        "format": FORMAT,
        "match_id": row["match_id"],
        "tournament_id": row["tournament_id"],
        "ruleset": row["ruleset"],
        "options": dict(match.game.options),
        "players": list(row["players"]),
        "commitment": row["commitment"].hex(),
        "seed": row["seed"].hex(),
        "deals": deals,
        "totals": match.totals,
        "ranks": match.ranks(row["forfeits"]),
        "forfeits": list(row["forfeits"]),
    }


def _deal(deal: Deal, decisions: list[dict[str, Any]], totals: list[int]) -> dict[str, Any]:
    told: dict[str, Any] = {
        "number": deal.number,
        "dealer": deal.dealer,
        "hands": [texts(hand) for hand in deal.dealt.hands],
    }
    if deal.game.turned:
        told["turned"] = [CARD_TEXTS[card] for card in deal.dealt.turned]
        told["stock"] = [CARD_TEXTS[card] for card in deal.dealt.stock]
    assert deal.contract is not None
    return told | {
        "contract": deal.contract.id,
        "declarer": deal.declarer,
        "decisions": decisions,
        "scores": deal.scores(),
        "totals": totals,
    }
