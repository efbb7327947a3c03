"""Waits for events that a test can observe. A fixed pause in place of an event is too short on a slow machine and too
long on a fast one, so tests/test_architecture.py forbids time.sleep elsewhere."""

import os
import time
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import TypeVar

# How many times slower than a release build the server under test is (sanitizers).
SLOW = float(os.environ.get("MB_SLOW", "1"))

T = TypeVar("T")


class NotInTime(AssertionError):
    """An event did not occur within its time."""


class _Leases:
    """When the leases of the servers that were killed end, by time.monotonic()."""

    end = 0.0


def leases_end_in(seconds: float) -> None:
    """Gives waits that begin before then their whole time from then on: until then other servers leave the work of one
    that was killed alone."""
    _Leases.end = time.monotonic() + seconds


def end_of_wait(seconds: float) -> float:
    """Returns when a wait of `seconds` (times MB_SLOW) is over, by time.monotonic()."""
    return max(time.monotonic(), _Leases.end) + seconds * SLOW


def wait_until(
    predicate: Callable[[], T], timeout: float = 30, what: str | Callable[[], str] = "", *, interval: float = 0.02
) -> T:
    """Calls `predicate` every `interval` seconds until it returns a true value; returns that value. Raises NotInTime
    after `timeout` seconds (times MB_SLOW), with the text `what` and the last value. What `predicate` raises ends the
    wait."""
    limit = end_of_wait(timeout)
    while not (found := predicate()):
        if time.monotonic() >= limit:
            text = what() if callable(what) else what
            raise NotInTime(f"{text or 'the condition does not hold'} after {timeout} s; the last value is {found!r}")
        time.sleep(interval)
    return found


def wait_until_after(stamp: str) -> None:
    """Waits until the clock is past a time that the server wrote (RFC 3339), so that its next one is later."""
    past = datetime.fromisoformat(stamp) + timedelta(milliseconds=2)
    wait_until(lambda: datetime.now(timezone.utc) >= past, interval=0.001)
