"""Spaces: collections with vectors."""

import pytest

from support.embeddings import Embeddings
from support.vectors import Space


@pytest.fixture(scope="module")
def embeddings():
    endpoint = Embeddings()
    yield endpoint
    endpoint.close()


@pytest.fixture
def space(project):
    """Makes spaces."""
    return lambda **more: Space(more.pop("project", project), **more)
