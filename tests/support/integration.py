"""An integration of a test: created by the admin API, and called by hand."""

from support.client import ok, unique


class Integration:
    """An integration of a test, and calls of it by hand."""

    def __init__(self, admin, provider, config, secrets=None, name=None):
        self.admin, self.name = admin, name or unique("i")
        body = {"name": self.name, "provider": provider, "config": config}
        if secrets is not None:
            body["secrets"] = secrets
        self.made = ok(admin.post("/admin/integrations", body), 201)["integration"]

    @property
    def route(self) -> str:
        return f"/admin/integrations/{self.name}"

    def read(self) -> dict:
        return ok(self.admin.get(self.route))["integration"]

    def patch(self, **change) -> None:
        ok(self.admin.patch(self.route, change), 204)

    def live(self, op, **args):
        """Makes a live call; returns the response."""
        return self.admin.post(f"{self.route}/test", {"op": op, "args": args, "mode": "live"})

    def result(self, op, **args):
        answer = ok(self.live(op, **args))
        assert answer["mode"] == "live"
        return answer["result"]
