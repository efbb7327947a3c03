"""Plans: what operators change, and what users read of them."""

import pytest

from support.bucket import Bucket
from support.client import Api, PlatformUser, ok, refused
from support.function import http_function
from support.realtime import Live
from support.waiting import wait_until

PLANS = "/control/admin/plans"
COSTS = "/control/admin/cost-model"
FREE = {
    "maxProjects": 3,
    "storageBytes": 1 << 30,
    "functionRunsPerMonth": 100_000,
    "vectors": 50_000,
    "realtimeConnections": 100,
    "environmentsPerProject": 2,
}
PRO = {
    "maxProjects": 20,
    "storageBytes": 50 << 30,
    "functionRunsPerMonth": 5_000_000,
    "vectors": 1_000_000,
    "realtimeConnections": 5_000,
    "environmentsPerProject": 5,
}
USAGE = {"storageBytes", "functionRuns", "vectors", "realtimeConnections", "projects", "environments"}
UNKNOWN = "user_00000000000000000000"


def grant(operator, user, plan: str) -> None:
    ok(operator.post(f"/control/admin/users/{user.id}/plan", {"plan": plan}), 204)


def pin(operator, user, **limits) -> None:
    ok(operator.put(f"/control/admin/users/{user.id}/limits", {"limits": limits}), 204)


def usage(project) -> dict:
    return ok(project.admin.get("/admin/usage"))


def plan_of(api: Api, slug: str) -> dict:
    return next(plan for plan in ok(api.get(PLANS))["plans"] if plan["slug"] == slug)


@pytest.fixture
def restored(operator):
    """Sets the plans back as they were."""
    before = ok(operator.get(PLANS))["plans"]
    yield
    for plan in before:
        change = {name: plan[name] for name in ("name", "priceUsdMonthly", "limits")}
        ok(operator.patch(f"{PLANS}/{plan['slug']}", {**change, "grandfather": False}), 204)


# ---- reading


def test_setup_status_says_so(operator):
    assert ok(operator.get("/control/setup-status"))["billingEnabled"] is True


def test_a_new_user_has_the_plan_free(user):
    billing = ok(user.get("/control/billing"))
    assert set(billing) == {"plan", "limits", "subscription", "source", "projects", "plans"}
    assert billing["plan"] == {"slug": "free", "name": "Free", "priceUsdMonthly": 0}
    assert (billing["limits"], billing["source"]) == (FREE, "free")
    assert billing["subscription"] is None and billing["projects"] == []
    assert [plan["slug"] for plan in billing["plans"]] == ["free", "pro", "scale"]
    assert all(set(plan) == {"slug", "name", "priceUsdMonthly", "limits"} for plan in billing["plans"])
    assert [plan["priceUsdMonthly"] for plan in billing["plans"]] == [0, 25, 199]
    assert billing["plans"][1]["limits"] == PRO
    assert ok(user.get("/control/me"))["user"]["plan"] == "free"


def test_billing_has_the_projects_that_the_user_pays_for(user):
    project = user.create_project("Shop")
    staging = ok(user.post(f"/control/projects/{project.id}/environments", {"environment": "staging"}), 201)["project"]
    project.member("Owner", other := PlatformUser(user.server))
    projects = ok(user.get("/control/billing"))["projects"]
    assert [(each["id"], each["name"]) for each in projects] == [
        (project.id, "Shop"),
        (staging["id"], "Shop (staging)"),
    ]
    assert all(set(each) == {"id", "name", "usage"} and set(each["usage"]) == USAGE for each in projects)
    assert [(each["usage"]["projects"], each["usage"]["environments"]) for each in projects] == [(1, 1), (1, 1)]
    assert ok(other.get("/control/billing"))["projects"] == []
    # A payer who is no Owner any more pays for nothing.
    ok(other.patch(f"/control/projects/{project.id}/members/{user.id}", {"role": "Editor"}), 204)
    assert ok(user.get("/control/billing"))["projects"] == []


def test_usage_of_a_project(user):
    project = user.create_project()
    empty = usage(project)
    assert (empty["plan"], empty["limits"]) == ("free", FREE)
    assert empty["usage"] == {name: 1 if name == "projects" else 0 for name in USAGE}
    bucket = Bucket(project)
    ok(bucket.put("a", b"x" * 1000), 201)
    ok(bucket.put("b", b"x" * 500), 201)
    http_function(project, "return 1;").invoke()
    with Live(user.server, project.admin.token):
        used = usage(project)["usage"]
        assert (used["storageBytes"], used["functionRuns"], used["realtimeConnections"]) == (1500, 1, 1)
    ok(bucket.delete("a"), 204)
    assert usage(project)["usage"]["storageBytes"] == 500
    wait_until(lambda: usage(project)["usage"]["realtimeConnections"] == 0)
    assert ok(user.get("/control/billing"))["projects"][0]["usage"]["storageBytes"] == 500


def test_who_may_read(user):
    project = user.create_project()
    ok(project.member("Viewer").get("/admin/usage"))
    refused(project.end_user().get("/admin/usage"), 403, "FORBIDDEN")
    refused(Api(user.server).get("/control/billing"), 401, "UNAUTHENTICATED")
    refused(project.admin.get("/control/billing"), 401, "UNAUTHENTICATED")


# ---- plans of users


def test_a_grant_is_in_force_at_once(operator, user):
    project = user.create_project()
    staging = ok(user.post(f"/control/projects/{project.id}/environments", {"environment": "staging"}), 201)["project"]
    grant(operator, user, "pro")
    billing = ok(user.get("/control/billing"))
    assert (billing["plan"]["slug"], billing["source"], billing["limits"]) == ("pro", "grant", PRO)
    assert (usage(project)["plan"], usage(project)["limits"]) == ("pro", PRO)
    assert ok(user.exchange(staging["id"]).get("/admin/usage"))["plan"] == "pro"
    assert ok(user.get("/control/me"))["user"]["plan"] == "pro"
    users = ok(operator.get("/control/admin/users", params={"limit": 1000}))["users"]
    assert {each["id"]: each["plan"] for each in users}[user.id] == "pro"
    grant(operator, user, "free")
    billing = ok(user.get("/control/billing"))
    assert (billing["plan"]["slug"], billing["source"], billing["limits"]) == ("free", "free", FREE)
    assert usage(project)["limits"] == FREE


def test_pinned_limits_come_before_those_of_the_plan(operator, user):
    project = user.create_project()
    pin(operator, user, maxProjects=7, vectors=None)
    assert usage(project)["limits"] == {**FREE, "maxProjects": 7, "vectors": None}
    grant(operator, user, "pro")
    assert usage(project)["limits"] == {**PRO, "maxProjects": 7, "vectors": None}
    pin(operator, user, storageBytes=0)
    assert usage(project)["limits"] == {**PRO, "storageBytes": 0}
    assert ok(user.get("/control/billing"))["limits"] == {**PRO, "storageBytes": 0}
    for _ in range(2):
        ok(operator.delete(f"/control/admin/users/{user.id}/limits"), 204)
        assert usage(project)["limits"] == PRO


def test_a_project_whose_payer_left_has_the_limits_of_free(operator, user):
    project = user.create_project()
    grant(operator, user, "scale")
    pin(operator, user, maxProjects=None)
    project.member("Owner", other := PlatformUser(user.server))
    assert usage(project)["plan"] == "scale"
    ok(other.delete(f"/control/projects/{project.id}/members/{user.id}"), 204)
    left = ok(other.exchange(project.id).get("/admin/usage"))
    assert (left["plan"], left["limits"]) == ("free", FREE)


# ---- the catalogue


def test_a_change_of_a_plan_is_seen_by_every_holder(operator, user, restored):
    project = user.create_project()
    grant(operator, user, "pro")
    change = {"name": "Professional", "priceUsdMonthly": 29.5, "limits": {"vectors": 5, "maxProjects": None}}
    assert ok(operator.patch(f"{PLANS}/pro", change), 204) is None
    changed = {**PRO, "vectors": 5, "maxProjects": None}
    wanted = {
        "slug": "pro",
        "name": "Professional",
        "priceUsdMonthly": 29.5,
        "limits": changed,
        "grandfather": False,
    }
    assert plan_of(operator, "pro") == wanted
    assert usage(project)["limits"] == changed
    billing = ok(user.get("/control/billing"))
    assert billing["plan"] == {"slug": "pro", "name": "Professional", "priceUsdMonthly": 29.5}
    assert billing["plans"][1]["limits"] == changed


def test_plans_are_in_ascending_price(operator, restored):
    ok(operator.patch(f"{PLANS}/pro", {"priceUsdMonthly": 500}), 204)
    assert [plan["slug"] for plan in ok(operator.get(PLANS))["plans"]] == ["free", "scale", "pro"]


def test_present_holders_keep_their_limits(operator, user, restored):
    project = user.create_project()
    payer = PlatformUser(user.server)
    grant(operator, payer, "pro")
    for slug in ("free", "pro"):
        ok(operator.patch(f"{PLANS}/{slug}", {"limits": {"maxProjects": 1}, "grandfather": True}), 204)
    assert plan_of(operator, "free")["grandfather"] is True
    assert usage(project)["limits"] == FREE
    assert ok(payer.get("/control/billing"))["limits"] == PRO
    late = PlatformUser(user.server)
    assert ok(late.get("/control/billing"))["limits"] == {**FREE, "maxProjects": 1}
    grant(operator, late, "pro")
    assert ok(late.get("/control/billing"))["limits"] == {**PRO, "maxProjects": 1}
    # Who holds the plan since between two changes keeps what it was then.
    ok(operator.patch(f"{PLANS}/free", {"limits": {"maxProjects": 2}}), 204)
    later = PlatformUser(user.server)
    assert usage(project)["limits"]["maxProjects"] == 3
    assert ok(later.get("/control/billing"))["limits"]["maxProjects"] == 2
    # A plan that begins again is another holding of it.
    grant(operator, payer, "free")
    grant(operator, payer, "pro")
    assert ok(payer.get("/control/billing"))["limits"] == {**PRO, "maxProjects": 1}
    # Without it all have the present limits.
    ok(operator.patch(f"{PLANS}/free", {"grandfather": False}), 204)
    assert usage(project)["limits"] == {**FREE, "maxProjects": 2}


# ---- the cost model


def test_the_cost_model(operator):
    model = ok(operator.get(COSTS))
    assert set(model) == {"currency", "unitCosts", "margin"} and model["currency"] == "USD"
    units = {"storageGiBMonth", "millionFunctionRuns", "millionVectorsMonth", "thousandConnectionHours"}
    assert set(model["unitCosts"]) == units and all(cost > 0 for cost in model["unitCosts"].values())
    other = {"currency": "EUR", "unitCosts": dict.fromkeys(units, 0.5), "margin": 0}
    assert ok(operator.put(COSTS, other), 204) is None
    assert ok(operator.get(COSTS)) == other
    ok(operator.put(COSTS, model), 204)


# ---- who, and bad input

ROUTES = [
    ("POST", f"/control/admin/users/{UNKNOWN}/plan", {"plan": "pro"}),
    ("PUT", f"/control/admin/users/{UNKNOWN}/limits", {"limits": {"vectors": 1}}),
    ("DELETE", f"/control/admin/users/{UNKNOWN}/limits", None),
    ("GET", PLANS, None),
    ("PATCH", f"{PLANS}/pro", {"priceUsdMonthly": 1}),
    ("GET", COSTS, None),
    ("PUT", COSTS, {"currency": "USD", "unitCosts": {}, "margin": 0}),
]


@pytest.mark.parametrize("method, path, body", ROUTES, ids=lambda part: str(part))
def test_operators_only(operator, user, method, path, body):
    more = {} if body is None else {"json": body}
    before = ok(operator.get(PLANS))
    refused(user.call(method, path, **more), 403, "FORBIDDEN")
    refused(Api(user.server).call(method, path, **more), 401, "UNAUTHENTICATED")
    refused(user.create_project().admin.call(method, path, **more), 401, "UNAUTHENTICATED")
    assert ok(operator.get(PLANS)) == before


def test_operator_routes_are_closed_without_the_setting(make_server, server_settings):
    server = make_server({**server_settings, "SERVICE_OPERATORS": None}).start()
    first = PlatformUser(server)
    for method, path, body in ROUTES:
        refused(first.call(method, path, **({} if body is None else {"json": body})), 404, "NOT_FOUND")
    assert ok(first.get("/control/billing"))["plan"]["slug"] == "free"


@pytest.mark.parametrize(
    "body, path",
    [
        ({"plan": "gold"}, "/plan"),
        ({"plan": ""}, "/plan"),
        ({"plan": "PRO"}, "/plan"),
        ({"plan": 5}, "/plan"),
        ({}, "/plan"),
        ({"plan": "pro", "until": 1}, "/until"),
    ],
)
def test_bad_grants(operator, user, body, path):
    refused(operator.post(f"/control/admin/users/{user.id}/plan", body), 400, "VALIDATION", path)
    assert ok(user.get("/control/billing"))["source"] == "free"


@pytest.mark.parametrize(
    "limits, path",
    [
        ({"maxProjects": -1}, "/limits/maxProjects"),
        ({"maxProjects": 1.5}, "/limits/maxProjects"),
        ({"maxProjects": "7"}, "/limits/maxProjects"),
        ({"maxProjects": True}, "/limits/maxProjects"),
        ({"maxProjects": [1]}, "/limits/maxProjects"),
        ({"vectors": 1 << 53}, "/limits/vectors"),
        ({"vectors": 10**30}, "/limits/vectors"),
        ({"vectors": 1, "projects": 1}, "/limits/projects"),
        ([], "/limits"),
        ("none", "/limits"),
        (None, "/limits"),
    ],
)
def test_bad_limits(operator, user, limits, path):
    refused(operator.put(f"/control/admin/users/{user.id}/limits", {"limits": limits}), 400, "VALIDATION", path)
    before = plan_of(operator, "pro")
    if limits is not None:  # in a patch null is absent
        refused(operator.patch(f"{PLANS}/pro", {"limits": limits}), 400, "VALIDATION", path)
    assert plan_of(operator, "pro") == before
    assert ok(user.get("/control/billing"))["limits"] == FREE


@pytest.mark.parametrize(
    "body, path",
    [
        ({"name": ""}, "/name"),
        ({"name": "x" * 101}, "/name"),
        ({"name": "a\nb"}, "/name"),
        ({"name": 1}, "/name"),
        ({"priceUsdMonthly": -0.01}, "/priceUsdMonthly"),
        ({"priceUsdMonthly": "25"}, "/priceUsdMonthly"),
        ({"priceUsdMonthly": 1e300}, "/priceUsdMonthly"),
        ({"grandfather": "yes"}, "/grandfather"),
        ({"slug": "other"}, "/slug"),
    ],
)
def test_bad_changes_of_a_plan(operator, body, path):
    before = ok(operator.get(PLANS))
    refused(operator.patch(f"{PLANS}/pro", body), 400, "VALIDATION", path)
    assert ok(operator.get(PLANS)) == before


def test_what_does_not_exist(operator):
    for id in (UNKNOWN, "nobody", "%00", "user_" + "x" * 5000, "a%2fb"):
        refused(operator.post(f"/control/admin/users/{id}/plan", {"plan": "pro"}), 404, "NOT_FOUND")
        refused(operator.put(f"/control/admin/users/{id}/limits", {"limits": {"vectors": 1}}), 404, "NOT_FOUND")
        refused(operator.delete(f"/control/admin/users/{id}/limits"), 404, "NOT_FOUND")
    for slug in ("gold", "Pro", "%00", "x" * 5000):
        refused(operator.patch(f"{PLANS}/{slug}", {"priceUsdMonthly": 1}), 404, "NOT_FOUND")


@pytest.mark.parametrize(
    "change, path",
    [
        ({"currency": "usd"}, "/currency"),
        ({"currency": "EURO"}, "/currency"),
        ({"margin": -0.1}, "/margin"),
        ({"margin": "0.1"}, "/margin"),
        ({"unitCosts": {}}, "/unitCosts/storageGiBMonth"),
        ({"total": 1}, "/total"),
        ({"storageGiBMonth": -1}, "/unitCosts/storageGiBMonth"),
        ({"millionFunctionRuns": 1e300}, "/unitCosts/millionFunctionRuns"),
        ({"millionVectorsMonth": None}, "/unitCosts/millionVectorsMonth"),
        ({"gigabytes": 1}, "/unitCosts/gigabytes"),
    ],
)
def test_bad_cost_models(operator, change, path):
    before = ok(operator.get(COSTS))
    body = {**before, "unitCosts": dict(before["unitCosts"])}
    (name, value) = next(iter(change.items()))
    (body["unitCosts"] if path.endswith("/" + name) and path.count("/") == 2 else body)[name] = value
    refused(operator.put(COSTS, body), 400, "VALIDATION", path)
    assert ok(operator.get(COSTS)) == before


def test_numbers_that_are_not_finite(operator):
    for text in ('{"priceUsdMonthly": 1e999}', '{"priceUsdMonthly": NaN}', '{"limits": {"vectors": 1e999}}'):
        answer = operator.patch(f"{PLANS}/pro", content=text, headers={"content-type": "application/json"})
        assert answer.status_code == 400, answer.text


# ---- the audit record


def test_changes_are_audited(operator, user, restored):
    def entries(target: str) -> list:
        return ok(operator.get("/control/audit", params={"target": target, "limit": 100}))["entries"]

    grant(operator, user, "pro")
    grant(operator, user, "pro")  # changes nothing
    pin(operator, user, vectors=None)
    ok(operator.delete(f"/control/admin/users/{user.id}/limits"), 204)
    found = entries(f"users/{user.id}")
    actions = [entry["action"] for entry in reversed(found)]
    assert [action for action in actions if action.startswith(("plan.", "limits."))] == [
        "plan.granted",
        "limits.pinned",
        "limits.cleared",
    ]
    granted = next(entry for entry in found if entry["action"] == "plan.granted")
    assert granted["details"] == {"plan": "pro"} and granted["actor"]["email"] == operator.email
    ok(operator.patch(f"{PLANS}/scale", {"priceUsdMonthly": 210}), 204)
    assert entries("plans/scale")[0]["details"] == {"priceUsdMonthly": 210}
    model = ok(operator.get(COSTS))
    ok(operator.put(COSTS, model), 204)
    assert entries("cost-model")[0]["details"] == model


# ---- restarts


def test_plans_survive_a_restart(make_server, server_settings):
    server = make_server(server_settings).start()
    operator = PlatformUser(server, server_settings["SERVICE_OPERATORS"])
    user = PlatformUser(server)
    project = user.create_project()
    grant(operator, user, "pro")
    pin(operator, user, vectors=9)
    ok(operator.patch(f"{PLANS}/pro", {"limits": {"maxProjects": 1}, "grandfather": True}), 204)
    server.kill()
    server.start()
    assert usage(project)["limits"] == {**PRO, "vectors": 9}
    assert plan_of(operator, "pro")["limits"]["maxProjects"] == 1


def test_without_billing_nothing_is_limited_afterwards(make_server, server_settings):
    server = make_server(server_settings).start()
    operator = PlatformUser(server, server_settings["SERVICE_OPERATORS"])
    project = operator.create_project()
    assert usage(project)["plan"] == "free"
    server.stop()
    server.settings["SERVICE_BILLING"] = "off"
    server.start()
    assert usage(project) == {"plan": None, "limits": None, "usage": None}
    refused(operator.get("/control/billing"), 404, "NOT_FOUND")
