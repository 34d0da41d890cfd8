"""Every ruleset by its id: the one place where a new ruleset is entered."""

from referee.rules.errors import UnknownRuleset, nearest
from referee.rules.king_auction import KING_AUCTION
from referee.rules.king_fetes import KING_FETES
from referee.rules.king_simple import KING_SIMPLE
from referee.rules.kings_corner import KINGS_CORNER
from referee.rules.klaverjas import KLAVERJAS_AMSTERDAM, KLAVERJAS_ROTTERDAM
from referee.rules.ruleset import Ruleset

RULESETS: dict[str, Ruleset] = {
    ruleset.id: ruleset
    for ruleset in (KING_AUCTION, KING_FETES, KING_SIMPLE, KLAVERJAS_AMSTERDAM, KLAVERJAS_ROTTERDAM, KINGS_CORNER)
}


def ruleset(name: object) -> Ruleset:
    """The ruleset of this id.

    Raises:
        UnknownRuleset: there is none.
    """
    found = RULESETS.get(name) if isinstance(name, str) else None
    if found is None:
        raise UnknownRuleset(f"no ruleset {name!r}; {nearest(str(name), RULESETS)}")
    return found
