import pytest

from support.client import Api, ok
from support.graphql_reference import Reference


@pytest.fixture(scope="module")
def reference():
    """graphql-js, whose results are compared with the server's."""
    reference = Reference()
    yield reference
    reference.stop()


def ask(api: Api, query: str, variables: dict | None = None, **more) -> dict:
    """Returns the response to a request, whose status is always 200."""
    body = {"query": query, **({"variables": variables} if variables is not None else {}), **more}
    answer = ok(api.post("/graphql", body))
    assert set(answer) <= {"data", "errors"} and answer, answer
    for error in answer.get("errors", []):
        assert set(error) <= {"message", "locations", "path", "extensions"}, error
        assert error["message"] and error["extensions"]["code"], error
    return answer


@pytest.fixture(scope="module")
def graphql():
    return ask


@pytest.fixture(scope="module")
def data():
    def data(api: Api, query: str, variables: dict | None = None) -> dict:
        answer = ask(api, query, variables)
        assert "errors" not in answer, answer
        return answer["data"]

    return data


@pytest.fixture(scope="module")
def codes():
    """Returns the codes of a response's errors."""

    def codes(api: Api, query: str, variables: dict | None = None) -> list[str]:
        return [error["extensions"]["code"] for error in ask(api, query, variables).get("errors", [])]

    return codes
