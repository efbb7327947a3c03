"""`manybase billing`, `transfer` and `plans`: plans of users, who pays for a project, and what operators change."""

import csv
import io
from datetime import datetime, timedelta, timezone

import pytest

from support.billing import OPERATOR, usage
from support.bucket import Bucket
from support.client import ok
from support.commands import complains, done, result
from support.payment_provider import billing, plan, subscribe
from support.person import Person
from support.waiting import wait_until


@pytest.fixture(scope="module")
def server_settings(payments):
    return payments.settings(SERVICE_OPERATORS=OPERATOR, SERVICE_AUTH_RATE_LIMIT="1000/60")


@pytest.fixture(scope="module")
def operator(person):
    return person(OPERATOR)


@pytest.fixture
def payer(operator, person):
    """A person without special rights; the operator registered first."""
    return person()


def lines(text: str) -> dict[str, list[str]]:
    """The columns of each line, by the first of them."""
    return {line.split()[0]: line.split()[1:] for line in text.splitlines() if line.strip()}


def plans_of(operator) -> dict[str, dict]:
    return {one["slug"]: one for one in ok(operator.user.get("/control/admin/plans"))["plans"]}


# ---- your plan


def test_a_plan_and_what_it_is_used_for(payer, payments):
    shown = done(payer.run("billing", "show"))
    assert lines(shown)["plan"] == ["Free", "(free),", "0", "USD", "a", "month"]
    assert "subscription  none\n" in shown and "projects      none (at most 3)\n" in shown
    project = payer.user.create_project("Shop")
    Bucket(project).put("a.bin", b"x" * 2048)
    subscribe(payments, payer.user, "pro")
    shown = done(payer.run("billing", "show"))
    assert "plan          Pro (pro), 25 USD a month, by a subscription\n" in shown
    assert "subscription  active (pro), paid until 20" in shown and "projects      1 of 20\n" in shown
    assert lines(shown)["Shop"] == ["2.0", "KiB", "0", "0", "0", "0"]
    body = result(payer.run("billing", "show", "--json"))
    assert body == {"url": payer.server.url, "billing": True, **billing(payer.user)}


def test_the_use_of_a_project(payer, tmp_path):
    project = payer.user.create_project()
    Bucket(project).put("a.bin", b"x" * 1000)
    shown = done(payer.run("billing", "usage", "--project", project.slug))
    assert "plan                    free\n" in shown and "storageBytes            1000 B of 1.0 GiB\n" in shown
    done(payer.run("link", "--project", project.slug))
    body = result(payer.run("billing", "usage", "--json"))
    assert body["usage"] == usage(project) and body["plan"] == "free" and body["billing"] is True
    assert body["project"]["id"] == project.id and body["limits"]["storageBytes"] == 1 << 30
    # A key of the project is enough; one without the permission is not.
    given = {"MANYBASE_URL": payer.server.url, "MANYBASE_TOKEN": project.api_key("admin").token}
    assert result(payer.run("billing", "usage", "--json", cwd=tmp_path, **given))["usage"] == usage(project)
    given["MANYBASE_TOKEN"] = project.api_key("read").token
    complains(payer.run("billing", "usage", cwd=tmp_path, **given), "does not let you do this")
    given["MANYBASE_TOKEN"] = project.api_key("admin").token
    complains(payer.run("billing", "show", cwd=tmp_path, **given), "is not enough for this")


def test_paying(payer, payments):
    page = done(payer.run("billing", "checkout", "pro")).strip()
    assert page.startswith(payments.url + "/pay/cs_")
    body = result(payer.run("billing", "checkout", "pro", "--json"))
    assert set(body) == {"url", "page"} and body["page"].startswith(payments.url + "/pay/cs_")
    complains_with(payer.run("billing", "checkout", "gold"), "/plan")
    complains(payer.run("billing", "portal"), "")
    subscribe(payments, payer.user, "pro")
    assert done(payer.run("billing", "portal")).startswith(payments.url + "/pay/bps_")
    assert payer.run("billing", "checkout").returncode == 2


def complains_with(ran, path: str) -> None:
    """Checks a failure with a detail at `path` in a line of its own."""
    first, *more = ran.stderr.splitlines()
    assert ran.returncode == 1 and ran.stdout == "" and first.startswith("manybase: "), ran
    assert any(line.startswith(f"  {path}: ") for line in more), ran.stderr


def test_without_billing(make_server, person, tmp_path):
    server = make_server({"SERVICE_OPERATORS": OPERATOR}).start()
    one = Person(server, tmp_path / "one", OPERATOR).login()
    project = one.user.create_project()
    assert done(one.run("billing", "show")) == f"billing is off at {server.url}: nothing is limited\n"
    assert result(one.run("billing", "show", "--json")) == {"url": server.url, "billing": False}
    shown = done(one.run("billing", "usage", "--project", project.slug))
    assert shown == f"billing is off at {server.url}: nothing is limited\n"
    body = result(one.run("billing", "usage", "--project", project.slug, "--json"))
    assert body["billing"] is False and "usage" not in body
    complains(one.run("billing", "checkout", "pro"), "billing is")
    for command in (["list"], ["set", "pro", "--price", "3"], ["grant", OPERATOR, "pro"],
                    ["limits", one.user.id, "--clear"], ["costs", "--from", "2026-01-01", "--to", "2026-01-01"]):  # fmt: skip
        complains(one.run("plans", *command), f"billing is off at {server.url}")
    # Transfers do not need billing.
    assert "you pay for it" in done(one.run("transfer", "take", "--project", project.slug))
    other = make_server().start()
    two = Person(other, tmp_path / "two").login()
    complains(two.run("plans", "list"), "set SERVICE_OPERATORS")


# ---- transfers


@pytest.fixture
def owned(payer, person):
    """A project of a person, and a second Owner of it."""
    project = payer.user.create_project()
    second = person()
    ok(payer.user.post(f"/control/projects/{project.id}/members", {"email": second.email, "role": "Owner"}), 201)
    return project, second


def pays_for(person, project) -> bool:
    return project.id in [one["id"] for one in billing(person.user)["projects"]]


@pytest.mark.parametrize("named", ["email", "id"])
def test_a_project_changes_hands(payer, owned, named):
    project, second = owned
    user = second.email.upper() if named == "email" else second.user.id
    at = ("--project", project.slug)
    shown = done(payer.run("transfer", "offer", user, *at))
    assert shown.startswith(f"offered {project.slug} to {user}, who has 7 days") and pays_for(payer, project)
    done(second.run("transfer", "accept", *at))
    assert pays_for(second, project) and not pays_for(payer, project)
    complains(second.run("transfer", "accept", *at), f"there is no open offer of {project.slug} to you")


def test_an_offer_is_withdrawn(payer, owned):
    project, second = owned
    done(payer.run("link", "--project", project.slug))
    complains(payer.run("transfer", "withdraw"), "there is no open offer")
    body = result(payer.run("transfer", "offer", second.email, "--json"))
    assert body["userId"] == second.user.id and body["project"]["id"] == project.id
    done(payer.run("transfer", "withdraw"))
    complains(second.run("transfer", "accept", "--project", project.id), "there is no open offer")
    assert pays_for(payer, project)


def test_an_owner_takes_a_project(payer, owned):
    project, second = owned
    assert done(second.run("transfer", "take", "--project", project.slug)).startswith(f"took {project.slug}: you pay")
    assert pays_for(second, project)


def test_transfers_that_are_refused(payer, owned, person):
    project, second = owned
    at = ("--project", project.slug)
    stranger = person()
    complains(payer.run("transfer", "offer", stranger.email, *at), f"{stranger.email} is not a member of")
    complains_with(payer.run("transfer", "offer", stranger.user.id, *at), "/userId")
    for own in (payer.email, payer.user.id):
        complains(payer.run("transfer", "offer", own, *at), "`manybase transfer take`")
    complains(stranger.run("transfer", "accept", *at), "you have no project")
    project.member("Admin", stranger.user)
    complains(stranger.run("transfer", "take", *at), "this needs the role Owner")
    complains(stranger.run("transfer", "accept", *at), "there is no open offer")
    complains_with(payer.run("transfer", "offer", stranger.email, *at), "/userId")
    created = ok(payer.user.post(f"/control/projects/{project.id}/environments", {"environment": "staging"}), 201)
    staging = created["project"]["slug"]
    complains(payer.run("transfer", "offer", second.email, "--project", staging), "moves with its root project")
    assert pays_for(payer, project)
    for line in ("offer", "offer a b", "give x"):
        assert payer.run("transfer", *line.split(), *at).returncode == 2, line


def test_a_transfer_past_a_limit(payer, owned, operator):
    project, second = owned
    done(operator.run("plans", "limits", second.email, "maxProjects=0"))
    complains(second.run("transfer", "take", "--project", project.slug), "plan limit: maxProjects")
    assert pays_for(payer, project)


# ---- operators


def test_plans_are_listed_and_changed(operator):
    before = plans_of(operator)["scale"]
    shown = lines(done(operator.run("plans", "list")))
    assert shown["free"][:3] == ["Free", "0", "3"] and set(shown) == {"plan", "free", "pro", "scale"}
    assert result(operator.run("plans", "list", "--json"))["plans"] == list(plans_of(operator).values())
    try:
        change = ("--name", "Large", "--price", "249.5", "--grandfather", "on", "storageBytes=2TiB", "vectors=unlimited")
        assert done(operator.run("plans", "set", "scale", *change)) == "changed the plan scale\n"
        after = plans_of(operator)["scale"]
        assert (after["name"], after["priceUsdMonthly"], after["grandfather"]) == ("Large", 249.5, True)
        assert after["limits"] == {**before["limits"], "storageBytes": 2 << 40, "vectors": None}
    finally:
        limits = [f"{name}={value}" for name, value in before["limits"].items()]
        done(operator.run("plans", "set", "scale", "--name", before["name"], "--price", before["priceUsdMonthly"],
                          "--grandfather", "off", *limits))  # fmt: skip
    assert plans_of(operator)["scale"] == before
    complains(operator.run("plans", "set", "gold", "--price", "1"), "no such plan")


def test_a_plan_is_granted(operator, payer):
    assert done(operator.run("plans", "grant", payer.email, "pro")) == f"granted the plan pro to {payer.email}\n"
    assert plan(payer.user) == ("grant", "pro")
    assert ", granted by an operator\n" in done(payer.run("billing", "show"))
    body = result(operator.run("plans", "grant", payer.user.id, "free", "--json"))
    assert body == {"url": payer.server.url, "userId": payer.user.id}
    assert plan(payer.user) == ("free", "free")
    complains_with(operator.run("plans", "grant", payer.email, "gold"), "/plan")
    complains(operator.run("plans", "grant", "no@example.com", "pro"), "there is no user no@example.com")
    complains(operator.run("plans", "grant", "user_nothing", "pro"), "no such user")


def test_limits_are_pinned_and_cleared(operator, payer):
    line = ("maxProjects=50", "storageBytes=5GiB", "vectors=unlimited")
    shown = done(operator.run("plans", "limits", payer.email, *line))
    assert shown == f"pinned the limits of {payer.email}: maxProjects=50, storageBytes=5.0 GiB, vectors=unlimited\n"
    limits = billing(payer.user)["limits"]
    assert (limits["maxProjects"], limits["storageBytes"], limits["vectors"]) == (50, 5 << 30, None)
    # Those pinned before are replaced.
    done(operator.run("plans", "limits", payer.email, "vectors=7"))
    limits = billing(payer.user)["limits"]
    assert (limits["maxProjects"], limits["vectors"]) == (3, 7)
    done(operator.run("plans", "limits", payer.email, "--clear"))
    assert billing(payer.user)["limits"]["vectors"] == 50_000


def test_what_projects_cost(operator, payer):
    project = payer.user.create_project("=Shop, with a comma")
    now = datetime.now(timezone.utc).date()
    days = ("--from", str(now - timedelta(days=1)), "--to", str(now + timedelta(days=1)))
    # Readings are taken at each start.
    operator.server.stop()
    operator.server.start()

    def has_row() -> bool:
        return project.id in done(operator.run("plans", "costs", *days))

    wait_until(has_row, what="there are no costs of the project", interval=0.2)
    shown = done(operator.run("plans", "costs", *days))
    assert lines(shown)["project"] == ["name", "owner", "cost", "price"] and lines(shown)["total"][1] == "USD"
    assert payer.user.id in lines(shown)[project.id]
    report = ok(operator.user.get("/control/admin/costs", params={"from": days[1], "to": days[3]}))
    assert result(operator.run("plans", "costs", *days, "--json")) == {"url": payer.server.url, **report}
    rows = list(csv.DictReader(io.StringIO(done(operator.run("plans", "costs", *days, "--csv")))))
    assert len(rows) == len(report["projects"])
    assert [row["name"] for row in rows if row["id"] == project.id] == ["'=Shop, with a comma"]


WRONG = [
    ("set pro", "nothing to change"),
    ("set pro --price -1", "--price cannot be"),
    ("set pro --grandfather yes", "give on or off"),
    ("set pro vectors=-1", "vectors cannot be"),
    ("limits someone", "--clear"),
    ("limits someone --clear vectors=1", "--clear"),
    ("limits someone documents=1", 'there is no limit "documents"'),
    ("limits someone vectors=1.5", "vectors cannot be"),
    ("limits someone vectors=1 vectors=2", "given twice"),
    ("costs --from 2026-02-30 --to 2026-03-01", "--from cannot be"),
    ("costs --from 2026-03-02 --to 2026-03-01", "is after"),
    ("costs --from 2026-03-01 --to 2026-03-01 --csv --json", "--csv or --json"),
]


@pytest.mark.parametrize("line, message", WRONG)
def test_arguments_that_are_wrong(operator, payer, line, message):
    before = plans_of(operator), billing(payer.user)
    ran = operator.run("plans", *line.replace("someone", payer.email).split())
    assert ran.returncode == 2 and ran.stdout == "" and message in ran.stderr, ran
    assert (plans_of(operator), billing(payer.user)) == before


def test_only_operators(payer, operator):
    for line in ("list", "set pro --price 1", f"grant {payer.user.id} pro", f"limits {payer.user.id} vectors=1",
                 "costs --from 2026-01-01 --to 2026-01-02", f"grant {payer.email} pro"):  # fmt: skip
        ran = payer.run("plans", *line.split())
        assert ran.returncode == 1 and ran.stdout == "" and ran.stderr.startswith("manybase: "), ran
    assert plan(payer.user) == ("free", "free")
    # More days than a report has.
    complains(operator.run("plans", "costs", "--from", "2026-01-01", "--to", "2026-06-01"), "90")
