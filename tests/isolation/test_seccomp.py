"""The filter of system calls, run by an interpreter of its instructions; what the kernel makes of it the probe shows."""

from __future__ import annotations

import struct

import pytest

from referee.isolation import seccomp
from referee.isolation.errors import IsolationError

ALLOW, KILL = 0x7FFF0000, 0x80000000
EPERM, ENOSYS, EAFNOSUPPORT = 0x50001, 0x50026, 0x50061
MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}


def verdict(code: bytes, arch: int, number: int, *arguments: int) -> int:
    """What a filter says to a call: the classic BPF of the kernel's documentation, as far as filters use it."""
    data = struct.pack("<IIQ", number, arch, 0) + struct.pack("<6Q", *(*arguments, *[0] * 6)[:6])
    lines = list(struct.iter_unpack("<HBBI", code))
    at = register = 0
    for _ in range(len(lines)):
        kind, then, other, value = lines[at]
        at += 1
        if kind == 0x20:
            (register,) = struct.unpack_from("<I", data, value)
        elif kind == 0x06:
            return value
        else:
            holds = {0x15: register == value, 0x35: register >= value, 0x45: bool(register & value)}[kind]
            at += then if holds else other
    raise AssertionError("the filter never ends")


@pytest.fixture(params=MACHINES)
def machine(request: pytest.FixtureRequest) -> str:
    return request.param


def ask(machine: str, name: str, *arguments: int, namespaces: bool = True) -> int:
    calls = seccomp.DENIED | seccomp.DENIED_WITHOUT_NAMESPACES | seccomp.LOOKED_AT
    number = calls[name][seccomp.MACHINES[machine][0]]
    assert number is not None
    return verdict(seccomp.program(machine=machine, namespaces=namespaces), MACHINES[machine], number, *arguments)


def test_what_is_denied_is_denied_and_nothing_else(machine):
    column = seccomp.MACHINES[machine][0]
    denied = {numbers[column] for numbers in seccomp.DENIED.values()} - {None}
    looked_at = {numbers[column] for numbers in seccomp.LOOKED_AT.values()}
    code = seccomp.program(machine=machine)
    for number in set(range(600)) - looked_at:
        assert verdict(code, MACHINES[machine], number) == (EPERM if number in denied else ALLOW)
    assert not denied & looked_at
    assert len(denied) > 55


def test_another_architecture_is_killed(machine):
    code = seccomp.program(machine=machine)
    for arch in (*(other for name, other in MACHINES.items() if name != machine), 0x40000003, 0, 0xFFFFFFFF):
        assert verdict(code, arch, 1) == KILL


def test_the_32_bit_calls_of_a_64_bit_process_do_not_exist():
    code = seccomp.program(machine="x86_64")
    assert {verdict(code, MACHINES["x86_64"], 0x40000000 + number) for number in (0, 101, 520)} == {ENOSYS}


@pytest.mark.parametrize("high", [0, 1 << 32, 0xFFFFFFFF << 32])
def test_only_the_low_half_of_an_argument_counts(machine, high):
    assert ask(machine, "ioctl", 0, 0x5412 | high) == EPERM
    assert ask(machine, "ioctl", 0, 0x541C | high) == EPERM
    assert ask(machine, "ioctl", 0, 0x5413 | high) == ALLOW
    assert ask(machine, "fcntl", 3, 6 | high) == EPERM
    assert ask(machine, "socket", 40 | high) == EAFNOSUPPORT
    assert ask(machine, "socket", 1 | high) == ALLOW


def test_locks_are_denied_and_other_controls_are_not(machine):
    for command in range(2048):
        expected = EPERM if command in (6, 7, 37, 38, 1024, 1026) else ALLOW
        assert ask(machine, "fcntl", 3, command) == expected


def test_a_clone_may_make_threads_and_processes_but_no_namespace(machine):
    threads = 0x3D0F00
    assert ask(machine, "clone", threads) == ALLOW
    assert ask(machine, "clone", 17) == ALLOW
    assert ask(machine, "clone3") == ENOSYS
    for bit in (17, 25, 26, 27, 28, 29, 30):
        assert ask(machine, "clone", 17 | 1 << bit) == EPERM


def test_sockets_are_of_few_families_and_without_namespaces_of_one(machine):
    allowed = {family for family in range(64) if ask(machine, "socket", family) == ALLOW}
    assert allowed == {1, 2, 10, 16}
    alone = {family for family in range(64) if ask(machine, "socket", family, namespaces=False) == ALLOW}
    assert alone == {1}
    assert ask(machine, "shmget", namespaces=False) == EPERM
    assert ask(machine, "shmget") == ALLOW


def test_an_unknown_machine_is_refused():
    with pytest.raises(IsolationError, match="a pdp11 are not known; known are x86_64, aarch64"):
        seccomp.program(machine="pdp11")
