"""Requests counted by plane, and usage without metering."""

import concurrent.futures
import re

from support.client import PASSWORD, Api, ok, refused

PLANES = ["auth", "data", "admin", "graphql", "storage", "functions"]


def planes(project) -> dict:
    return ok(project.admin.get("/admin/metrics"))["planes"]


def grown(project, work) -> dict:
    """Returns the increase of the counts by `work`, without the request for metrics itself, which is counted after its
    response."""
    before = planes(project)
    work()
    after = planes(project)
    rise = {plane: {kind: after[plane][kind] - before[plane][kind] for kind in ("ok", "error")} for plane in PLANES}
    rise["admin"]["ok"] -= 1  # the first request for metrics
    return {plane: (counts["ok"], counts["error"]) for plane, counts in rise.items() if any(counts.values())}


def test_metrics(server, owner):
    project = owner.create_project()
    metrics = ok(project.admin.get("/admin/metrics"))
    assert set(metrics) == {"since", "planes"} and list(metrics["planes"]) == PLANES
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", metrics["since"])
    assert all(set(counts) == {"ok", "error"} for counts in metrics["planes"].values())
    assert ok(project.admin.get("/admin/metrics"))["since"] == metrics["since"]


def test_requests_count_as_their_plane_and_outcome(server, owner):
    project = owner.create_project()
    other = owner.create_project()
    things = project.collection()
    alice = project.end_user()
    nobody = Api(server, project=project.id)

    def work():
        ok(alice.get(f"/{things}"))
        ok(alice.post(f"/{things}", {"a": 1}), 201)
        refused(alice.get(f"/{things}/none"), 404)
        refused(alice.get("/unknown"), 404)
        refused(alice.get("/admin/users"), 403)
        refused(nobody.post("/auth/login", {"email": "x@example.com", "password": PASSWORD}), 401)
        ok(alice.get("/auth/sessions"))
        ok(project.admin.get("/admin/collections"))
        # Without a known project, or for another one.
        refused(nobody.get(f"/{things}"), 401)
        refused(nobody.get("/"), 404)
        ok(owner.get("/control/me"))
        ok(other.admin.get("/admin/collections"))

    assert grown(project, work) == {"auth": (1, 1), "data": (2, 2), "admin": (1, 1)}


def test_changes_of_the_configuration_keep_the_counts(server, owner):
    project = owner.create_project()
    ok(project.admin.get("/admin/collections"))
    before = ok(project.admin.get("/admin/metrics"))
    project.collection()
    project.role("data:*:read")
    after = ok(project.admin.get("/admin/metrics"))
    assert after["since"] == before["since"]
    # Collection, policy and role, and the previous request for metrics.
    assert after["planes"]["admin"]["ok"] == before["planes"]["admin"]["ok"] + 4


def test_nothing_is_lost_at_the_same_time(server, owner):
    project = owner.create_project()
    things = project.collection()
    alice = project.end_user()

    def work():
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            list(pool.map(lambda i: alice.get(f"/{things}" if i % 2 else f"/{things}/none"), range(200)))

    assert grown(project, work) == {"data": (100, 100)}


def test_who_may_ask(owner, project, alice):
    for path in ("/admin/metrics", "/admin/usage"):
        ok(project.member("Viewer").get(path))
        ok(project.member(project.role("ops:read")).get(path))
        ok(project.api_key("admin").get(path))
        refused(project.member(project.role("audit:read")).get(path), 403)
        refused(project.api_key("read").get(path), 403)
        refused(alice.get(path), 403)
        refused(owner.get(path), 401)


def test_usage_without_billing(project):
    assert ok(project.admin.get("/admin/usage")) == {"plan": None, "limits": None, "usage": None}
