"""The table of a ruleset's actions: a small number and a text for each, both ways."""

from collections.abc import Iterable

from referee.rules.cards import CARD_TEXTS, mask, members
from referee.rules.errors import BadNotation


class ActionTable:
    """All actions of one ruleset; the numbers 0 to 51 are the cards, the others follow in the order given."""

    def __init__(self, others: Iterable[str] = ()) -> None:
        self.texts: tuple[str, ...] = CARD_TEXTS + tuple(others)
        self._numbers = {text: number for number, text in enumerate(self.texts)}

    def __len__(self) -> int:
        return len(self.texts)

    def text(self, action: int) -> str:
        """The text of an action.

        Raises:
            BadNotation: the table has no such number.
        """
        if not 0 <= action < len(self.texts):
            raise BadNotation(f"{action} is no action; actions are 0 to {len(self.texts) - 1}")
        return self.texts[action]

    def number(self, text: str) -> int:
        """The number of an action.

        Raises:
            BadNotation: the table has no such text.
        """
        number = self._numbers.get(text) if isinstance(text, str) else None
        if number is None:
            raise BadNotation(f"{text!r} is no action of this ruleset")
        return number

    def mask(self, *texts: str) -> int:
        """The set of these actions."""
        return mask(map(self.number, texts))

    def names(self, mask: int) -> list[str]:
        """The actions of a set as texts, in ascending order of their numbers."""
        return [self.texts[action] for action in members(mask)]
