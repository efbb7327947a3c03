"""Valid and invalid requests generated from the OpenAPI document: no response is a 5xx, and each is in the document.
MB_EXAMPLES sets the number per operation (./test long description uses 200)."""

import os
import random
import re

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis import GenerationMode

from support.client import Api, PlatformUser, fresh_address, ok
from support.described import Described
from support.server import Server

EXAMPLES = int(os.environ.get("MB_EXAMPLES", "3"))
# Statuses that the document's introduction lists for every request, and so no operation by itself.
EVERYWHERE = {405, 408, 431}
# The responses of functions are their own, and a WebSocket leaves the protocol.
EXCLUDED = re.compile(r"^/api/v1/(run|realtime)")


@schemathesis.serializer("application/offset+octet-stream")
def bytes_of(_, value):
    return value if isinstance(value, bytes) else str(value).encode()


class World:
    """A project with an entry of every kind. The generated requests cannot delete what the callers' tokens depend
    on."""

    def __init__(self, server: Server):
        self.server = server
        self.owner = PlatformUser(server)
        self.project = self.owner.create_project()
        self.victim = self.owner.create_project()
        admin = self.project.admin
        self.collection = self.project.collection("notes")
        self.user = self.project.end_user()
        self.other = self.project.end_user()
        document = self.user.create(self.collection, {"title": "a"})["id"]
        hook = {"name": "hook", "collection": self.collection, "events": ["delete"], "url": "http://127.0.0.1:9/"}
        ok(admin.post("/admin/webhooks", hook), 201)
        api = {"name": "api", "provider": "http", "config": {"baseUrl": "http://127.0.0.1:9/"}}
        ok(admin.post("/admin/integrations", api), 201)
        greet = {"name": "greet", "trigger": {"type": "http", "method": "GET", "path": "/hello"}}
        ok(admin.post("/admin/functions", {**greet, "code": "export default () => 1;"}), 201)
        ok(admin.post("/admin/storage/buckets", {"name": "pictures"}), 201)
        ok(admin.put("/storage/pictures/cat.png", content=b"a cat"), 201)
        self.known = {
            "bucket/path": "cat.png",
            "buckets/name": "pictures",
            "storage/bucket": "pictures",
            "collection": self.collection,
            "collections/name": self.collection,
            "collection/id": document,
            "documents/id": document,
            "functions/name": "greet",
            "integrations/name": "api",
            "pid": self.project.id,
            "projects/id": self.victim.id,
            "run/project": self.project.id,
            "users/id": self.other.id,
            "versions/version": "1",
            "webhooks/name": "hook",
        }

    def token(self, operation) -> str | None:
        schemes = [name for one in operation.get("security", []) for name in one]
        if not schemes:
            return None
        if schemes[0] == "endUser" and len(schemes) == 1:
            return self.user.token
        return self.owner.token if schemes[0] in ("control", "operator") else self.project.admin.token

    def sign_in_again(self) -> None:
        """Signs in again: tokens expire, and some requests end the sessions of their callers."""
        self.owner.login()
        self.user.login()
        self.project.admin.token = self.owner.exchange(self.project.id).token

    def path_parameters(self, path: str, generated: dict) -> dict:
        """Replaces some generated names by existing ones, since generated names never exist."""
        segments = path.strip("/").split("/")
        chosen = dict(generated)
        for before, segment in zip(segments, segments[1:]):
            name = segment.strip("{}")
            if not segment.startswith("{"):
                continue
            known = self.known.get(f"{before.strip('{}')}/{name}") or self.known.get(name)
            if known and random.random() < 0.7:
                chosen[name] = known
        return chosen


@pytest.fixture(scope="module")
def server_settings():
    return {"SERVICE_AUTH_RATE_LIMIT": "1000000/60", "SERVICE_OPERATORS": "on"}


@pytest.fixture(scope="module")
def world(server):
    random.seed(7)
    return World(server)


@pytest.fixture(scope="module")
def description(server, world):
    return Described(ok(Api(server).get("/openapi.json")))


def problem_of(world, description, operation, case) -> str | None:
    """Sends a generated request; returns what is wrong with its response."""
    own = description.spec["paths"][operation.path][operation.method.lower()]
    case.path_parameters = world.path_parameters(operation.path, dict(case.path_parameters or {}))
    headers = {"x-forwarded-for": fresh_address()}
    if token := world.token(own):
        headers["authorization"] = f"Bearer {token}"
    answer = case.call(base_url=world.server.url, headers=headers, allow_redirects=False, timeout=60)
    if answer.status_code in EVERYWHERE:
        return None
    # A generated parameter may make the path that of another operation, which then responds.
    path = answer.request.url.partition("?")[0].removeprefix(world.server.url)
    its_own = description.operation(operation.method, path) is own
    if its_own or answer.status_code >= 500:
        kind = answer.headers.get("content-type", [""])[0]
        body = answer.json() if kind.startswith("application/json") and answer.text else None
        problem = description.problem(own, answer.status_code, kind, body)
        if answer.status_code >= 500 and not (problem is None and own["responses"].get(str(answer.status_code))):
            problem = "a fault"
        if problem:
            request = f"{operation.method.upper()} {answer.request.url} {str(answer.request.body)[:300]}"
            return f"{request}: {answer.status_code} {answer.text[:300]}: {problem}"
    return None


def problems_of(world, description, belongs) -> list[str]:
    """Runs each operation of a group with its examples; returns the problems."""
    problems = []
    schema = schemathesis.openapi.from_dict(description.spec)
    schema.config.generation.update(modes=[GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
    of_each = settings(
        max_examples=EXAMPLES, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
    )
    for result in schema.get_all_operations():
        operation = result.ok()
        if not belongs(operation.path) or EXCLUDED.match(operation.path):
            continue

        def run(case):
            if problem := problem_of(world, description, operation, case):  # noqa: B023
                problems.append(problem)

        seed(11)(of_each(given(case=operation.as_strategy())(run)))()
        if EXAMPLES > 10 or "/auth/" in operation.path:
            world.sign_in_again()
        if len(problems) > 20:
            break
    return problems


@pytest.mark.timeout(7200 if EXAMPLES > 10 else 300)
@pytest.mark.parametrize("part", ["admin", "control", "auth", "data", "pages"])
def test_no_answer_is_outside_the_description(world, description, part):
    beginning = {"admin": "/api/v1/admin", "control": "/api/v1/control", "auth": "/api/v1/auth"}

    def belongs(path: str) -> bool:
        if part == "pages":
            return not path.startswith("/api/v1")
        if part == "data":
            return path.startswith("/api/v1") and not path.startswith(tuple(beginning.values()))
        return path.startswith(beginning[part])

    assert problems_of(world, description, belongs) == []
    assert world.server.alive()
