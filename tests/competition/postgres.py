"""A PostgreSQL server of our own, in a temporary folder, reached by a unix socket only."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from sqlalchemy import create_engine, make_url

#: Where Debian keeps the programs of the server.
PROGRAMS = Path("/usr/lib/postgresql")


class Postgres:
    """Use as a context; ``fresh`` makes a database."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="pg-"))
        self.programs = max(PROGRAMS.iterdir(), key=lambda path: int(path.name)) / "bin"
        self.number = 0

    def __enter__(self) -> "Postgres":
        if os.geteuid() == 0:  # the server refuses to be root
            shutil.chown(self.folder, "postgres", "postgres")
        self._run("initdb", "-D", str(self.folder / "data"), "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-sync")
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self) -> None:
        options = f"-c listen_addresses='' -c unix_socket_directories='{self.folder}' -c max_connections=50"
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-w", "-l", str(self.folder / "log"), "-o", options, "start")

    def stop(self, mode: str = "immediate") -> None:
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-w", "-m", mode, "stop")

    def fresh(self) -> str:
        self.number += 1
        name = f"test{self.number}"
        engine = create_engine(self.url("postgres"), isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.exec_driver_sql(f"CREATE DATABASE {name}")
        engine.dispose()
        return self.url(name)

    def url(self, name: str) -> str:
        return str(make_url(f"postgresql+psycopg://postgres@/{name}").update_query_dict({"host": str(self.folder)}))

    def _run(self, program: str, *arguments: str) -> None:
        words = [str(self.programs / program), *arguments]
        if os.geteuid() == 0:
            words = ["runuser", "-u", "postgres", "--", *words]
        subprocess.run(words, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, cwd="/", timeout=60)
