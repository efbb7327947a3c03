"""A collection of a test with vectors in it, and its searches."""

import math
import random

from support.client import ok
from support.waiting import wait_until


class Space:
    """A collection of `project` with a vector config; by default one manual field `embedding` of 4 dimensions."""

    def __init__(self, project, policy: dict | None = None, **field):
        self.project, self.admin = project, project.admin
        self.collection = project.collection(policy={"read": {}, "list": {}} if policy is None else policy)
        self.field = {"name": "embedding", "dimensions": 4, "metric": "cosine", "mode": "manual", **field}
        self.configure(self.field)

    @property
    def route(self) -> str:
        return f"/admin/collections/{self.collection}/vector-config"

    def configure(self, *fields) -> None:
        ok(self.admin.put(self.route, {"fields": list(fields)}), 204)

    def documents(self, id: str = "") -> str:
        return f"/admin/collections/{self.collection}/documents" + (f"/{id}" if id else "")

    def put(self, id: str, vector=None, **more) -> dict:
        body = {"id": id, **more}
        if vector is not None:
            body[self.field["name"]] = vector
        return ok(self.admin.post(self.documents(), body), 201)["document"]

    def fill(self, many: dict) -> None:
        for id, vector in many.items():
            self.put(id, vector)

    def search(self, caller=None, **body):
        return (caller or self.admin).post(f"/{self.collection}/search", body)

    def hits(self, vector=None, caller=None, **body) -> list:
        """Returns the results, once the index is ready."""
        if vector is not None:
            body["vector"] = vector

        def search():
            response = self.search(caller, **body)
            return None if response.status_code == 503 else response

        return ok(wait_until(search, 20, "the index is not ready", interval=0.05))["results"]

    def ids(self, vector=None, **body) -> list:
        return [hit["id"] for hit in self.hits(vector, **body)]

    def index(self, field: str | None = None) -> dict:
        found = ok(self.admin.get(self.route))["indexes"]
        return next(each for each in found if each["field"] == (field or self.field["name"]))

    def until(self, condition, seconds: float = 30):
        """Waits until `condition` holds for the state of the index; returns the state."""
        return wait_until(lambda: condition(state := self.index()) and state, seconds, lambda: str(self.index()))

    def embedded(self, documents: int) -> dict:
        """Waits until that many documents have their embedding and no job waits."""

        def done(state: dict) -> bool:
            return state["embedding"]["embedded"] == documents and not state["embedding"]["waiting"]

        return self.until(done)


def random_vector(chance: random.Random, dimensions: int) -> list[float]:
    return [round(chance.gauss(0, 1), 4) for _ in range(dimensions)]


def cosine(a: list[float], b: list[float]) -> float:
    lengths = math.sqrt(sum(x * x for x in a)) * math.sqrt(sum(x * x for x in b))
    return sum(x * y for x, y in zip(a, b)) / lengths if lengths else 0.0


def nearest(vectors: dict, query: list[float], limit: int) -> list:
    """Returns the exact result: ids by cosine."""
    return sorted(vectors, key=lambda id: (-cosine(vectors[id], query), id))[:limit]
