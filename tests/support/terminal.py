"""A program on a terminal of its own, as a person at a keyboard runs it."""

import os
import pty
import time

from support.waiting import SLOW


def on_terminal(line: list[str], answers: list[str], cwd=None, **environment: str) -> tuple[int, str]:
    """Types one of `answers` at each prompt; returns the exit code and the output."""
    pid, terminal = pty.fork()
    if pid == 0:
        if cwd is not None:
            os.chdir(cwd)
        os.execvpe(line[0], line, {"PATH": os.environ["PATH"], **environment})
    shown, waiting = b"", list(answers)
    limit = time.monotonic() + 60 * SLOW
    while time.monotonic() < limit:
        try:
            piece = os.read(terminal, 4096)
        except OSError:
            break
        if not piece:
            break
        shown += piece
        if waiting and shown.rstrip(b" ").endswith(b":"):
            os.write(terminal, waiting.pop(0).encode())
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    return os.waitstatus_to_exitcode(status), shown.decode()
