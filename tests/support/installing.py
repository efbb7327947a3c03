"""What tests install below build/ is installed by one of their processes, while the others wait."""

import contextlib
import fcntl
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def one_at_a_time(folder: Path) -> Iterator[None]:
    """Holds the lock of what is installed in `folder`: a file beside it, released when this process ends."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(folder.parent / f"{folder.name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
