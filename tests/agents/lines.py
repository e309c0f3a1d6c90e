"""A child process for the transport's tests: `python lines.py BEHAVIOUR [ARGUMENTS]`. Standard library only."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path


def write(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]


def say(message: object) -> None:
    write(json.dumps(message, ensure_ascii=False).encode() + b"\n")


def read_to_the_end() -> None:
    while os.read(0, 1 << 16):
        pass


def ignore_everything() -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


def live_on() -> None:
    while True:
        time.sleep(60)


def echo() -> None:
    """Every byte comes back."""
    while data := os.read(0, 1 << 16):
        write(data)


def dribble() -> None:
    """One message, each byte by itself."""
    for byte in '{"text":"é漢🙂"}\n'.encode():
        os.write(1, bytes([byte]))
        time.sleep(0.001)


def raw(escaped: str) -> None:
    """The bytes given as a Python literal, then exit code 3."""
    write(escaped.encode("latin-1").decode("unicode_escape").encode("latin-1"))
    sys.exit(3)


def flood(count: str) -> None:
    """Many small messages, as fast as they are taken."""
    lines = [b'{"n":%d}\n' % n for n in range(int(count))]
    for start in range(0, len(lines), 1000):
        write(b"".join(lines[start : start + 1000]))


def grumble(size: str) -> None:
    """Much on stderr before the first message, the given environment variable's value at its end."""
    rest = int(size)
    while rest > 0:
        rest -= os.write(2, b"grumble " * 8 + b"\n")
    os.write(2, f"the key is {os.environ['MY_API_KEY']}\n".encode())
    say({"done": True})


def show(name: str) -> None:
    """The value of an environment variable, and the folder it was started in."""
    say({"value": os.environ.get(name), "cwd": str(Path.cwd())})


def polite() -> None:
    """Ends when its stdin closes."""
    say({"pid": os.getpid()})
    read_to_the_end()


def deaf() -> None:
    """Does not look at its stdin; TERM ends it."""
    say({"pid": os.getpid()})
    live_on()


def stubborn() -> None:
    """Only KILL ends it."""
    ignore_everything()
    say({"pid": os.getpid()})
    live_on()


def wrapper(how: str) -> None:
    """Starts a stubborn child that shares its pipes, then ends: `politely`, when stdin closes, or `early`, at once."""
    child = subprocess.Popen([sys.executable, "-S", "-E", __file__, "silent"])
    say({"pid": os.getpid(), "child": child.pid})
    if how == "politely":
        read_to_the_end()
    os._exit(7 if how == "early" else 0)


def silent() -> None:
    """Only KILL ends it, and it says nothing."""
    ignore_everything()
    live_on()


def mute() -> None:
    """Closes its output and lives on."""
    say({"pid": os.getpid()})
    os.close(1)
    live_on()


def unreading() -> None:
    """Closes its input and lives on."""
    os.close(0)
    say({"pid": os.getpid()})
    live_on()


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
