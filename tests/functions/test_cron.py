"""Functions on a schedule."""

import datetime
import time

import pytest

from support.client import PlatformUser, ok, refused
from support.function import Function
from support.waiting import SLOW

EACH_MINUTE = {"type": "cron", "schedule": "* * * * *"}


def until_the_minute_turns() -> None:
    """Waits unless at least 15 seconds are left of the minute, so that the test's steps fall into one minute."""
    second = time.time() % 60
    if second > 45:
        time.sleep(60.5 - second)


def wait(function: Function, count: int, seconds: float = 75) -> list:
    return function.logged(count, seconds)


@pytest.mark.parametrize("schedule", ["", "* * * *", "60 * * * *", "@yearly", "0 0 30 2 *", "x * * * *", "* * * * * *"])
def test_bad_schedules_are_refused(admin, schedule):
    body = {"name": "never", "trigger": {"type": "cron", "schedule": schedule}, "code": "export default () => 1;"}
    refused(admin.post("/admin/functions", body), 400, "VALIDATION")


@pytest.mark.parametrize("schedule", ["*/5 * * * *", "0 9-17 * * mon-fri", "@hourly", "@daily", "@weekly", "@monthly"])
def test_good_schedules_are_taken(project, schedule):
    made = Function(project, "return 1;", {"type": "cron", "schedule": schedule}, enabled=False)
    assert made.made["trigger"] == {"type": "cron", "schedule": schedule}


@pytest.mark.parametrize("timezone", ["", "Nowhere/Land", "+02:00", "europe/zurich", "Europe", "../UTC", 7, None, {}])
def test_unknown_time_zones_are_refused(admin, timezone):
    trigger = {"type": "cron", "schedule": "@daily", "timezone": timezone}
    body = {"name": "never", "trigger": trigger, "code": "export default () => 1;"}
    refused(admin.post("/admin/functions", body), 400, "VALIDATION", "/trigger/timezone")


def test_a_time_zone_is_part_of_the_trigger(project, admin):
    for timezone in ("Europe/Zurich", "America/Argentina/Buenos_Aires", "UTC"):
        trigger = {"timezone": timezone, "schedule": "30 2 * * *", "type": "cron"}
        made = Function(project, "return 1;", trigger, enabled=False)
        assert made.made["trigger"] == trigger and list(made.made["trigger"]) == ["type", "schedule", "timezone"]
        assert ok(admin.get(f"{made.route}/versions/1"))["version"]["trigger"] == trigger
    made.patch(trigger={"type": "cron", "schedule": "30 2 * * *"})
    assert "timezone" not in ok(admin.get(made.route))["function"]["trigger"]
    refused(admin.patch(made.route, {"trigger": {**trigger, "timezone": "x"}}), 400, "VALIDATION", "/trigger/timezone")
    other = {"type": "auth", "event": "userCreated", "timezone": "UTC"}
    refused(admin.patch(made.route, {"trigger": other}), 400, "VALIDATION", "/trigger/timezone")


@pytest.mark.long(run="waits")
@pytest.mark.timeout(300)
def test_fires_at_the_minute_with_its_event(project):
    until_the_minute_turns()
    function = Function(project, "return [event, event.scheduledAt instanceof Date];", EACH_MINUTE)
    there = Function(project, "return event;", {**EACH_MINUTE, "timezone": "Asia/Kathmandu"})
    off = Function(project, "return 1;", EACH_MINUTE)
    off.patch(enabled=False)
    (run,) = wait(function, 1)
    event, is_date = run["result"]
    assert run["trigger"] == "cron" and is_date is True
    assert (event["type"], event["schedule"]) == ("cron", "* * * * *")
    at = datetime.datetime.fromisoformat(event["scheduledAt"])
    started = datetime.datetime.fromisoformat(run["startedAt"])
    assert at.second == 0 and 0 <= (started - at).total_seconds() < 5 * SLOW
    assert off.runs() == []
    assert wait(there, 1)[-1]["result"]["scheduledAt"] == event["scheduledAt"]


@pytest.mark.long(run="waits")
@pytest.mark.timeout(300)
def test_a_fire_that_was_missed_runs_once_at_start(make_server):
    server = make_server().start()
    project = PlatformUser(server).create_project()
    project.admin.token = project.api_key("admin").token
    until_the_minute_turns()
    function = Function(project, "return event.scheduledAt;", EACH_MINUTE)
    server.kill()
    time.sleep(61)
    server.start()
    missed = wait(function, 1, 15)[-1]
    at = datetime.datetime.fromisoformat(missed["result"])
    started = datetime.datetime.fromisoformat(missed["startedAt"])
    assert 0 <= (started - at).total_seconds() < 61
    server.stop()
    server.start()
    fires = [run["result"] for run in function.runs()]
    assert len(fires) == len(set(fires))


@pytest.mark.long(run="waits")
@pytest.mark.timeout(300)
def test_a_suspended_project_and_a_deleted_function_do_not_run(owner):
    project = owner.create_project()
    until_the_minute_turns()
    kept = Function(project, "return event.scheduledAt;", EACH_MINUTE)
    gone = Function(project, "return 1;", EACH_MINUTE)
    gone.delete()
    ok(owner.post(f"/control/projects/{project.id}/suspend"), 204)
    time.sleep(62 - time.time() % 60)
    resumed = datetime.datetime.now(datetime.timezone.utc)
    ok(owner.post(f"/control/projects/{project.id}/resume"), 204)
    (run,) = wait(kept, 1)
    assert datetime.datetime.fromisoformat(run["result"]) > resumed
