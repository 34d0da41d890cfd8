"""What is raised where a bot cannot be isolated as was asked."""

from referee.rules.errors import KingmakerError


class IsolationError(KingmakerError):
    """This machine cannot give the isolation that was asked for; a weaker one is never taken instead."""
