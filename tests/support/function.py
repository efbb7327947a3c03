"""A function of a test: created by the admin API, with its runs."""

from support.client import ok, unique
from support.waiting import wait_until


class Function:
    """A function of a project. `code` is the body of its handler, or a whole module."""

    def __init__(self, project, code: str, trigger: dict, **more):
        self.project, self.admin = project, project.admin
        self.name = more.pop("name", None) or unique("fn")
        if "export default" not in code:
            code = "export default async function handler(event, ctx) {\n" + code + "\n}\n"
        body = {"name": self.name, "trigger": trigger, "code": code, **more}
        self.made = ok(self.admin.post("/admin/functions", body), 201)["function"]

    @property
    def route(self) -> str:
        return f"/admin/functions/{self.name}"

    def patch(self, **change) -> None:
        ok(self.admin.patch(self.route, change), 204)

    def delete(self) -> None:
        ok(self.admin.delete(self.route), 204)

    def invoke(self, payload=None, api=None) -> dict:
        return ok((api or self.admin).post(f"{self.route}/invoke", {"payload": payload}))["run"]

    def runs(self, **params) -> list:
        """Returns the log, newest first."""
        return ok(self.admin.get(f"{self.route}/logs", params=params))["runs"]

    def logged(self, count: int, seconds: float = 30) -> list:
        """Waits until the log has `count` runs; returns it."""

        def look():
            return found if len(found := self.runs()) >= count else None

        return wait_until(look, seconds, lambda: f"the log does not have {count} runs: {self.runs()}")

    def stats(self) -> dict:
        all = ok(self.admin.get("/admin/functions/stats"))["functions"]
        return next(each for each in all if each["name"] == self.name)

    def run_tests(self, tests: list | None = None) -> dict:
        if tests is not None:
            self.patch(tests=tests)
        return ok(self.admin.post(f"{self.route}/tests/run"))


def http_function(project, code: str, path: str | None = None, method: str = "GET", **more) -> Function:
    path = path or "/" + unique("p")
    made = Function(project, code, {"type": "http", "method": method, "path": path}, **more)
    made.path = path
    return made


def database_function(project, collection: str, code: str, events=("insert", "update", "delete"), **more) -> Function:
    return Function(project, code, {"type": "database", "collection": collection, "events": list(events)}, **more)
