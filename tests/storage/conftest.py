"""Buckets with unique names, and callers of each kind."""

import pytest

from support.bucket import Bucket


@pytest.fixture
def bucket(project):
    """Makes buckets."""
    return lambda access="private", **more: Bucket(more.pop("project", project), access)
