"""Spaces: collections with vectors."""

import pytest

from support.vectors import Space


@pytest.fixture
def space(project):
    """Makes spaces."""
    return lambda **more: Space(more.pop("project", project), **more)
