"""Names of owners and bots: in any script, stored in NFC, unique whatever their upper and lower case."""

from __future__ import annotations

import unicodedata

from cluster.tournament import REFERENCE_BOTS, bot_name
from referee.rules.errors import ConfigError

#: Room is left for what results add to a name: its version.
LONGEST = 48


def clean(text: str) -> str:
    """A name as it is stored.

    Raises:
        ConfigError: it cannot be a name.
    """
    name = bot_name(text)
    if len(name) > LONGEST:
        raise ConfigError(f"{name!r:.80} has {len(name)} letters; a name in a competition has at most {LONGEST}")
    if not any(unicodedata.category(letter)[0] in "LNPS" for letter in name):
        raise ConfigError(f"{name!r} shows nothing; a name has a letter, a digit or a sign")
    return name


def key(name: str) -> str:
    """What two names have in common that are the same but for upper and lower case."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", name).casefold())


def bot(text: str) -> str:
    """The name of a submitted bot.

    Raises:
        ConfigError: it cannot be a name, or is that of a reference bot.
    """
    name = clean(text)
    if key(name) in REFERENCE_BOTS:
        raise ConfigError(f"{name!r} is the name of a reference bot; give the bot a name of its own in bot.toml")
    return name
