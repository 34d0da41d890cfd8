"""`make bench`: prints how fast things are, and writes benchmarks/results.json under plain names.

Every figure comes from one run on one machine: compare figures of one file with each other, not files of two machines.
"""

import json
import platform
from datetime import date
from pathlib import Path

from benchmarks import end_to_end, engine, languages, ray_share

OUT = Path(__file__).with_name("results.json")


def main() -> None:
    figures: dict[str, object] = {"date": date.today().isoformat(), "python": platform.python_version()}
    for measure in (engine.measure, end_to_end.measure, languages.measure, ray_share.measure):
        for name, value in measure().items():
            figures[name] = round(value, 3)
            print(f"{name:45} {value:12,.2f}", flush=True)
    OUT.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    print(f"written to {OUT.name}")


if __name__ == "__main__":
    main()
