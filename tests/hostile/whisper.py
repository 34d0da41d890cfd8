"""One of two bots that try to pass bits to each other, by all that processes of one machine share.

Both try to send and to hear, all the time that they play; what a bot hears from the other one it prints. Arguments: its
mark, its name, and a file that both may read.
"""

import ctypes
import fcntl
import os
import socket
import sys
import threading

import bots

MARK, NAME, SHARED = sys.argv[1:4]
FOLDERS = ("/dev/shm", "/tmp", "/var/tmp", os.environ["HOME"])
LIBC = ctypes.CDLL(None, use_errno=True)
heard: set[str] = set()


def abstract():
    """An abstract socket: bind a name of our own, and connect to the other's."""
    with socket.socket(socket.AF_UNIX) as own:
        own.bind(f"\0kingmaker-whisper-{NAME}")
        own.listen()
        while True:
            for other in {"a", "b"} - {NAME}:
                with socket.socket(socket.AF_UNIX) as peer:
                    peer.settimeout(0.1)
                    peer.connect(f"\0kingmaker-whisper-{other}")
                    heard.add("abstract socket")


def network():
    """The loopback interface."""
    ports = {"a": 34567, "b": 34568}
    with socket.create_server(("127.0.0.1", ports[NAME])):
        while True:
            for other in {"a", "b"} - {NAME}:
                with socket.create_connection(("127.0.0.1", ports[other]), 0.1):
                    heard.add("loopback")


def vsock():
    """The machine's own hypervisor."""
    with socket.socket(40, socket.SOCK_STREAM) as own:
        own.bind((1, ord(NAME)))
        heard.add("vsock")


def locks():
    """Locks on a file that both may read: to find it free or held is a bit."""
    with open(SHARED, "rb") as file:
        for lock in (fcntl.flock, fcntl.lockf):
            try:
                lock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
                heard.add("lock")
            except BlockingIOError:
                heard.add("lock")
            except OSError:
                pass


def watch():
    """Being told when the other one reads that file."""
    if LIBC.inotify_init() >= 0:
        heard.add("watch")


def keys():
    """A key in the user's keyring."""
    add_key = {"x86_64": 248, "aarch64": 217}[os.uname().machine]
    if LIBC.syscall(add_key, b"user", b"whisper", b"x", 1, -4) >= 0:
        heard.add("keyring")


def shared_memory():
    """System V shared memory under a key that both know."""
    if (number := LIBC.shmget(0x4B4D, 4096, 0o1666)) < 0:
        return
    LIBC.shmat.restype = ctypes.c_void_p
    place = LIBC.shmat(number, None, 0)
    if place is None or place == ctypes.c_void_p(-1).value:
        return
    page = (ctypes.c_char * 2).from_address(place)
    page[NAME == "b"] = b"x"
    if page[NAME == "a"] == b"x":
        heard.add("shared memory")


def files():
    """Files in places that both know."""
    for folder in FOLDERS:
        for other in {"a", "b"} - {NAME}:
            try:
                with open(f"{folder}/whisper-{MARK}-{NAME}", "w") as file:
                    file.write("x")
            except OSError:
                pass
            if os.path.exists(f"{folder}/whisper-{MARK}-{other}"):
                heard.add(folder)


def try_for_ever(way):
    while True:
        try:
            way()
        except OSError:
            pass
        if stop.wait(0.002):
            return


WAYS = (abstract, network, vsock, locks, watch, keys, shared_memory, files)
stop = threading.Event()
for way in WAYS:
    threading.Thread(target=try_for_ever, args=[way], daemon=True).start()


class Whisper:
    def decide(self, observation, legal):
        return legal[0]


bots.play(Whisper())
stop.set()
for folder in FOLDERS:
    if os.path.exists(f"{folder}/whisper-{MARK}-{NAME}"):
        os.remove(f"{folder}/whisper-{MARK}-{NAME}")
print("heard:", ", ".join(sorted(heard)) or "nothing", flush=True)
