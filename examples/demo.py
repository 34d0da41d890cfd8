"""`make demo`: plays examples/demo.toml; without Node, `cautious` takes the seat of the Node bot."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
KINGMAKER = Path(sys.executable).with_name("kingmaker")


def tournament() -> str:
    """The tournament file's text, as far as this machine can play it."""
    text = (HERE / "demo.toml").read_text(encoding="utf-8").replace('cwd = ".."', f'cwd = "{HERE.parent}"')
    if shutil.which("node") and (HERE.parent / "bots/node/node_modules").is_dir():
        return text
    print("Node.js is missing: `cautious` plays twice, under two names", file=sys.stderr)
    return text.replace("node-random", "cautious-2").replace("node bots/node/random.js", "cautious")


def main() -> int:
    """Play, and say what to look at next."""
    results = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "demo.toml"
        file.write_text(tournament(), encoding="utf-8")
        status = subprocess.run([KINGMAKER, "run", file, "--results", results]).returncode
    if status == 0:
        print(f"\nSee where each bot gets its points:  .venv/bin/kingmaker contracts {results}")
        print(f"Open the pages:                      .venv/bin/kingmaker dashboard {results}")
    return status


if __name__ == "__main__":
    sys.exit(main())
