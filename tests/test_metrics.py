"""Requests counted by plane, and usage without metering."""

import concurrent.futures
import re
from datetime import datetime, timedelta, timezone

import pytest

from support.client import PASSWORD, Api, PlatformUser, ok, refused
from support.function import http_function
from support.realtime import Live
from support.server import Server

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
    for path in ("/admin/metrics", "/admin/metrics/series", "/admin/usage"):
        ok(project.member("Viewer").get(path))
        ok(project.member(project.role("ops:read")).get(path))
        ok(project.api_key("admin").get(path))
        refused(project.member(project.role("audit:read")).get(path), 403)
        refused(project.api_key("read").get(path), 403)
        refused(alice.get(path), 403)
        refused(owner.get(path), 401)


def test_usage_without_billing(project):
    assert ok(project.admin.get("/admin/usage")) == {"plan": None, "limits": None, "usage": None}


WINDOWS = {"1h": (60, 60), "24h": (900, 96), "7d": (3600, 168)}


def series(api, window: str) -> dict:
    return ok(api.get("/admin/metrics/series", params={"window": window}))


def total(points: list) -> int:
    return sum(point or 0 for point in points)


@pytest.mark.parametrize("window", WINDOWS)
def test_a_series_ends_now(project, window):
    step, count = WINDOWS[window]
    found = series(project.admin, window)
    assert set(found) == {"from", "stepSeconds", "planes", "sockets", "functionRuns"} and found["stepSeconds"] == step
    assert list(found["planes"]) == PLANES
    lists = [found["sockets"], found["functionRuns"], *(points for each in found["planes"].values() for points in each.values())]
    assert all(len(points) == count for points in lists)
    # All have their gaps in the same steps: the server has run for a few minutes at most.
    assert len({tuple(point is None for point in points) for points in lists}) == 1
    assert lists[0][0] is None and lists[0][-1] is not None
    start = datetime.fromisoformat(found["from"])
    end = start + timedelta(seconds=step * count)
    assert start.timestamp() % step == 0
    assert timedelta(0) < end - datetime.now(timezone.utc) + timedelta(seconds=5) and end - datetime.now(timezone.utc) < timedelta(seconds=step + 5)


def test_a_series_counts_like_metrics(server, owner):
    project = owner.create_project()
    things = project.collection()
    alice = project.end_user()
    function = http_function(project, "return 1;")
    for _ in range(3):
        ok(alice.get(f"/{things}"))
        function.invoke()
    refused(alice.get(f"/{things}/none"), 404)
    with Live(server, alice.token):
        counted = planes(project)
        for window in WINDOWS:
            found = series(project.admin, window)
            for plane in PLANES:
                more = found["planes"][plane]
                # Requests of the admin plane are those of this test, too.
                slack = 4 if plane == "admin" else 0
                assert counted[plane]["ok"] <= total(more["ok"]) <= counted[plane]["ok"] + slack, (window, plane)
                assert total(more["error"]) == counted[plane]["error"], (window, plane)
            assert total(found["functionRuns"]) == 3
            assert max(point or 0 for point in found["sockets"]) == 1


@pytest.mark.parametrize("window", ["", "2h", "1H", "60", "7d ", "null"])
def test_other_windows_are_refused(project, window):
    refused(project.admin.get("/admin/metrics/series", params={"window": window}), 400, "INVALID_PARAM")


def test_bad_queries_of_a_series(project):
    refused(project.admin.get("/admin/metrics/series", params={"step": "60"}), 400, "INVALID_PARAM")
    refused(project.admin.post("/admin/metrics/series", {}), 405)
    assert ok(project.admin.get("/admin/metrics/series"))["stepSeconds"] == 60


def test_days_and_weeks_survive_a_restart(tmp_path):
    server = Server(tmp_path / "server").start()
    try:
        project = PlatformUser(server).create_project()
        things = project.collection()
        alice = project.end_user()
        for _ in range(5):
            ok(alice.get(f"/{things}"))
        server.stop()
        server.start()
        for _ in range(2):
            ok(alice.get(f"/{things}"))
        for window in ("24h", "7d"):
            assert total(series(project.admin, window)["planes"]["data"]["ok"]) == 7
        assert total(series(project.admin, "1h")["planes"]["data"]["ok"]) == 2
    finally:
        server.stop()
