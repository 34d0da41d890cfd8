"""Tokens of remote bots: told once, kept as hashes, given up and replaced, in a file that is whole at any moment."""

from __future__ import annotations

import hashlib
import json
import stat
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from referee.rules.errors import ConfigError
from referee.tokens import BadToken, TokenFile


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 1, 31, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def tokens(tmp_path: Path, clock: Clock) -> TokenFile:
    return TokenFile(tmp_path / "tokens.json", clock)


def refusal(tokens: TokenFile, token: str) -> str:
    with pytest.raises(BadToken) as caught:
        tokens.bot(token)
    return str(caught.value)


def test_a_token_names_its_bot_and_is_nowhere_in_the_file(tokens: TokenFile) -> None:
    mine, yours = tokens.add("mine"), tokens.add("Kůň, the 2nd")
    assert (tokens.bot(mine), tokens.bot(yours)) == ("mine", "Kůň, the 2nd")
    text = tokens.path.read_text(encoding="utf-8")
    assert mine not in text
    assert mine.removeprefix("km_") not in text
    assert hashlib.sha256(mine.encode()).hexdigest() in text
    assert len(mine) >= 43
    assert stat.S_IMODE(tokens.path.stat().st_mode) == 0o600


@pytest.mark.parametrize("token", ["", "km_", "x" * 10_000, "\udcff", "mine"])
def test_what_is_no_token_lets_nobody_in(tokens: TokenFile, token: str) -> None:
    assert "unknown" in refusal(tokens, token)  # there is not even a file
    tokens.add("mine")
    assert "unknown" in refusal(tokens, token)


def test_a_token_expires_when_its_time_is_over(tokens: TokenFile, clock: Clock) -> None:
    token = tokens.add("mine", timedelta(days=30))
    clock.now += timedelta(days=30, seconds=-1)
    assert tokens.bot(token) == "mine"
    clock.now += timedelta(seconds=1)
    assert "'mine' is expired" in refusal(tokens, token)


def test_rotation_ends_the_old_ones_at_once_or_after_the_overlap(tokens: TokenFile, clock: Clock) -> None:
    first, other = tokens.add("mine"), tokens.add("other")
    second = tokens.rotate("mine")
    assert "expired" in refusal(tokens, first)
    third = tokens.rotate("mine", overlap=timedelta(hours=1))
    assert {tokens.bot(second), tokens.bot(third)} == {"mine"}
    clock.now += timedelta(hours=1)
    assert "expired" in refusal(tokens, second)
    assert (tokens.bot(third), tokens.bot(other)) == ("mine", "other")


def test_no_overlap_makes_a_short_life_longer(tokens: TokenFile, clock: Clock) -> None:
    first = tokens.add("mine", timedelta(minutes=1))
    tokens.rotate("mine", overlap=timedelta(hours=1))
    clock.now += timedelta(minutes=1)
    assert "expired" in refusal(tokens, first)


def test_revoked_is_all_that_a_bot_had(tokens: TokenFile) -> None:
    mine, too, other = tokens.add("mine"), tokens.add("mine"), tokens.add("other")
    assert tokens.revoke("mine") == 2
    assert "revoked" in refusal(tokens, mine)
    assert "revoked" in refusal(tokens, too)
    assert tokens.bot(other) == "other"
    assert [state for _, state in tokens.state()] == ["revoked", "revoked", "valid"]


@pytest.mark.parametrize("change", ["rotate", "revoke"])
def test_who_has_no_token_is_not_changed(tokens: TokenFile, change: str) -> None:
    tokens.add("mine")
    before = tokens.path.read_bytes()
    with pytest.raises(ConfigError, match="'mien' has no valid token; did you mean 'mine'"):
        getattr(tokens, change)("mien")
    assert tokens.path.read_bytes() == before


def test_a_reader_hears_of_what_another_process_changes(tokens: TokenFile, clock: Clock) -> None:
    reader = TokenFile(tokens.path, clock)
    token = tokens.add("mine")
    assert reader.bot(token) == "mine"
    tokens.revoke("mine")
    assert "revoked" in refusal(reader, token)


def test_many_at_once_lose_nothing(tokens: TokenFile, clock: Clock) -> None:
    def add(number: int) -> str:
        return TokenFile(tokens.path, clock).add(f"bot {number}")

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(add, range(40)))
    assert [tokens.bot(token) for token in made] == [f"bot {number}" for number in range(40)]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"tokens": [{"id": 1}]}', '{"tokens": [3]}', "\x00", '{"tokens": null}'])
def test_a_damaged_file_is_named_and_left_alone(tokens: TokenFile, text: str) -> None:
    tokens.path.write_text(text)
    for use in (lambda: tokens.bot("x"), lambda: tokens.add("mine"), tokens.entries):
        with pytest.raises(ConfigError, match=r"tokens.json: this is no file of tokens"):
            use()
    assert tokens.path.read_text() == text


def test_a_change_that_cannot_be_written_leaves_the_old_file(tokens: TokenFile) -> None:
    token = tokens.add("mine")
    (tokens.path.parent / ".tokens.json.new").mkdir()
    with pytest.raises(ConfigError, match=r"tokens.json: Is a directory"):
        tokens.revoke("mine")
    assert tokens.bot(token) == "mine"
    assert json.loads(tokens.path.read_text())["tokens"][0]["revoked"] is None
