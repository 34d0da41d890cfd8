"""Generates the protocol code, and compares it with what is committed (`--write` puts it in place)."""

import filecmp
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: Where the code of a package goes, and where its protos are.
PACKAGES = {"referee/v1": "proto/referee/v1", "cluster/competition/v1": "proto/competition/v1"}


def generate(target: Path) -> None:
    """Write the generated code below a folder."""
    plugins = Path(sys.executable).parent
    command = [
        sys.executable, "-m", "grpc_tools.protoc",
        *(f"-I{package}={ROOT / folder}" for package, folder in PACKAGES.items()),
        f"--plugin=protoc-gen-mypy={plugins / 'protoc-gen-mypy'}",
        f"--plugin=protoc-gen-mypy_grpc={plugins / 'protoc-gen-mypy_grpc'}",
        f"--python_out={target}", f"--grpc_python_out={target}",
        f"--mypy_out=quiet:{target}", f"--mypy_grpc_out=quiet:{target}",
        *(f"{package}/{path.name}" for package, folder in PACKAGES.items() for path in sorted((ROOT / folder).glob("*.proto"))),
    ]  # fmt: skip
    subprocess.run(command, check=True)


def main() -> int:
    """Compare or write."""
    if "--write" in sys.argv:
        generate(ROOT)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        generate(Path(folder))
        fresh = sorted(path.relative_to(folder) for path in Path(folder).rglob("*.py*"))
        stale = [str(path) for path in fresh if not (ROOT / path).exists() or not filecmp.cmp(Path(folder) / path, ROOT / path, shallow=False)]
    if stale:
        print(f"generated code is not what proto/ gives: {', '.join(stale)}; run `make proto`", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
