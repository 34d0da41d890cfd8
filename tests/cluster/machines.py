"""Machines on one: network namespaces on a bridge, each with a disk of its own in the place of /tmp. For root."""

import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.referee.hosting import ROOT


def ip(*words: str) -> str:
    return subprocess.run(["ip", *words], check=True, capture_output=True, text=True, timeout=30).stdout


@dataclass
class Machine:
    """A namespace; ``disk``: what it sees as /tmp, None for the real one."""

    name: str
    address: str
    disk: Path | None
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self, command: list[str], env: dict[str, str], log: Path) -> subprocess.Popen[bytes]:
        """Start a command here."""
        mount = f"mount --rbind {self.disk} /tmp && " if self.disk else ""
        if self.disk and ROOT.is_relative_to("/tmp"):  # a checkout there would be hidden by the disk
            (seen := self.disk / ROOT.relative_to("/tmp")).mkdir(parents=True, exist_ok=True)
            mount = f"mount --bind {ROOT} {seen} && {mount}"
        words = ["ip", "netns", "exec", self.name, "sh", "-c", f'{mount}exec "$@"', "sh", *command]
        with log.open("ab") as file:
            self.started.append(subprocess.Popen(words, env=os.environ | env, stdout=file, stderr=file, cwd="/"))
        return self.started[-1]

    def runs(self, word: str) -> bool:
        """Whether a process here has this word in its command."""
        commands = (Path("/proc", pid, "cmdline") for pid in ip("netns", "pids", self.name).split())
        return any(word.encode() in command.read_bytes().split(b"\0") for command in commands if command.exists())

    def unplug(self) -> None:
        """Pull the cable: nobody is told, packets just vanish."""
        ip("-n", self.name, "link", "set", "eth0", "down")

    def end(self, but: subprocess.Popen[bytes] | None = None) -> None:
        """Kill all that runs here, but for one."""
        for pid in ip("netns", "pids", self.name).split():
            try:
                if but is None or int(pid) != but.pid:
                    os.kill(int(pid), signal.SIGKILL)
            except ProcessLookupError:
                pass  # it ended meanwhile
        for process in self.started:
            if process is not but:
                process.wait(60)


@contextmanager
def network(folder: Path, number: int) -> Iterator[list[Machine]]:
    """So many machines on one switch; the first one sees the real /tmp."""
    tag = secrets.token_hex(3)
    with ExitStack() as stack:
        ip("netns", "add", f"{tag}-switch")
        stack.callback(ip, "netns", "del", f"{tag}-switch")
        ip("-n", f"{tag}-switch", "link", "add", "switch", "type", "bridge")
        ip("-n", f"{tag}-switch", "link", "set", "switch", "up")
        machines = []
        for one in range(1, number + 1):
            disk = folder / f"disk-{one}" if one > 1 else None
            machine = Machine(f"{tag}-{one}", f"10.77.0.{one}", disk)
            if disk:
                disk.mkdir()
            ip("netns", "add", machine.name)
            stack.callback(ip, "netns", "del", machine.name)
            stack.callback(machine.end)
            port = f"port{one}"
            ip("-n", f"{tag}-switch", "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", machine.name)
            ip("-n", f"{tag}-switch", "link", "set", port, "master", "switch", "up")
            ip("-n", machine.name, "addr", "add", f"{machine.address}/24", "dev", "eth0")
            for link in ("lo", "eth0"):
                ip("-n", machine.name, "link", "set", link, "up")
            machines.append(machine)
        yield machines


#: The node is given up after two seconds of silence instead of half a minute.
_QUICK = {"RAY_health_check_period_ms": "500", "RAY_health_check_timeout_ms": "500", "RAY_health_check_failure_threshold": "4",
          "RAY_health_check_initial_delay_ms": "1000", "RAY_USAGE_STATS_ENABLED": "0", "RAY_ENABLE_WORKER_PRESTART": "0"}  # fmt: skip


def ray_start(machine: Machine, token: str, log: Path, head: Machine | None, processors: int) -> subprocess.Popen[bytes]:
    """Start Ray on a machine, as docs/cluster.md says it; the head plays nothing itself."""
    where = ["--address", f"{head.address}:6379"] if head else ["--head", "--port", "6379", "--include-dashboard", "false"]
    ray = str(Path(sys.executable).with_name("ray"))
    command = [ray, "start", *where, "--node-ip-address", machine.address, "--num-cpus", str(processors),
               "--object-store-memory", str(100 << 20), "--disable-usage-stats", "--block"]  # fmt: skip
    return machine.start(command, {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": token, **_QUICK}, log)
