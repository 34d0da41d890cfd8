"""Examines a bot step by step, and says at each what was expected and what came."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from referee import wire
from referee.examiner import SEAT, Desk, Examinee, Talk, Wrong
from referee.faults import Clocks
from referee.host import GRACE_S
from referee.leftovers import FOLDER_PREFIX
from referee.processes import Command, LauncherClient
from referee.rules.ruleset import Game
from referee.v1 import match_pb2

BATCH = 500
#: In so many decisions of any ruleset some choice is forced.
MOST_DECISIONS = 400
#: What inside one version of the protocol may come with a later referee: a bot leaves alone what it does not know.
_UNKNOWN_OPTION = match_pb2.RulesetOption(name="of_a_later_version", value='{"moons": [1, null]}')


@dataclass(frozen=True)
class Finding:
    """One step. ``passed``: None where it was not tried, as an earlier one failed that it needs."""

    number: int
    title: str
    expected: str
    found: str
    passed: bool | None


@dataclass(frozen=True)
class Step:
    """``vital``: without it there is no point in the steps that follow."""

    title: str
    expected: str
    run: Callable[[], Awaitable[str]]
    vital: bool = False


@dataclass
class Printed:
    """What the bot printed in all of its processes, each capped as in a match."""

    stdout: str = ""
    stderr: str = ""


@dataclass
class Doctor:
    """Examines the bot that a command starts. ``forced``: the same game with choices of one action asked too."""

    launcher: LauncherClient
    command: Command
    game: Game
    forced: Game
    clocks: Clocks = field(default_factory=Clocks)
    start_timeout_s: float = 30.0
    printed: Printed = field(default_factory=Printed)

    def __post_init__(self) -> None:
        self._process: Examinee | None = None
        self._talk: Talk | None = None
        self._processes = 0
        self._desks = 0

    async def examine(self) -> AsyncIterator[Finding]:
        """Go through all steps; a bot that died in one is started anew for the next."""
        await self.launcher.open()
        self._folder = Path(tempfile.mkdtemp(prefix=FOLDER_PREFIX))
        blocked = ""
        try:
            for number, step in enumerate(self._steps(), 1):
                if blocked:
                    yield Finding(number, step.title, step.expected, f"not tried, as it {blocked}", None)
                    continue
                try:
                    found, passed = await step.run(), True
                except Wrong as wrong:
                    found, passed = await self._with_ending(str(wrong)), False
                    blocked = f"failed step {number}" if step.vital else ""
                    await self._end()
                yield Finding(number, step.title, step.expected, found, passed)
        finally:
            await self._end()
            await self.launcher.close()
            shutil.rmtree(self._folder, ignore_errors=True)

    def _steps(self) -> list[Step]:
        budget = f"{self.clocks.budget_ms} ms"
        return [
            Step("starts in time", f"a stream with its token within {self.start_timeout_s:g} s", self._starts, vital=True),
            Step("says hello", f"hello first, and protocol version {wire.VERSION}", self._greets, vital=True),
            Step("answers one decision", f"one of the legal actions within {budget} and the bank", self._one, vital=True),
            Step(
                f"answers a batch of {BATCH}",
                f"in {-(-BATCH // wire.MAX_BATCH)} messages of at most {wire.MAX_BATCH}, within {budget} a decision",
                self._many,
            ),
            Step("takes a forced choice", "the only legal action, up to the last choice of a deal", self._forced),
            Step("ignores an unknown ruleset option", "an answer as ever", self._unknown_option),
            Step("copes with a cancelled match", "no answer to its end, and an answer in the next match", self._cancelled),
            Step(
                "survives a cut connection",
                f"a new stream within {GRACE_S:g} s and an answer to the same decision; or its own end, if it is hosted only",
                self._reconnects,
            ),
            Step("ends on goodbye", f"exit status 0 within {GRACE_S:g} s", self._ends),
            Step("prints freely", "anything on stdout and stderr: both are the bot's own", self._prints),
        ]

    async def _starts(self) -> str:
        time = asyncio.get_running_loop().time
        start = time()
        self._processes += 1
        self._process = Examinee(self.launcher, self.command, self._folder / str(self._processes))
        await self._process.start()
        self._talk = await self._process.talk(self.start_timeout_s)
        return f"a stream after {time() - start:.2f} s"

    async def _greets(self) -> str:
        assert self._talk is not None
        hello = await self._talk.greet(self.start_timeout_s)
        spoken = f"versions {hello.min_version} to {hello.max_version}"
        return f"hello from {hello.name or 'a bot without a name'} with {hello.sdk or 'no SDK'}, {spoken}"

    async def _one(self) -> str:
        desk = self._desk()
        seconds = await (await self._talking()).ask([desk])
        return f"{self._last_action(desk)} after {self._in_time(seconds, 1)}"

    async def _many(self) -> str:
        talk, seconds = await self._talking(), 0.0
        desks = [self._desk() for _ in range(BATCH)]
        for first in range(0, BATCH, wire.MAX_BATCH):
            seconds += await talk.ask(desks[first : first + wire.MAX_BATCH])
        return f"{BATCH} answers in {seconds:.2f} s, {self._in_time(seconds, BATCH)} each"

    async def _forced(self) -> str:
        talk, desk = await self._talking(), self._desk(self.forced, 2)
        for count in range(1, MOST_DECISIONS):
            is_forced = len(desk.legal) == 1
            await talk.ask([desk])
            if is_forced:
                return f"{self._last_action(desk)} as decision {count}"
            desk.advance()
            if desk.table.over:  # no ruleset's round need have one
                desk = self._desk(self.forced, 2)
        return "no choice was forced"

    async def _unknown_option(self) -> str:
        info = wire.ruleset_info(3, self.game)
        info.options.append(_UNKNOWN_OPTION)
        desk = self._desk(number=3, info=info)
        await (await self._talking()).ask([desk])
        return self._last_action(desk)

    async def _cancelled(self) -> str:
        talk, gone, next_one = await self._talking(), self._desk(), self._desk()
        await talk.ask([gone])
        await talk.tell([wire.match_end(gone.table, SEAT, gone.number, is_void=True)])
        await talk.ask([next_one])
        return self._last_action(next_one)

    async def _reconnects(self) -> str:
        talk, desk = await self._talking(), self._desk()
        process = self._process
        assert process is not None
        time = asyncio.get_running_loop().time
        await talk.post([desk])
        self._talk = None
        await process.cut()
        start = time()
        try:
            talk = await process.talk(GRACE_S)
        except Wrong:
            code = await process.exited(0.0)
            if code is None:
                raise Wrong(f"it neither came back nor ended within {GRACE_S:g} s") from None
            await self._end()
            return f"it ended ({_status(code)}); a remote bot has to come back"
        back = time() - start
        await talk.greet(GRACE_S)
        await talk.ask([desk])
        self._talk = talk
        return f"back after {back:.2f} s, {self._last_action(desk)}"

    async def _ends(self) -> str:
        talk = await self._talking()
        process = self._process
        assert process is not None
        await talk.goodbye()
        code = await process.exited(GRACE_S)
        if code is None:
            raise Wrong(f"it still runs {GRACE_S:g} s after goodbye, and would be killed")
        if code:
            raise Wrong(_status(code))
        return _status(code)

    async def _prints(self) -> str:
        await self._end()
        return f"{len(self.printed.stdout)} characters on stdout, {len(self.printed.stderr)} on stderr"

    async def _talking(self) -> Talk:
        """The stream of a bot that has said hello; of a new process where the last one is gone."""
        if self._talk is None:
            await self._end()
            await self._starts()
            await self._greets()
        assert self._talk is not None
        return self._talk

    def _desk(self, game: Game | None = None, number: int = 1, info: match_pb2.RulesetInfo | None = None) -> Desk:
        """A new match; ``number``: that of its ruleset on the stream."""
        game = game or self.game
        info = info or wire.ruleset_info(number, game)
        while True:
            self._desks += 1
            desk = Desk(self._desks, game, self.clocks, info)
            if not desk.table.over:  # a round of Kings in the Corner may end before the bot has a choice
                return desk

    def _last_action(self, desk: Desk) -> str:
        return desk.table.spec.game.actions.texts[desk.table.actions[-1]]

    def _in_time(self, seconds: float, decisions: int) -> str:
        each_ms = 1000 * seconds / decisions
        if each_ms > self.clocks.budget_ms:
            raise Wrong(f"{each_ms:.0f} ms for a decision; the budget is {self.clocks.budget_ms} ms")
        return f"{each_ms:.1f} ms"

    async def _with_ending(self, text: str) -> str:
        """The text, and how the process ended if it did: that is often the reason."""
        code = await self._process.exited(0.5) if self._process is not None else None
        return text if code is None else f"{text} ({_status(code)})"

    async def _end(self) -> None:
        process, self._process, self._talk = self._process, None, None
        if process is not None:
            event = await process.end()
            self.printed.stdout += event["stdout"]
            self.printed.stderr += event["stderr"]


def _status(code: int) -> str:
    return f"killed by signal {-code}" if code < 0 else f"exit status {code}"
