"""Programs that tests use and that may be missing on a developer's machine."""

import os

import pytest


def missing_part(name: str) -> None:
    """Skips the test, or fails it where MB_REQUIRE_ALL is set, as ./test does: a suite that skips has not tested."""
    if os.environ.get("MB_REQUIRE_ALL"):
        pytest.fail(f"{name} is missing")
    pytest.skip(f"{name} is missing")
