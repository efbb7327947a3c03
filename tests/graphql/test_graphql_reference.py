"""Random projects, requests and responses compared with graphql-js: it accepts the schema, accepts the same requests,
and returns the same results from the same documents. MB_GRAPHQL_SHAPES: the number of projects."""

import json
import os

import pytest

from support.client import ok
from support.graphql_reference import INTROSPECTION
from support.graphql_projects import SERVER_FIELDS, RandomProject

SHAPES = int(os.environ.get("MB_GRAPHQL_SHAPES", "25"))
ANSWERED = 8  # requests per project
BROKEN = 12


def built(owner, seed: int):
    """A project with a random schema, and a key that reads and writes all of it."""
    random_project, project = RandomProject(seed), owner.create_project()
    for name in random_project.names:
        project.collection(name)
    for name, schema in random_project.collections.items():
        if schema is not None:
            ok(project.admin.put(f"/admin/collections/{name}/schema", schema), 204)
    key = project.api_key("read", "write")
    for name in random_project.names:
        for _ in range(random_project.chance.randint(0, 4)):
            made = key.create(name, random_project.document(name))
            random_project.documents[name][made["id"]] = made
    return random_project, key


def same_numbers(value):
    """1.0 and 1 are one number in JSON."""
    if isinstance(value, dict):
        return {key: same_numbers(each) for key, each in value.items()}
    if isinstance(value, list):
        return [same_numbers(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


@pytest.mark.parametrize("seed", range(SHAPES))
def test_a_random_project(owner, reference, graphql, seed):
    random_project, key = built(owner, seed)
    introspection = graphql(key, INTROSPECTION)
    assert "errors" not in introspection
    assert reference.schema(introspection["data"]) == []
    reference.world(**random_project.learn(introspection["data"]))

    for _ in range(ANSWERED):
        query, variables = random_project.request()
        assert reference.validate(query) == [], query
        expected = reference.execute(query, variables)
        answer = graphql(key, query, variables)
        assert "errors" not in expected, (query, expected)
        assert "errors" not in answer, (query, answer)
        # The order of fields is part of the response.
        assert json.dumps(same_numbers(answer["data"])) == json.dumps(same_numbers(expected["data"])), query

    for _ in range(BROKEN):
        query = random_project.broken()
        problems = [problem.split(" Did you mean")[0] for problem in reference.validate(query)]
        answer = graphql(key, query, {})
        refused = [error["message"].split(" Did you mean")[0] for error in answer.get("errors", [])]
        if not problems:
            # The only remaining errors are variables without a value.
            assert all("Variable" in each or "Argument" in each for each in refused), (query, refused)
            continue
        assert "data" not in answer and refused, (query, problems, answer)
        # The messages are equal, except for positions of conflicts and names of type definitions in graphql-js.
        unknown = [each for each in refused if each not in problems]
        kinds = [
            next((kind for kind in ("Syntax Error", "conflict because") if kind in each), None) for each in unknown
        ]
        assert all(kind and any(kind in each for each in problems) for kind in kinds), (query, unknown, problems)


def test_the_reference_detects_differences(owner, reference, graphql):
    """The comparison can fail: another document gives another result."""
    random_project, key = built(owner, 1)
    reference.schema(graphql(key, INTROSPECTION)["data"])
    name = random_project.names[0]
    made = key.create(name, random_project.document(name))
    random_project.documents[name][made["id"]] = made
    world = random_project.learn(graphql(key, INTROSPECTION)["data"])
    reference.world(**world)
    query = f"{{ {random_project.base_of(name)} {{ id createdAt updatedAt ownerId }} }}"
    expected = reference.execute(query, {})
    assert expected["data"] == graphql(key, query)["data"]
    assert set(expected["data"][random_project.base_of(name)][0]) == set(SERVER_FIELDS)
    world["documents"][name][made["id"]]["ownerId"] = "somebody"
    reference.world(**world)
    assert reference.execute(query, {})["data"] != expected["data"]
