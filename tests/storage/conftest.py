"""Buckets with names of their own, and callers of each kind."""

import pytest

from support.bucket import Bucket


@pytest.fixture
def bucket(project):
    """A maker of buckets."""
    return lambda access="private", **more: Bucket(more.pop("project", project), access)
