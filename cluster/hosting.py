"""How the bots of a tournament are started: each one's command, and the tier in which it is isolated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from cluster.tournament import BotEntry, Tournament
from referee.isolation import sight, tiers
from referee.isolation.limits import Limits
from referee.isolation.tiers import Standing
from referee.processes import Command

_WAYS_OUT = (
    'install it; or set isolation = "trusted" if all these bots are your own, '
    'or isolation = "landlock", which needs nothing installed'
)


def tier(tournament: Tournament, bot: BotEntry) -> str:
    """The tier of a bot: its own, else the tournament's; where neither is named, bots of others than us are isolated."""
    if bot.remote:
        return tiers.REMOTE
    default = tiers.TRUSTED if bot.is_reference else tiers.DEFAULT
    return bot.isolation or tournament.isolation or default


def commands(tournament: Tournament) -> dict[str, Command]:
    """How each bot is started that is, by name. A reference bot needs no folder."""
    limits = Limits(**tournament.limits.model_dump())
    return {
        bot.name: Command(
            bot.words(), None if bot.is_reference else bot.cwd, tier(tournament, bot), bot.reads, limits=limits
        )
        for bot in tournament.bots
        if not bot.remote
    }


def standings(tournament: Tournament) -> dict[str, Standing]:
    """How each bot is isolated on this machine, by name; what every match record says."""
    return {bot.name: tiers.standing(tier(tournament, bot)) for bot in tournament.bots}


def obstacles(tournament: Tournament) -> list[str]:
    """A sentence for each bot that cannot be started on this machine as it has to be."""
    found = [text for text in (bot.obstacle() for bot in tournament.bots) if text]
    for name in sorted({tier(tournament, bot) for bot in tournament.bots}):
        if reason := tiers.why_not(name):
            bots = ", ".join(repr(bot.name) for bot in tournament.bots if tier(tournament, bot) == name)
            found.append(f"isolation of {bots}: {reason}; {_WAYS_OUT}")
    return found


def exposed(tournament: Tournament, secrets: Iterable[Path]) -> Iterator[str]:
    """A sentence for each bot that is isolated, but whose folders hold what it may not see.

    ``secrets``: the tournament file and the results folder, which hold the seed of all deals.
    """
    hidden = [path.resolve() for path in secrets]
    for bot in tournament.bots:
        if tier(tournament, bot) in (tiers.TRUSTED, tiers.REMOTE):
            continue
        for shown in (*([] if bot.is_reference or bot.cwd is None else [bot.cwd]), *bot.reads):
            place = Path(shown).resolve()
            inside = next((path for path in hidden if path.is_relative_to(place)), None)
            if inside is not None:
                yield (f"bot {bot.name!r} may read {place}, and there lies {inside}, which holds the secret seed of all deals; "
                       'give the bot a folder of its own (cwd), or, if it is yours, isolation = "trusted"')  # fmt: skip
            elif sight.is_broad(str(place)):
                yield f"bot {bot.name!r} may read {place}, which holds far more than one bot; give it a folder of its own (cwd)"
