"""Remote bots: whoever has a token to play comes to the gate, and plays in lists of their own while connected.

They and the reference bots sit with one referee, who goes on from round to round, so that nobody has to come anew.
"""

from __future__ import annotations

import logging
import os
import secrets
from collections.abc import Callable, Sequence

from cluster.arena import Arena, Chunk
from cluster.competition import names, owners
from cluster.competition.database import Database, NoDatabase
from cluster.competition.owners import Refused
from cluster.competition.seasons import Ladder
from cluster.competition.settings import FIELD, Settings
from cluster.schedule import Block, design
from cluster.tournament import REFERENCE_BOTS, BotEntry, Tournament, parse
from referee.gate import Gate, Listen
from referee.processes import PlatformError
from referee.rules import registry as rulesets
from referee.rules.errors import ConfigError
from referee.tokens import BadToken

#: Blocks of a round: whoever goes away in the middle loses no more of them.
ROUND_BLOCKS = 4
#: A database that is away is not waited for at the gate, in seconds; whoever is in stays in.
PATIENCE_S = 1.0
log = logging.getLogger(__name__)


class Guests:
    """A company (see `cluster.competition.ladder`) of those that are connected, each under the name of its owner.

    ``close`` says goodbye to them; where the platform fails we end without it, so that all look for whoever takes our place.
    """

    goes = True
    round_blocks = ROUND_BLOCKS

    def __init__(self, settings: Settings, listen: Listen, whose: Callable[[str], str]) -> None:
        self.lists, self.clocks = settings.remote, settings.remote_clocks
        data = {
            "name": "remote", "ruleset": self.lists[0].ruleset, "options": dict(self.lists[0].options), "blocks": 1,
            "seed": secrets.token_hex(16), "bots": [{"name": name} for name in FIELD],
        }  # fmt: skip
        self._arena = Arena(parse(data, "remote"), Gate(listen, None, whose))

    def bots(self, ladder: Ladder) -> list[BotEntry]:
        """Those that have a process for each seat that a bot has at a table."""
        game = rulesets.ruleset(ladder.ruleset).game(dict(ladder.options))
        seats = game.players // design(game).places
        return [BotEntry(name=name, remote=True) for name, count in sorted(self._arena.guests().items()) if count >= seats]

    def play(self, tournament: Tournament, blocks: Sequence[Block]) -> Chunk:
        """Play these blocks."""
        self._arena.turn_to(tournament)
        try:
            return self._arena.play(blocks)
        except PlatformError as error:
            log.warning("%s; what was being played is played again", error)
            os._exit(1)

    def close(self) -> None:
        """Say goodbye to all."""
        self._arena.close()


def whose(address: str) -> Callable[[str], str]:
    """Who comes to the gate with a token, by the database at this address: the owner's name, which is the bot's."""
    database = Database(address, PATIENCE_S)

    def name_of(token: str) -> str:
        try:
            name = owners.owner_of(database, token, "play").name
        except Refused as refusal:
            raise BadToken(str(refusal)) from None
        except NoDatabase as error:
            raise ConfigError(f"{error}; try again in a while") from None
        if names.key(name) in REFERENCE_BOTS:
            raise BadToken(f"{name!r} is the name of a reference bot, and a remote bot has that of its owner; the organiser has to choose another")
        return name

    return name_of
