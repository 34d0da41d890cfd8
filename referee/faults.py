"""What a bot can do wrong, as data."""

from dataclasses import dataclass
from enum import IntEnum


class Fault(IntEnum):
    """A fault at one decision; the numbers are those of the protocol's FaultKind."""

    NONE = 0
    ILLEGAL = 1
    MALFORMED = 2
    TIMEOUT = 3
    DISCONNECT = 4

    @property
    def text(self) -> str | None:
        """The word of docs/replay.md."""
        return None if self is Fault.NONE else self.name.lower()


#: Marks of a decision in a record: the fault in the lowest three bits, and these flags.
FAULT_BITS = 7
FORCED = 8
SUBSTITUTE = 16


@dataclass(frozen=True, kw_only=True)
class Clocks:
    """Time in milliseconds: for each decision, above it for a whole match, and what a late answer is forgiven."""

    budget_ms: int = 200
    bank_ms: int = 5_000
    margin_ms: int = 50
