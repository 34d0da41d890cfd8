"""`kingmaker doctor host`: what this machine can isolate, seen from inside."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

import polars as pl
import typer

from cluster.cli.doctor import doctor
from cluster.cli.output import Format, FormatOption, say, show
from referee.isolation import tiers

if TYPE_CHECKING:
    from referee.isolation.selftest import Report

_STRANGERS = tuple(tier for tier in tiers.TIERS if tier != tiers.TRUSTED)


def register(_: typer.Typer) -> None:
    """Enter the command, beside those of the doctor."""
    doctor.command("host", epilog="Example: kingmaker doctor host --format json")(host)


def host(form: FormatOption = Format.table) -> None:
    """Look at every tier of isolation from inside, as a hostile bot would; exit status 0 where the default tier is sound."""
    reports = asyncio.run(_examine())
    if form is Format.json:
        print(json.dumps([asdict(report) | {"sound": report.sound} for report in reports], ensure_ascii=False))
    elif form is Format.csv:
        show(_lines(reports), form, [])
    else:
        show(_table(reports), form, [("probe", "What a bot tries", None), *((tier, tier, None) for tier in _STRANGERS)])
    for report in reports:
        say(_sentence(report))
    if not next(report for report in reports if report.tier == tiers.DEFAULT).sound:
        sys.exit(1)


async def _examine() -> list[Report]:
    from referee.isolation.selftest import examine
    from referee.processes import LauncherClient

    launcher = LauncherClient()
    await launcher.open()
    try:
        return [await examine(launcher, tier) for tier in _STRANGERS]
    finally:
        await launcher.close()


def _sentence(report: Report) -> str:
    default = " (the default of kingmaker run)" if report.tier == tiers.DEFAULT else ""
    name = f"{report.tier}{default}"
    if report.why_not:
        return f"{name}: cannot be had here: {report.why_not}"
    if report.wrong:
        return f"{name}: NOT SOUND: {'; '.join(report.wrong)}"
    lacking = f", but for: {', '.join(report.weaknesses)}" if report.weaknesses else ""
    return f"{name}: sound{lacking}"


def _table(reports: list[Report]) -> pl.DataFrame:
    """A row for each probe, a column for each tier."""
    from referee.isolation.selftest import EXPECTED

    rows = [
        {"probe": probe} | {report.tier: report.answers.get(probe, "–") + _mark(report, probe) for report in reports}
        for probe in EXPECTED
    ]
    return pl.DataFrame(rows)


def _mark(report: Report, probe: str) -> str:
    return "  <- wrong" if any(text.startswith(f"{probe}: ") for text in report.wrong) else ""


def _lines(reports: list[Report]) -> pl.DataFrame:
    """A row for each tier and probe."""
    rows = [
        {"tier": report.tier, "probe": probe, "answer": answer, "right": not _mark(report, probe)}
        for report in reports
        for probe, answer in report.answers.items()
    ]
    return pl.DataFrame(rows, schema={"tier": pl.String, "probe": pl.String, "answer": pl.String, "right": pl.Boolean})
