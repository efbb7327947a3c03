"""Resources of a project that its configuration holds by name, each with a section, a route and a permission of the
same name. Tests of export, import, environments and bundles iterate over RESOURCES."""

import pytest

from support.client import ok
from support.flow import flow


class Resource:
    """A kind of resource, and some entries of it."""

    section = ""  # of the document, and the name of the route and of the bundle's folder
    entity = ""  # the key of a single one in a response
    names: list[str] = []  # of the entries, in the order of an export
    # An entry in the form of the export, with a change that an import makes.
    changed: dict = {}
    # Entries of a document that is refused, each with the path of its problem below the entry; None: without a problem.
    refused: list[tuple] = []
    # A patch by the admin route: the name, the body, and what the entry then holds.
    patch: tuple[str, dict, dict] = ("", {}, {})
    file_ends = (".json",)

    def __str__(self):
        return self.section

    def create(self, admin) -> None:
        """Creates the entries by the admin routes."""
        raise NotImplementedError

    def check_export(self, entries: list) -> None:
        """Checks the section of an export after create()."""
        raise NotImplementedError

    def check_imported(self, views: list) -> None:
        """Checks the entries of a project after an import into it, as the admin route returns them."""

    def kept(self, view: dict):
        """Returns the state of an entry that an import or a promotion leaves as it is."""

    @property
    def route(self) -> str:
        return f"/admin/{self.section}"

    def read(self, admin, name: str) -> dict:
        return ok(admin.get(f"{self.route}/{name}"))[self.entity]

    def views(self, admin) -> list:
        return ok(admin.get(self.route))[self.section]

    def exported(self, admin) -> list:
        return ok(admin.get("/admin/config-export"))[self.section]

    def document(self, *entries) -> dict:
        return {"formatVersion": 1, self.section: list(entries)}

    def actions(self, response: dict) -> list[tuple]:
        """Returns (name, action) of the changes to the section in the plan of an import."""
        return [(each["name"], each["action"]) for each in response["plan"]["changes"] if each["section"] == self.section]


_CASES = [{"name": "t", "op": "get", "args": {"path": "/"}, "stub": {"status": 200}, "expect": {"status": 200}}]
_API = {
    "name": "api",
    "provider": "http",
    "config": {"baseUrl": "https://api.example.com/v1", "headers": {"a": "1", "x-team": "shop"}},
    "enabled": False,
    "tests": _CASES,
}
_BOT = {"name": "bot", "provider": "bot", "config": {"platform": "slack"}, "enabled": True, "tests": []}


class Integrations(Resource):
    section, entity = "integrations", "integration"
    names = ["api", "bot"]
    entries = [_API, _BOT]
    secrets = {"api": {"authorization": "Bearer secret-of-the-api"}, "bot": {"token": "secret-of-the-bot"}}
    changed = {**_API, "config": {"baseUrl": "https://api.example.com/b"}}
    refused = [
        ({**_API, "provider": "email", "config": {"from": "a@example.com", "host": "h"}, "tests": []}, "provider"),
        ({**_API, "name": "UPPER"}, "name"),
        ({**_API, "name": "twice"}, None),
        ({**_API, "name": "twice"}, "name"),
        ({**_API, "name": "secrets", "secrets": {"authorization": "x"}}, "secrets"),
        ({**_API, "name": "ops", "tests": [{**_CASES[0], "op": "head"}]}, "tests/0/op"),
        ({"name": "half"}, "provider"),
        (7, ""),
    ]
    patch = (
        "api",
        {"config": {"baseUrl": "https://api.example.com/v1/stage"}},
        {"config": {"baseUrl": "https://api.example.com/v1/stage"}},
    )

    def create(self, admin):
        for entry in reversed(self.entries):
            body = {key: value for key, value in entry.items() if key != "tests"}
            ok(admin.post(self.route, {**body, "secrets": self.secrets[entry["name"]]}), 201)
            ok(admin.patch(f"{self.route}/{entry['name']}/tests", {"tests": entry["tests"]}), 204)

    def check_export(self, entries):
        assert entries == self.entries

    def check_imported(self, views):
        # As enabled as it was, and without secrets.
        assert {view["name"]: view["enabled"] for view in views} == {"api": False, "bot": True}
        assert not [view for view in views if any(state["configured"] for state in view["secrets"].values())]

    def kept(self, view):
        return view["secrets"]


_ORDERS = {
    "name": "orders",
    "collection": "orders",
    "events": ["insert", "delete"],
    "url": "https://example.com/orders",
    "headers": {"A-b": "1", "x-team": "shop"},
    "fields": ["customer.name", "total"],
}
_PLAIN = {"name": "Plain", "collection": "later", "events": ["update"], "url": "https://example.com/", "headers": {}}


class Webhooks(Resource):
    section, entity = "webhooks", "webhook"
    names = ["Plain", "orders"]
    entries = [_PLAIN, _ORDERS]
    changed = {**{key: value for key, value in _ORDERS.items() if key != "fields"}, "url": "https://example.org/new"}
    refused = [
        ({**_ORDERS, "events": ["all"]}, "events/0"),
        ({**_ORDERS, "name": "PLAIN"}, "name"),
        ({**_ORDERS, "name": "twice"}, None),
        ({**_ORDERS, "name": "Twice"}, "name"),
        ({**_ORDERS, "name": "n", "secret": "whsec_x"}, "secret"),
        ({"name": "half"}, "url"),
        (7, ""),
    ]
    patch = ("orders", {"url": "https://stage.example/"}, {"url": "https://stage.example/"})

    def create(self, admin):
        for entry in reversed(self.entries):
            ok(admin.post(self.route, entry), 201)

    def check_export(self, entries):
        assert entries == self.entries

    def check_imported(self, views):
        assert len(views) == len(self.entries)
        for view in views:
            assert view["enabled"] is False and view["secret"] == {"configured": False}

    def kept(self, view):
        return view["enabled"], view["secret"]


_GREET = {
    "name": "greet",
    "trigger": {"type": "http", "method": "GET", "path": "/hi/:name"},
    "code": "export default async (event: { params: { name: string } }) => `hi ${event.params.name}`;\n",
}
_GUARD = {
    "name": "guard",
    "trigger": {"type": "database", "collection": "orders", "events": ["insert", "update"]},
    "timing": "pre",
    "timeoutMs": 500,
    "enabled": False,
    "code": "export default () => undefined;",
    "tests": [
        {"name": "passes", "event": {"at": {"$date": "2026-01-31T09:30:00.000Z"}}, "expect": {"status": "success"}}
    ],
}
_DRAWN = {
    "name": "drawn",
    "trigger": {"type": "cron", "schedule": "@monthly"},
    "flow": flow([("t", "trigger"), ("say", "log", {"message": "hi {{ event.type }}"})], "t say"),
}
_KEYS = ["name", "trigger", "timing", "code", "enabled", "timeoutMs"]


class Functions(Resource):
    section, entity = "functions", "function"
    names = ["drawn", "greet", "guard"]
    greet, guard, drawn = _GREET, _GUARD, _DRAWN
    changed = {**_GREET, "code": "export default () => 2;\n"}
    refused = [
        ({**_GREET, "name": "Loud"}, "name"),
        ({**_GREET, "name": "broken", "trigger": _DRAWN["trigger"], "code": "export default ("}, "code"),
        ({**_GREET, "name": "other"}, "trigger/path"),
        ({**_DRAWN, "name": "drawn-b", "flow": {"nodes": [], "edges": []}}, "flow/nodes"),
        ({**_GUARD, "timing": "post", "version": 3}, "version"),
        ({"name": "none", "trigger": _DRAWN["trigger"]}, "code"),
        ({**_GUARD, "name": "twice"}, None),
        ({**_GUARD, "name": "twice"}, "name"),
        (7, ""),
    ]
    patch = (
        "greet",
        {"code": "export default () => 'staged';"},
        {"code": "export default () => 'staged';\n", "version": 2},
    )
    file_ends = (".json", ".ts")

    def create(self, admin):
        for entry in (_GUARD, _GREET, _DRAWN):
            ok(admin.post(self.route, entry), 201)

    def check_export(self, entries):
        drawn, greet, guard = entries
        assert list(drawn) == [*_KEYS, "flow"] and list(greet) == _KEYS and list(guard) == [*_KEYS, "tests"]
        assert greet == {**_GREET, "timing": "post", "enabled": True, "timeoutMs": None}
        assert guard == {**_GUARD, "code": _GUARD["code"] + "\n"}
        assert drawn["flow"] == _DRAWN["flow"] and drawn["code"].startswith("// Generated")

    def check_imported(self, views):
        assert {view["name"]: view["version"] for view in views} == {"drawn": 1, "greet": 1, "guard": 1}

    def kept(self, view):
        return view["enabled"], view["timeoutMs"], view["tests"]


RESOURCES = [Integrations(), Webhooks(), Functions()]


def source_of(resource):
    """A fixture: a project with the entries of the resource."""

    @pytest.fixture
    def source(owner):
        project = owner.create_project()
        resource.create(project.admin)
        return project

    return source
