"""The oci tier: a container for each bot, by any program that takes an OCI bundle as runc does (crun, gVisor's runsc).

The bundle has no image: its root is empty, and what bubblewrap would show is mounted into it.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
from typing import Any

from referee.isolation import seccomp, sight, users
from referee.isolation.bubblewrap import HOME, SEAT, SHARED_MEMORY
from referee.isolation.cells import ENVIRONMENT, SEAT_VARIABLE, Confined, Order
from referee.isolation.errors import IsolationError
from referee.isolation.limits import MEGABYTE

#: The first process of a container cannot be killed by its own, and has to reap: so it is not the bot.
INIT = ("/bin/sh", "-c", '"$@" & wait $!', "init")
#: Looked for in this order; KINGMAKER_OCI names another one.
RUNTIMES = ("crun", "runc", "runsc")
VARIABLE = "KINGMAKER_OCI"
BUNDLE = "-bundle"
_BY_SIGNAL = 128
_EPERM, _ENOSYS, _EAFNOSUPPORT = 1, 38, 97


def runtime() -> str | None:
    """The program that runs bundles."""
    wanted = os.environ.get(VARIABLE)
    return next((found for name in ([wanted] if wanted else RUNTIMES) if (found := shutil.which(name))), None)


def why_not() -> str:
    """Why no containers can be had here; empty where they can."""
    if runtime() is None:
        return f"no program that runs OCI bundles is on the path: {', '.join(RUNTIMES)}, or the one that {VARIABLE} names"
    return "" if users.can_switch() else "containers are started by root, and this is another user"


class Contained(Confined):
    """A bot in a container of its own."""

    above = 2  # the runtime, and the first process inside

    def __init__(self, order: Order) -> None:
        self._runtime = runtime()
        if (reason := why_not()) or self._runtime is None:
            raise IsolationError(reason)
        super().__init__(order)
        self._id = f"{os.path.basename(os.path.dirname(order.seat))}-{order.name}"
        bundle = order.seat + BUNDLE
        os.makedirs(os.path.join(bundle, "rootfs"), mode=0o755)
        self._links(os.path.join(bundle, "rootfs"))
        with open(os.path.join(bundle, "config.json"), "w", encoding="utf-8") as file:
            json.dump(self._config(), file)
        self._state = os.path.join(bundle, "state")
        self.words = [self._runtime, "--root", self._state, "run", "--bundle", bundle, self._id]
        self.cwd = "/"
        self.env = {"PATH": os.environ.get("PATH", "")}

    def enter(self) -> None:
        """Join the group; the runtime does the rest, as root."""
        if self._group is not None:
            self._group.join()

    def code(self, code: int) -> int:
        """As the bot ended, not the runtime."""
        return _BY_SIGNAL - code if code > _BY_SIGNAL else code

    def close(self, code: int = 0) -> str:
        """Leave nothing, the container and its bundle included."""
        verdict = super().close(code)
        if os.path.isdir(getattr(self, "_state", "")):
            delete = [str(self._runtime), "--root", self._state, "delete", "--force", self._id]
            subprocess.run(delete, stdin=subprocess.DEVNULL, capture_output=True, timeout=10, check=False)
        shutil.rmtree(self.order.seat + BUNDLE, ignore_errors=True)
        return verdict

    def _config(self) -> dict[str, Any]:
        assert self._user is not None
        order, uid = self.order, self._user.uid
        env = {**ENVIRONMENT, "HOME": HOME, SEAT_VARIABLE: SEAT}
        nothing: dict[str, list[str]] = {kind: [] for kind in ("bounding", "effective", "inheritable", "permitted", "ambient")}
        limits = {"RLIMIT_NOFILE": 256, "RLIMIT_CORE": 0, "RLIMIT_FSIZE": order.limits.scratch_mb * MEGABYTE}
        return {
            "ociVersion": "1.0.2",
            "process": {
                "terminal": False, "user": {"uid": uid, "gid": uid}, "args": [*INIT, *self.words], "cwd": order.cwd or SEAT,
                "env": [f"{name}={value}" for name, value in env.items()], "capabilities": nothing,
                "noNewPrivileges": True,
                "rlimits": [{"type": name, "hard": value, "soft": value} for name, value in limits.items()],
            },
            "root": {"path": "rootfs", "readonly": True},
            "hostname": "bot",
            "mounts": self._mounts(),
            "linux": {
                "cgroupsPath": self._id,
                "namespaces": [{"type": kind} for kind in ("pid", "network", "ipc", "uts", "mount")],
                "maskedPaths": ["/proc/kcore", "/proc/keys", "/proc/timer_list", "/proc/sys", "/sys"],
                "readonlyPaths": ["/proc"],
                "seccomp": _seccomp(),
            },
        }  # fmt: skip

    def _mounts(self) -> list[dict[str, Any]]:
        def tmpfs(place: str, size: int, mode: str, *more: str) -> dict[str, Any]:
            options = ["nosuid", *more, f"mode={mode}", f"size={size}"]
            return {"destination": place, "type": "tmpfs", "source": "tmpfs", "options": options}

        def bind(place: str, source: str, how: str = "ro") -> dict[str, Any]:
            return {"destination": place, "type": "bind", "source": source, "options": ["rbind", how, "nosuid", "nodev"]}

        scratch = self.order.limits.scratch_mb * MEGABYTE
        home = bind(HOME, self.scratch, "rw") if self._is_mounted else tmpfs(HOME, scratch, "1777", "nodev")
        system = [path for path in sight.SYSTEM if os.path.isdir(path) and not os.path.islink(path)]
        return [
            {"destination": "/proc", "type": "proc", "source": "proc"},
            tmpfs("/dev", SHARED_MEMORY, "755"),
            tmpfs("/dev/shm", SHARED_MEMORY, "1777", "nodev"),
            home,
            *(bind(path, path) for path in (*system, *sight.etc(), *self.reads)),
            *(bind(path, path, "rw") for path in self.order.writes),
            bind(SEAT, self.order.seat),
        ]

    @staticmethod
    def _links(root: str) -> None:
        """The system's folders that are links stay links."""
        for path in sight.SYSTEM:
            if os.path.islink(path):
                os.symlink(os.readlink(path), root + path)


def _seccomp() -> dict[str, Any]:
    """The filter of `referee.isolation.seccomp` in the words of OCI."""

    def rule(name: str, error: int, *arguments: dict[str, Any]) -> dict[str, Any]:
        return {"names": [name], "action": "SCMP_ACT_ERRNO", "errnoRet": error, "args": list(arguments)}

    def masked(index: int, mask: int, value: int) -> dict[str, Any]:
        return {"index": index, "op": "SCMP_CMP_MASKED_EQ", "value": mask, "valueTwo": value}

    low = 0xFFFFFFFF
    families = sorted(seccomp.FAMILIES)
    between = [(before + 1, after - 1) for before, after in zip([-1, *families], families, strict=False)]
    unwanted = [number for first, last in between for number in range(first, last + 1)]
    column, _ = seccomp.MACHINES[platform.machine()]
    return {
        "defaultAction": "SCMP_ACT_ALLOW",
        "architectures": [f"SCMP_ARCH_{platform.machine().upper()}"],
        "syscalls": [
            *(rule(name, _EPERM) for name, numbers in seccomp.DENIED.items() if numbers[column] is not None),
            rule("clone3", _ENOSYS),
            *(rule("clone", _EPERM, masked(0, flag, flag)) for flag in seccomp.NAMESPACE_FLAGS),
            *(rule("fcntl", _EPERM, masked(1, low, value)) for value in seccomp.LOCKS),
            *(rule("ioctl", _EPERM, masked(1, low, value)) for value in seccomp.TYPING),
            *(rule("socket", _EAFNOSUPPORT, masked(0, low, family)) for family in unwanted),
            rule("socket", _EAFNOSUPPORT, {"index": 0, "op": "SCMP_CMP_GT", "value": families[-1]}),
        ],
    }
