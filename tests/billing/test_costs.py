"""What projects cost, and the mails about limits of plans."""

import csv
import io
from datetime import timedelta

import pytest
from costs import COSTS, Readings, around_today, days_of_month, today

from support.bucket import Bucket
from support.client import Api, PlatformUser, ok, refused, unique
from support.mail import Outbox
from support.waiting import wait_until

DEFAULT_MODEL = {
    "currency": "USD",
    "unitCosts": {
        "storageGiBMonth": 0.025,
        "millionFunctionRuns": 0.4,
        "millionVectorsMonth": 2.5,
        "thousandConnectionHours": 0.05,
    },
    "margin": 0.2,
}


@pytest.fixture(scope="module")
def readings(server, operator) -> Readings:
    return Readings(server, operator)


@pytest.fixture
def cost_model(operator):
    """Sets the cost model; the test's end sets the first one again."""
    before = ok(operator.get("/control/admin/cost-model"))
    yield lambda model: ok(operator.put("/control/admin/cost-model", model), 204)
    ok(operator.put("/control/admin/cost-model", before), 204)


def cost_of(units: dict, model: dict) -> float:
    return sum(units[name] * model["unitCosts"][name] for name in units)


def test_a_project_costs_what_it_uses(server, readings, cost_model):
    cost_model(DEFAULT_MODEL)
    user = PlatformUser(server)
    project = user.create_project()
    Bucket(project).put("a.bin", b"x" * (8 << 20))
    row = readings.take(project.id)
    assert set(row) == {"id", "name", "ownerId", "units", "cost", "price"}
    assert row["name"] == project.wire["name"] and row["ownerId"] == user.id
    assert set(row["units"]) == set(DEFAULT_MODEL["unitCosts"])
    assert row["units"]["storageGiBMonth"] == pytest.approx(8 / 1024 / days_of_month(), abs=1e-8)
    assert row["units"]["millionFunctionRuns"] == 0 and row["units"]["thousandConnectionHours"] == 0
    assert row["cost"] == pytest.approx(cost_of(row["units"], DEFAULT_MODEL), abs=1e-6) and row["cost"] > 0
    assert row["price"] == pytest.approx(cost_of(row["units"], DEFAULT_MODEL) * 1.2, abs=1e-6)

    report = readings.report()
    assert set(report) == {"currency", "projects", "total"} and report["currency"] == "USD"
    assert report["total"] == pytest.approx(sum(row["price"] for row in report["projects"]), abs=1e-5)


def test_the_model_of_the_operators_decides(server, readings, cost_model):
    project = PlatformUser(server).create_project()
    Bucket(project).put("a.bin", b"x" * (1 << 20))
    units = readings.take(project.id)["units"]
    model = {"currency": "EUR", "unitCosts": {**DEFAULT_MODEL["unitCosts"], "storageGiBMonth": 1e6}, "margin": 1}
    cost_model(model)
    assert readings.report()["currency"] == "EUR"
    row = readings.row(project.id)
    assert row["units"] == units
    assert row["cost"] == pytest.approx(cost_of(units, model), abs=1e-6)
    assert row["price"] == pytest.approx(2 * row["cost"], abs=1e-5)


def test_a_deleted_project_stays(server, readings):
    user = PlatformUser(server)
    project = user.create_project()
    row = readings.take(project.id)
    ok(user.delete(f"/control/projects/{project.id}"), 204)
    assert readings.row(project.id) == row


def test_as_a_table(server, readings, operator):
    name = f'=1+1, "{unique()}"'
    project = PlatformUser(server).create_project(name)
    row = readings.take(project.id)
    for accept in ("text/csv", "text/csv;q=0.9, application/json;q=0.1", "Text/CSV"):
        response = operator.get(COSTS, params=around_today(), headers={"accept": accept})
        assert response.status_code == 200 and response.headers["content-type"].startswith("text/csv")
    assert "attachment" in response.headers["content-disposition"]
    assert response.text.endswith("\r\n")
    lines = list(csv.DictReader(io.StringIO(response.text, newline=""), strict=True))
    assert len(lines) == len(readings.report()["projects"])
    (line,) = [line for line in lines if line["id"] == project.id]
    assert line["name"] == "'" + name and line["ownerId"] == row["ownerId"] and line["currency"] == "USD"
    for unit, value in row["units"].items():
        assert float(line[unit]) == pytest.approx(value, abs=1e-9)
    assert float(line["cost"]) == row["cost"] and float(line["price"]) == row["price"]


def test_days_before_the_readings_cost_nothing(operator):
    days = {"from": str(today() - timedelta(days=60)), "to": str(today() - timedelta(days=30))}
    assert ok(operator.get(COSTS, params=days)) == {"currency": "USD", "projects": [], "total": 0}


def test_bad_days(operator):
    day = str(today())
    early = str(today() - timedelta(days=90))
    ok(operator.get(COSTS, params={"from": str(today() - timedelta(days=89)), "to": day}))
    for params in (
        {},
        {"from": day},
        {"to": day},
        {"from": day, "to": ""},
        {"from": "2026-02-30", "to": day},
        {"from": "yesterday", "to": day},
        {"from": f"{day}T00:00:00Z", "to": day},
        {"from": day, "to": str(today() - timedelta(days=1))},
        {"from": early, "to": day},
        {"from": day, "to": day, "project": "x"},
    ):
        refused(operator.get(COSTS, params=params), 400, "INVALID_PARAM")


def test_for_operators_only(server, operator):
    refused(PlatformUser(server).get(COSTS, params=around_today()), 403, "FORBIDDEN")
    refused(Api(server).get(COSTS, params=around_today()), 401, "UNAUTHENTICATED")


# ---- mails about limits


def limit_mails(server, user: PlatformUser) -> list:
    return [mail for mail in Outbox(server.data).mails if mail.to == user.email and "limit" in mail.subject]


def test_a_reached_limit_is_mailed_once_unless_turned_off(server, readings, operator):
    silent, told = PlatformUser(server), PlatformUser(server)
    for user in (silent, told):
        ok(operator.put(f"/control/admin/users/{user.id}/limits", {"limits": {"maxProjects": 1}}), 204)
        project = user.create_project()
    ok(silent.patch("/control/me", {"notifyLimits": False}), 204)
    readings.take(project.id)  # of told
    (mail,) = wait_until(lambda: limit_mails(server, told), what="no mail about the limit")
    assert mail.subject == "Your account has reached a limit at Manybase: projects"
    assert "uses 1 of the 1 that the plan Free allows" in mail.text and mail.link.startswith(server.url)
    later = PlatformUser(server).create_project()
    readings.take(later.id)
    assert len(limit_mails(server, told)) == 1 and limit_mails(server, silent) == []


def test_a_project_near_a_limit(server, readings, operator):
    user = PlatformUser(server)
    ok(operator.put(f"/control/admin/users/{user.id}/limits", {"limits": {"storageBytes": 1000}}), 204)
    project = user.create_project()
    Bucket(project).put("a.bin", b"x" * 850)
    readings.take(project.id)
    (mail,) = wait_until(lambda: limit_mails(server, user), what="no mail about the limit")
    assert mail.subject == f"{project.wire['name']} is close to a limit at Manybase: storage"
    assert "850 bytes of the 1000 bytes" in mail.text


def test_the_switch(server, operator):
    user = PlatformUser(server)
    assert ok(user.get("/control/me"))["notifyLimits"] is True
    for value in (False, False, True):
        ok(user.patch("/control/me", {"notifyLimits": value}), 204)
        assert ok(user.get("/control/me"))["notifyLimits"] is value
    ok(user.patch("/control/me", {}), 204)
    refused(user.patch("/control/me", {"notifyLimits": "no"}), 400, "VALIDATION", "/notifyLimits")
    refused(user.patch("/control/me", {"email": "x@example.com"}), 400, "VALIDATION", "/email")
    assert ok(user.get("/control/me"))["notifyLimits"] is True
