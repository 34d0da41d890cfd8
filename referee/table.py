"""A table steps one match. It knows neither gRPC nor Ray: it is told answers, faults and charges."""

from __future__ import annotations

import hashlib
import json
from array import array
from dataclasses import dataclass, field

from referee.faults import FORCED, SUBSTITUTE, Clocks, Fault
from referee.rules.match import Match
from referee.rules.ruleset import Game

_FIRST_SEEDS = 8 * 128  # bytes: a match of King asks about a hundred decisions of each seat
_MOST_US = 0xFFFFFFFF  # 71 minutes: a charge has 32 bits on the wire and in records


@dataclass(frozen=True, kw_only=True)
class MatchSpec:
    """What is to be played.

    ``seed``: 32 secret bytes, from which the deals follow. ``players``: the names by seat. ``bot_seeds``: by seat,
    64 bits each, unrelated to ``seed``. ``max_faults``: with so many a seat forfeits.
    """

    match_id: str
    game: Game
    seed: bytes
    players: tuple[str, ...]
    bot_seeds: tuple[int, ...]
    clocks: Clocks = field(default_factory=Clocks)
    max_faults: int = 3


class Table:
    """One match in progress, and its record.

    ``seat``: whose answer is awaited, None when the match is over (or before the first `advance`); ``legal``: the set
    of actions it may take. ``asked``: by seat, how many decisions it was asked. The record has one entry for each
    action: ``actions``, ``seats``, ``marks`` (see `referee.faults`) and ``charged_us`` (0 where nobody was asked).
    ``bank_us`` and ``last_charge_us``: by seat; ``budget_us``: for each decision. ``endings``: by seat, how a process
    that was lost in the middle ended.
    """

    __slots__ = (
        "_seeds", "actions", "ask_forced", "asked", "bank_us", "budget_us", "charged_us", "endings", "faults",
        "forfeits", "last_charge_us", "last_fault", "legal", "marks", "match", "seat", "seats", "spec",
    )  # fmt: skip

    def __init__(self, spec: MatchSpec) -> None:
        players = spec.game.players
        self.spec = spec
        self.match = Match(spec.game, spec.seed)
        self.ask_forced = bool(spec.game.options["ask_forced"])
        self.seat: int | None = None
        self.asked = [0] * players
        self.endings = [""] * players
        self.faults: list[list[Fault]] = [[] for _ in range(players)]
        self.forfeits: set[int] = set()
        self.bank_us = [spec.clocks.bank_ms * 1000] * players
        self.last_charge_us = [0] * players
        self.last_fault = [Fault.NONE] * players
        self.actions = array("B" if len(spec.game.actions) <= 256 else "H")
        self.seats = bytearray()
        self.marks = array("B")
        self.charged_us = array("I")
        self.legal = 0
        self.budget_us = spec.clocks.budget_ms * 1000
        self._seeds = [b""] * players

    @property
    def over(self) -> bool:
        """The match is over."""
        return self.match.over

    def advance(self) -> int | None:
        """Play on as far as nobody needs to be asked; return the seat that must be, or None at the end."""
        match = self.match
        while not match.over:
            deal = match.deal
            mask = deal.legal_mask()
            seat: int = deal.actor  # type: ignore[assignment]  # a match that is not over has somebody to act
            first = mask & -mask
            if mask == first and not self.ask_forced:
                self._play(first.bit_length() - 1, FORCED)
            elif seat in self.forfeits:
                self._play(first.bit_length() - 1, SUBSTITUTE)
            else:
                self.seat = seat
                self.asked[seat] += 1
                self.legal = mask
                return seat
        self.seat = None
        return None

    def decision_seed(self) -> bytes:
        """Eight fresh bytes for the decision that is asked: the next ones of SHAKE-128 over the seat's own seed."""
        seat: int = self.seat  # type: ignore[assignment]  # somebody is asked
        end = 8 * self.asked[seat]
        if end > len(self._seeds[seat]):
            own = self.spec.bot_seeds[seat].to_bytes(8, "little")
            self._seeds[seat] = hashlib.shake_128(own).digest(2 * end + _FIRST_SEEDS)
        return self._seeds[seat][end - 8 : end]

    def answer(self, action: int, charge_us: int) -> None:
        """Take the answer of the seat that is asked; an action that is not legal, or came too late, is a fault.

        Within the margin a late answer costs no more than the budget, or than budget and bank where it needed them.
        """
        seat: int = self.seat  # type: ignore[assignment]  # somebody is asked
        over_us = charge_us - self.budget_us
        if over_us > 0:
            margin_us = self.spec.clocks.margin_ms * 1000
            if over_us > self.bank_us[seat] + margin_us:
                self.fault(Fault.TIMEOUT, charge_us)
                return
            paid_us = 0 if over_us <= margin_us else min(over_us, self.bank_us[seat])
            self.bank_us[seat] -= paid_us
            charge_us -= over_us - paid_us
        if not self.legal >> action & 1:
            self.fault(Fault.ILLEGAL, charge_us)
            return
        if charge_us > _MOST_US:
            charge_us = _MOST_US
        self.last_charge_us[seat] = charge_us
        if self.last_fault[seat]:
            self.last_fault[seat] = Fault.NONE
        self._play(action, 0, charge_us)

    def fault(self, fault: Fault, charge_us: int = 0) -> None:
        """Play the first legal action in place of the seat that is asked, and record why."""
        seat: int = self.seat  # type: ignore[assignment]  # somebody is asked
        if fault is Fault.TIMEOUT:
            self.bank_us[seat] = 0
        self.last_charge_us[seat] = charge_us = min(charge_us, _MOST_US)
        self.last_fault[seat] = fault
        self.faults[seat].append(fault)
        if len(self.faults[seat]) >= self.spec.max_faults:
            self.forfeits.add(seat)
        mask = self.legal
        self._play((mask & -mask).bit_length() - 1, int(fault), charge_us)

    def ranks(self) -> list[int]:
        """The rank of each seat, once the match is over."""
        return self.match.ranks(self.forfeits)

    def record_hash(self) -> str:
        """The hash over all that was decided: ruleset, options, seed, line-up, actions, faults, scores; not the times.

        64 hex digits of SHA-256.
        """
        spec = self.spec
        decided = {
            "ruleset": spec.game.ruleset,
            "version": spec.game.version,
            "options": dict(spec.game.options),
            "seed": spec.seed.hex(),
            "players": spec.players,
            "actions": self.actions.tolist(),
            "marks": self.marks.tolist(),
            "scores": [deal.scores() for deal in self.match.finished],
            "forfeits": sorted(self.forfeits),
        }
        text = json.dumps(decided, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()

    def _play(self, action: int, mark: int, charge_us: int = 0) -> None:
        seat: int = self.match.deal.actor  # type: ignore[assignment]  # somebody is to act
        self.match.apply(action)
        self.actions.append(action)
        self.seats.append(seat)
        self.marks.append(mark)
        self.charged_us.append(charge_us)
