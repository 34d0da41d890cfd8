"""Every ruleset by its id: the one place where a new ruleset is entered."""

from referee.rules.errors import UnknownRuleset, nearest
from referee.rules.king_fetes import KING_FETES
from referee.rules.ruleset import Ruleset

RULESETS: dict[str, Ruleset] = {ruleset.id: ruleset for ruleset in (KING_FETES,)}


def ruleset(name: object) -> Ruleset:
    """The ruleset of this id.

    Raises:
        UnknownRuleset: there is none.
    """
    found = RULESETS.get(name) if isinstance(name, str) else None
    if found is None:
        raise UnknownRuleset(f"no ruleset {name!r}; {nearest(str(name), RULESETS)}")
    return found
