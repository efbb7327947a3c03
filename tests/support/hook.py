"""A webhook of a test: on a collection of its own, with a path of its own at a receiver."""

from support.client import ok, unique
from support.waiting import wait_until


class Hook:
    """A webhook on a collection of its own, and its path at the receiver."""

    def __init__(self, project, receiver, **more):
        self.project, self.receiver = project, receiver
        self.admin = project.admin
        self.collection = more.pop("collection", None) or project.collection()
        self.name = more.pop("name", None) or unique("hook")
        self.path = "/" + self.name
        body = {
            "name": self.name,
            "collection": self.collection,
            "events": ["insert", "update", "delete"],
            "url": receiver.url(self.path),
            **more,
        }
        made = ok(self.admin.post("/admin/webhooks", body), 201)
        self.secret = made["secret"]
        self.made = made["webhook"]

    @property
    def route(self) -> str:
        return f"/admin/webhooks/{self.name}"

    def read(self) -> dict:
        return ok(self.admin.get(self.route))["webhook"]

    def patch(self, **change) -> None:
        ok(self.admin.patch(self.route, change), 204)

    def documents(self, id: str = "") -> str:
        return f"/admin/collections/{self.collection}/documents" + (f"/{id}" if id else "")

    def insert(self, **document) -> dict:
        return ok(self.admin.post(self.documents(), document), 201)["document"]

    def deliveries(self, **params) -> list:
        return ok(self.admin.get(f"{self.route}/deliveries", params=params))["deliveries"]

    def answer(self, *answers) -> None:
        self.receiver.answers[self.path] = list(answers)

    def arrived(self, count: int = 1, seconds: float = 20):
        return self.receiver.wait(self.path, count, seconds)

    def logged(self, count: int, seconds: float = 30) -> list:
        """Waits until the log has `count` entries; returns it."""

        def look():
            return found if len(found := self.deliveries()) >= count else None

        return wait_until(look, seconds, lambda: f"the log does not have {count} deliveries: {self.deliveries()}")
