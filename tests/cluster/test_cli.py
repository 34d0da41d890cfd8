"""The command line: help, exit statuses, and one sentence for every mistake.

Snapshots of help and errors are in snapshots/; KINGMAKER_SNAPSHOTS=write puts what is said now in their place.
"""

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
import typer

from cluster.cli import app, main
from cluster.store import Store
from tests.cluster.fakes import all_blocks

SNAPSHOTS = Path(__file__).parent / "snapshots"
GROUP = typer.main.get_command(app)
COMMANDS = sorted(GROUP.commands)  # type: ignore[attr-defined]
VECTORS = Path(__file__).parents[1] / "rules" / "vectors"


@dataclass(frozen=True)
class Said:
    status: int
    out: str
    err: str


Kingmaker = Callable[..., Said]


@pytest.fixture
def kingmaker(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Kingmaker:
    """Run the command in this process, as its script does."""
    monkeypatch.setenv("COLUMNS", "100")

    def call(*words: object, stdin: bytes = b"") -> Said:
        for name in ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"):
            monkeypatch.delenv(name, raising=False)  # an earlier call has set them, for its own process
        monkeypatch.setattr(sys, "argv", ["kingmaker", *map(str, words)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), "utf-8"))
        capsys.readouterr()
        try:
            main()
            status: object = 0
        except SystemExit as end:
            status = end.code or 0
        said = capsys.readouterr()
        assert isinstance(status, int)
        return Said(status, plain(said.out), plain(said.err))

    return call


def plain(text: str) -> str:
    return "\n".join(line.rstrip() for line in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text).splitlines())


def snapshot(name: str, text: str) -> None:
    file = SNAPSHOTS / f"{name}.txt"
    if os.environ.get("KINGMAKER_SNAPSHOTS") == "write":
        file.write_text(text.strip() + "\n", encoding="utf-8")
    assert file.read_text(encoding="utf-8") == text.strip() + "\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example_and_says_what_it_said(command: str, kingmaker: Kingmaker) -> None:
    said = kingmaker(command, "--help")
    assert said.status == 0
    assert f"Example: kingmaker {command}" in said.out
    assert said.err == ""
    snapshot(f"help-{command}", said.out)


def test_every_command_is_in_the_list(kingmaker: Kingmaker) -> None:
    said = kingmaker("--help")
    assert said.status == 0
    for command in COMMANDS:
        assert re.search(rf"^│ {command} ", said.out, re.MULTILINE)


def test_no_command_leaves_files_of_its_own_when_help_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kingmaker: Kingmaker) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    for command in COMMANDS:
        kingmaker(command, "--help")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def places(tmp_path: Path, fake_results: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Names that the errors below speak of."""
    (tmp_path / "notes.txt").write_text("")
    (tmp_path / "empty").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.txt").write_text("")
    (tmp_path / "bad.toml").write_text('ruleset = "king.fetez"\n')
    (tmp_path / "me.sh").write_text("not executable")
    (tmp_path / "gone.toml").write_text(
        'ruleset = "king.simple"\nseed = 1\nblocks = 2\nbots = [{name = "me", command = "./me.sh"}, '
        '{name = "you", command = "python you.py", cwd = "away"}, {name = "it", command = "no-such-program -x"}]\n'
    )
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "good.toml").write_text(
        'ruleset = "king.simple"\nseed = 1\nblocks = 2\nbots = [{name = "random"}, {name = "lowest"}]\n'
    )
    return {"T": str(tmp_path), "RESULTS": str(fake_results)}


#: Words of a command, the exit status, and what the sentence must hold. T and RESULTS stand for folders.
ERRORS: list[tuple[str, int, list[str]]] = [
    ("standings T/nowhere", 2, ["T/nowhere: no such folder", "kingmaker play"]),
    ("standings T/empty", 2, ["T/empty: no results here", "tournament.json"]),
    ("contracts T/notes.txt", 2, ["T/notes.txt: no such folder"]),
    ("outcomes T/nowhere", 2, ["no such folder"]),
    ("pairs T/nowhere", 2, ["no such folder"]),
    ("matches T/nowhere", 2, ["no such folder"]),
    ("standings RESULTS --anchor randm", 2, ["'randm'", "'random'"]),
    ("pairs RESULTS --anchor randm", 2, ["'randm'", "'random'"]),
    ("replay RESULTS nobody", 2, ["no match 'nobody'", "kingmaker matches RESULTS"]),
    ("dashboard T/nowhere", 2, ["T/nowhere: no such folder", "kingmaker play"]),
    ("dashboard T/other", 2, ["T/other: no results here", "tournament.json"]),
    ("replay T/nowhere nobody", 2, ["no such folder"]),
    ("export matchs RESULTS --out T/x.csv", 2, ["'matchs'", "'matches'"]),
    ("export zzz RESULTS --out T/x.csv", 2, ["no table 'zzz'", "known: matches, deals, blocks, played, tallies, replays, logs, standings"]),
    ("export matches RESULTS --out T/x.xlsx", 2, ["T/x.xlsx", ".csv, .json, .jsonl or .parquet"]),
    ("export matches RESULTS --out T/x", 2, ["T/x:", ".csv, .json, .jsonl or .parquet"]),
    ("export matches RESULTS --out T/nowhere/x.csv", 2, ["T/nowhere/x.csv: No such file or directory"]),
    ("export replays RESULTS --out T/empty", 2, ["T/empty: Is a directory"]),
    ("export matches T/nowhere --out T/x.csv", 2, ["no such folder"]),
    ("rules king.fetez", 2, ["'king.fetez'", "'king.fetes'"]),
    ("rules king.fetes --option ask_forcd=true", 2, ["'ask_forcd'", "'ask_forced'"]),
    ("rules king.fetes --option ask_forced", 2, ["--option ask_forced", "NAME=VALUE"]),
    ("rules klaverjas.amsterdam --option target=0", 2, ["'target' is 0", "from 1 to 10000"]),
    ("run T/nowhere.toml --results T/r", 2, ["T/nowhere.toml: No such file"]),
    ("run T/bad.toml --results T/r", 2, ["T/bad.toml", "'seed' is missing"]),
    ("run T/good.toml --results T/other", 2, ["T/other is not empty and holds no results"]),
    ("run T/good.toml --results T/notes.txt", 2, ["T/notes.txt: File exists"]),
    ("run T/good.toml --results RESULTS", 2, ["RESULTS holds results of another tournament", "seed was"]),
    ("run T/gone.toml --results T/r", 2, ["bot 'me': no program './me.sh' in 'T' that can be run", "bot 'you': no folder 'T/away'", "bot 'it': no program 'no-such-program' in PATH"]),
    ("play --bots random me=/no/such/program --results T/r", 2, ["bot 'me': no program '/no/such/program'"]),
    ("run T/good.toml --results T/r --address 127.0.0.9:1", 2, ["--address 127.0.0.9:1: no token for this cluster", "RAY_AUTH_TOKEN_PATH"]),
    ("run T/good.toml --results T/r --address ray://127.0.0.9:1", 2, ["--address ray://127.0.0.9:1", "HOST:PORT"]),
    ("play --bots randm greedy", 2, ["no bot and no program 'randm'", "'random'"]),
    ("play --bots random --ruleset king.fetes --results T/r --seed 1 --option x", 2, ["--option x", "NAME=VALUE"]),
    ("play --bots random --ruleset king.fetez", 2, ["play", "'king.fetez'", "'king.fetes'"]),
    ("play --bots random --partners mixed", 2, ["partners is 'mixed'", "king.fetes"]),
    ("play --bots random greedy --results T/other", 2, ["T/other is not empty"]),
]  # fmt: skip

#: Mistakes that the parser of the command line finds.
USAGE: list[tuple[str, list[str]]] = [
    ("", ["Usage: kingmaker"]),
    ("standing", ["No such command", "'standing'"]),
    ("standings", ["Missing argument"]),
    ("standings RESULTS --fromat csv", ["No such option", "--fromat", "--format"]),
    ("standings RESULTS --format xml", ["'xml'", "'table', 'csv', 'json'"]),
    ("export matches RESULTS", ["Missing option '--out'"]),
    ("run T/good.toml", ["Missing option '--results'"]),
    ("play", ["Missing option '--bots'"]),
    ("play --bots random --blocks 0", ["--blocks", "greater than or equal to 1"]),
    ("play --bots random --blocks many", ["--blocks", "a valid integer"]),
    ("play --bots random --workers 0", ["--workers", "greater than or equal to 1"]),
    ("position now", ["unexpected extra argument"]),
]


def told(text: str, places: dict[str, str]) -> str:
    """The words with the folders in their places."""
    for name, folder in places.items():
        text = re.sub(rf"\b{name}\b", lambda _, folder=folder: folder, text)  # type: ignore[misc]
    return text


@pytest.mark.parametrize(("words", "status", "parts"), ERRORS, ids=[words for words, *_ in ERRORS])
def test_a_mistake_is_one_sentence_on_standard_error(
    words: str, status: int, parts: list[str], places: dict[str, str], kingmaker: Kingmaker
) -> None:
    said = kingmaker(*told(words, places).split())
    assert (said.status, said.out) == (status, "")
    assert "Traceback" not in said.err
    for part in parts:
        assert told(part, places) in said.err
    assert all(line.startswith(("kingmaker: ", places["T"])) for line in said.err.splitlines())
    assert not (Path(places["T"]) / "x.csv").exists()


@pytest.mark.parametrize(("words", "parts"), USAGE, ids=[words or "nothing" for words, _ in USAGE])
def test_wrong_usage_ends_with_2_and_says_how(words: str, parts: list[str], places: dict[str, str], kingmaker: Kingmaker) -> None:
    said = kingmaker(*told(words, places).split())
    assert said.status == 2
    for part in parts:
        assert part in " ".join(re.sub(r"[─╭╮╰╯│]", " ", said.out + said.err).split())
    assert "Traceback" not in said.err
    assert words == "" or said.out == ""


def test_errors_say_what_they_said(places: dict[str, str], kingmaker: Kingmaker) -> None:
    lines = []
    for words in [words for words, *_ in ERRORS] + [words for words, _ in USAGE if words]:
        said = kingmaker(*told(words, places).split()).err
        for name, folder in places.items():
            said = said.replace(folder, name)
        if "│" in said:  # a box of the parser: its width does not matter
            said = " ".join(re.sub(r"[─╭╮╰╯│]", " ", said).split())
        lines.append(f"$ kingmaker {words}\n{said}\n")
    snapshot("errors", "\n".join(lines))


@pytest.mark.parametrize(("bots", "is_told"), [(["random"], True), (["random", "random"], False), (["random", "greedy"], False)])
def test_a_bot_that_plays_against_itself_is_told_so(
    bots: list[str], is_told: bool, kingmaker: Kingmaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cluster.cli.play._play", lambda *_, **__: None)
    said = kingmaker("play", "--bots", *bots)
    assert said.status == 0
    assert said.err.startswith("only one bot, random: it has all seats, against itself") == is_told
    assert is_told or said.err == ""


def test_the_command_itself_says_the_same_and_has_no_traceback(tmp_path: Path) -> None:
    for words, status in ((["standings", str(tmp_path)], 2), (["--help"], 0), (["nonsense"], 2)):
        done = subprocess.run([sys.executable, "-m", "cluster.cli", *words], capture_output=True, text=True, timeout=120)
        assert done.returncode == status
        assert "Traceback" not in done.stderr


def test_a_reader_that_has_seen_enough_causes_no_traceback(fake_results: Path) -> None:
    code = f"{sys.executable} -m cluster.cli export replays {fake_results} --out /dev/stdout | head -c 100"
    done = subprocess.run(code, shell=True, capture_output=True, text=True, timeout=120)
    assert done.stdout.startswith('{"format": "kingmaker-replay/1"')
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["[/x]", "[red]x[/]", "a b"])
def test_folders_whose_names_look_like_markup_are_named_as_they_are(name: str, tmp_path: Path, fake_results: Path, kingmaker: Kingmaker) -> None:  # fmt: skip
    folder = tmp_path / name.replace("/", "∕")
    folder.symlink_to(fake_results)
    out = tmp_path / "x [b].json"
    assert kingmaker("standings", folder).status == 0
    said = kingmaker("export", "matches", folder, "--out", out)
    assert (said.status, said.err) == (0, f"matches written to {out}")


def test_a_damaged_folder_is_a_problem_that_was_found(tmp_path: Path, fake_results: Path, kingmaker: Kingmaker) -> None:
    import shutil

    shutil.copytree(fake_results, tmp_path / "r")
    file = next((tmp_path / "r" / "batches").glob("*/blocks.parquet"))
    file.write_bytes(file.read_bytes()[:100])
    said = kingmaker("standings", tmp_path / "r")
    assert (said.status, said.out) == (1, "")
    assert said.err.startswith(f"kingmaker: {file.parent}: blocks.parquet is not what SHA256SUMS says; ")


def test_standings_without_random_name_their_anchor(tmp_path: Path, kingmaker: Kingmaker) -> None:
    from cluster import run
    from tests.cluster.fakes import FakePlay, Quiet, a_tournament

    settings = a_tournament(("[red]", "[/]", "lowest", "zed"), blocks=2)
    run.run(settings, tmp_path, FakePlay(settings), Quiet())
    said = kingmaker("standings", tmp_path)
    assert said.status == 0
    assert "Elo relative to [/] (1500)" in said.err
    assert "[red]" in said.out


def test_a_replay_for_people(fake_results: Path, kingmaker: Kingmaker) -> None:
    name = Store(fake_results).table("replays")["match_id"][0]
    said = kingmaker("replay", fake_results, name)
    assert said.status == 0
    assert said.out.startswith(f"{name}  king.fetes")
    assert said.out.count("\ndeal ") == 10
    assert "ranks [" in said.out


def test_rules_are_listed_and_told(kingmaker: Kingmaker) -> None:
    listed = json.loads(kingmaker("rules", "--format", "json").out)
    assert [row["ruleset"] for row in listed] == [
        "king.auction", "king.fetes", "king.simple", "klaverjas.amsterdam", "klaverjas.rotterdam", "kings_corner",
    ]  # fmt: skip
    for row in listed:
        assert row["ruleset"] in kingmaker("rules", row["ruleset"]).out
        assert json.loads(kingmaker("rules", row["ruleset"], "--format", "json").out)["id"] == row["ruleset"]


# the rules oracle


def position_of(name: str, line: int) -> dict[str, object]:
    record = json.loads((VECTORS / name).read_text(encoding="utf-8").splitlines()[line])
    for key in ("position", "in", "input"):
        if key in record:
            return dict(record[key])
    return {key: value for key, value in record.items() if key in ("ruleset", "options", "deal", "dealer", "hands", "turned", "stock", "actions")}  # fmt: skip


def test_positions_are_answered_line_by_line(kingmaker: Kingmaker) -> None:
    positions = [position_of("king.fetes.jsonl", 0), position_of("klaverjas.amsterdam.jsonl", 1), position_of("kings_corner.jsonl", 2)]
    said = kingmaker("position", stdin="".join(json.dumps(position) + "\n" for position in positions).encode())
    assert (said.status, said.err) == (0, "")
    answers = [json.loads(line) for line in said.out.splitlines()]
    assert len(answers) == 3
    for answer in answers[:2]:
        assert set(answer) == {"seat", "kind", "legal", "hand", "trick", "tricks", "contract", "scores"}
    assert set(answers[2]) == {"seat", "kind", "legal", "hand", "piles", "contract", "scores"}


WRONG_LINES: dict[str, tuple[bytes, str]] = {
    "no JSON": (b"{", "not JSON"),
    "words": (b"hello", "not JSON"),
    "not UTF-8": (b'{"ruleset": "\xff"}', "not JSON"),
    "brackets without end": (b"[" * 100_000, "not JSON"),
    "a number without end": (b"9" * 10_000, "not JSON"),
    "a list": (b"[1]", "a JSON object"),
    "a number": (b"7", "a JSON object"),
    "a text": (b'"x"', "a JSON object"),
    "null": (b"null", "a JSON object"),
    "nothing in it": (b"{}", "ruleset is missing; it is one of king.auction"),
    "unknown key": (b'{"ruleset": "king.fetes", "delaer": 1}', "'delaer'; did you mean 'dealer'"),
    "half a pair of surrogates": (b'{"ruleset": "\\ud800"}', "no ruleset"),
    "half a pair as a card": (b'{"ruleset": "king.fetes", "deal": 1, "dealer": 0, "hands": [["\\ud800"],[],[],[]]}', "hands[0]"),
    "not a number": (b'{"ruleset": "king.fetes", "deal": NaN, "dealer": 0, "hands": [[],[],[],[]]}', "deal"),
    "options of another kind": (b'{"ruleset": "king.fetes", "options": [1]}', "options"),
}  # fmt: skip


@pytest.mark.parametrize(("line", "part"), WRONG_LINES.values(), ids=WRONG_LINES)
def test_a_line_that_is_no_position_is_answered_and_the_next_one_too(line: bytes, part: str, kingmaker: Kingmaker) -> None:
    good = json.dumps(position_of("king.fetes.jsonl", 0)).encode()
    said = kingmaker("position", stdin=good + b"\n" + line + b"\n\n" + good)
    first, wrong, last = (json.loads(answer) for answer in said.out.splitlines())
    assert set(wrong) == {"error"}
    assert part in wrong["error"]
    assert first == last
    assert "error" not in first
    assert (said.status, said.err) == (1, "")


def test_an_illegal_action_is_answered_with_the_legal_ones(kingmaker: Kingmaker) -> None:
    position = position_of("king.fetes.jsonl", 0) | {"actions": []}
    (before,) = (json.loads(line) for line in kingmaker("position", stdin=json.dumps(position).encode()).out.splitlines())
    foreign = next(card for hand in position["hands"] for card in hand if card not in before["hand"])  # type: ignore[attr-defined]
    said = kingmaker("position", stdin=json.dumps(position | {"actions": [foreign]}).encode())
    assert json.loads(said.out) == {"error": f"action 1: {foreign} is not legal; legal: {' '.join(before['legal'])}"}


def test_no_line_at_all_is_no_problem(kingmaker: Kingmaker) -> None:
    assert kingmaker("position") == Said(0, "", "")


def test_play_resumes_a_folder_with_its_own_seed(tmp_path: Path, kingmaker: Kingmaker) -> None:
    """The same command without --seed goes on; nothing is missing, so that no worker is started."""
    from cluster import run
    from cluster import tournament as tournaments
    from tests.cluster.fakes import FakePlay, Quiet

    data = {"name": "play", "ruleset": "king.simple", "seed": "kept", "blocks": 2, "bots": [{"name": "random", "command": "random"}, {"name": "lowest", "command": "lowest"}]}  # fmt: skip
    settings = tournaments.parse(data, "test")
    run.run(settings, tmp_path, FakePlay(settings), Quiet())
    said = kingmaker("play", "--bots", "random", "lowest", "--ruleset", "king.simple", "--blocks", 2, "--results", tmp_path, "--format", "json")  # fmt: skip
    assert said.status == 0
    assert {row["bot"] for row in json.loads(said.out)} == {"random", "lowest"}
    assert "0 blocks played, 2 were there" in said.err
    assert Store(tmp_path).done() == {block.id for block in all_blocks(settings)}


def test_tokens_are_printed_once_and_listed_without_telling_them(tmp_path: Path, kingmaker: Kingmaker) -> None:
    file = tmp_path / "tokens.json"
    added = kingmaker("admin", "token", "add", "mine", "--days", "30", "--tokens", file)
    assert added.status == 0
    first = added.out.strip()
    second = kingmaker("admin", "token", "rotate", "mine", "--tokens", file).out.strip()
    assert kingmaker("admin", "token", "revoke", "mine", "--tokens", file).err == "1 revoked\n".strip()
    listed = kingmaker("admin", "token", "list", "--tokens", file, "--format", "json").out
    assert [(row["bot"], row["state"]) for row in json.loads(listed)] == [("mine", "expired"), ("mine", "revoked")]
    kept = listed + file.read_text()
    assert first not in kept
    assert second not in kept


@pytest.mark.parametrize("name", ["", " mine", "mine\n", "x" * 65, "a\u202eb"])
def test_no_token_is_made_for_what_is_no_name(tmp_path: Path, name: str, kingmaker: Kingmaker) -> None:
    said = kingmaker("admin", "token", "add", name, "--tokens", tmp_path / "tokens.json")
    assert (said.status, said.out) == (2, "")
    assert said.err.startswith("kingmaker: bot ")
    assert list(tmp_path.iterdir()) == []
