"""Suspended projects: queued work waits and is done after the resume, and other projects are served during the
suspension."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from support.client import PlatformUser, ok, refused
from support.function import database_function
from support.hook import Hook
from support.mail import MailCatcher
from support.vectors import Space
from support.waiting import SLOW, wait_until

# More than the queue buffers in memory of one kind of job.
BACKLOG = 1100


@pytest.fixture(scope="module")
def mailbox(tmp_path_factory):
    with MailCatcher(tmp_path_factory.mktemp("mail")) as catcher:
        yield catcher


@pytest.fixture(scope="module")
def settings(embeddings, mailbox):
    return {"SERVICE_OUTBOUND_ALLOW": "127.0.0.1", **embeddings.settings(), **mailbox.settings}


@pytest.fixture(scope="module")
def server_settings(settings):
    return settings


def suspend(project) -> None:
    ok(project.owner.post(f"/control/projects/{project.id}/suspend"), 204)


def resume(project) -> None:
    ok(project.owner.post(f"/control/projects/{project.id}/resume"), 204)


class Gate:
    """A response of a receiver that waits until it is opened. A delivery that it holds for longer than the server
    waits is retried: `held` has the numbers of the held deliveries, which may arrive more than once."""

    def __init__(self, status: int = 200):
        self.opened = threading.Event()
        self.status = status
        self.held = set()

    def __call__(self, seen) -> int:
        if not self.opened.is_set():
            self.held.add(seen.body["document"]["n"])
            assert self.opened.wait(120 * SLOW), "the test has not opened its gate"
        return self.status


def numbers(hook) -> list:
    return [each.body["document"]["n"] for each in hook.receiver.at(hook.path)]


def test_deliveries_wait_and_arrive_exactly_once(owner, receiver):
    project, other = owner.create_project(), owner.create_project()
    hook, others = Hook(project, receiver), Hook(other, receiver)
    gate = Gate()
    hook.answer(gate)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: hook.insert(n=n), range(BACKLOG)))
    suspend(project)
    refused(project.admin.get(hook.route), 403, "PROJECT_SUSPENDED")
    gate.opened.set()
    sent = settled(hook, others)
    assert len(set(sent)) < BACKLOG - 1024
    for n in range(50):
        others.insert(n=n)
    others.arrived(60)
    assert numbers(hook) == sent, "a delivery of a suspended project"
    resume(project)
    all_arrive_once(hook, gate, BACKLOG)
    assert {entry["status"] for entry in hook.logged(50)} == {"delivered"}
    hook.insert(n=BACKLOG)
    all_arrive_once(hook, gate, BACKLOG + 1)


def settled(hook, others) -> list:
    """Returns the arrivals of the hook, once the deliveries in progress at the suspension of its project have ended."""
    for n in range(10):
        others.insert(n=n)
    others.arrived(10)
    return numbers(hook)


def all_arrive_once(hook, gate: Gate, count: int) -> None:
    wait_until(lambda: set(numbers(hook)) == set(range(count)), 60)
    times = Counter(numbers(hook))
    assert not {n for n in times if times[n] > 1 and n not in gate.held}


def test_changes_of_a_document_arrive_in_order(owner, receiver):
    project = owner.create_project()
    hook = Hook(project, receiver)
    gate = Gate()
    hook.answer(gate, 200)
    made = hook.insert(n=0)
    hook.arrived(1)
    for n in range(1, 20):
        ok(project.admin.patch(hook.documents(made["id"]), {"n": n}))
    suspend(project)
    gate.opened.set()
    resume(project)
    all_arrive_once(hook, gate, 20)
    assert list(dict.fromkeys(numbers(hook))) == list(range(20))


@pytest.mark.slow
def test_a_retry_waits_and_no_attempt_is_lost(owner, receiver):
    """At the suspension of the project one delivery has failed and another one is in progress, and then fails."""
    project, other = owner.create_project(), owner.create_project()
    failed, underway, clock = Hook(project, receiver), Hook(project, receiver), Hook(other, receiver)
    gate = Gate(status=500)
    underway.answer(gate, 500)
    failed.answer(500)
    clock.answer(500)
    underway.insert(n=1)
    underway.arrived(1)
    failed.insert(n=1)
    failed.arrived(1)
    suspend(project)
    gate.opened.set()
    # The attempts of this delivery take as long as those of the suspended project would have.
    clock.insert(n=1)
    assert clock.logged(1)[0]["attempts"] == 3
    attempts = {hook: len(hook.receiver.at(hook.path)) for hook in (failed, underway)}
    assert all(1 <= each < 3 for each in attempts.values()), attempts
    for hook in (failed, underway):
        hook.answer(200)
    resume(project)
    for hook in (failed, underway):
        (entry,) = hook.logged(1)
        assert (entry["status"], entry["attempts"]) == ("delivered", attempts[hook] + 1)


def test_runs_wait_and_none_is_skipped(owner):
    """No run of the project ends before its suspension: each waits for a document that is created after the resume."""
    project, other = owner.create_project(), owner.create_project()
    gates = project.collection()
    wait = f"while (await ctx.db.count('{gates}') === 0) await new Promise(resolve => setTimeout(resolve, 50));"
    functions = {}
    for each, before in ((project, wait), (other, "")):
        marks, things = each.collection(), each.collection()
        code = before + f"await ctx.db.insertOne('{marks}', {{ n: event.document.n }});"
        functions[each] = (database_function(each, things, code, timeoutMs=60_000), things, marks)

    def insert(each, n) -> None:
        ok(each.admin.post(f"/admin/collections/{functions[each][1]}/documents", {"n": n}), 201)

    def marked(each) -> list:
        found = each.admin.get(f"/admin/collections/{functions[each][2]}/documents", params={"limit": 200})
        return sorted(document["n"] for document in ok(found)["documents"])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: insert(project, n), range(60)))
    suspend(project)
    for n in range(10):
        insert(other, n)
    wait_until(lambda: marked(other) == list(range(10)))
    resume(project)
    assert marked(project) == []
    ok(project.admin.post(f"/admin/collections/{gates}/documents", {}), 201)
    function = functions[project][0]
    wait_until(lambda: marked(project) == list(range(60)))
    # The log holds the last 50.
    assert "skipped" not in {run["status"] for run in function.logged(50)}


def test_a_run_that_the_suspension_cuts_short_runs_again(owner, receiver):
    project = owner.create_project()
    marks, things = project.collection(), project.collection()
    # The handler starts before the suspension and queries documents until it is refused.
    code = f"""
        for (let i = 0; ; ++i) {{
            const found = await ctx.db.count('{marks}', {{ state: 'begun' }});
            if (found === 0) await ctx.db.insertOne('{marks}', {{ state: 'begun' }});
            else if (i === 0) break;
            await new Promise(resolve => setTimeout(resolve, 10));
        }}
        await ctx.db.insertOne('{marks}', {{ state: 'ended' }});
    """
    function = database_function(project, things, code, timeoutMs=60_000)
    ok(project.admin.post(f"/admin/collections/{things}/documents", {}), 201)
    path = f"/admin/collections/{marks}/documents"
    wait_until(lambda: len(ok(project.admin.get(path))["documents"]) == 1)

    def is_cut_short() -> bool:
        # The suspension refuses one of the handler's calls, or comes between two of them.
        suspend(project)
        refused(project.admin.get(path), 403, "PROJECT_SUSPENDED")
        resume(project)
        return "error" in {run["status"] for run in function.runs()}

    def states() -> list[str]:
        return sorted(document["state"] for document in ok(project.admin.get(path))["documents"])

    wait_until(is_cut_short)
    wait_until(lambda: states() == ["begun", "ended"], what=lambda: f"the marks are {states()}")
    assert "success" in {run["status"] for run in function.logged(1)}


@pytest.mark.slow
def test_mails_wait(owner, mailbox):
    project, other = owner.create_project(), owner.create_project()
    mailbox.reply = "451 try again later"
    try:
        attempts = mailbox.attempts
        waiting, clock = project.end_user(), other.end_user()
        wait_until(lambda: mailbox.attempts >= attempts + 2)
        suspend(project)
    finally:
        mailbox.reply = None
    mailbox.to(clock.email)  # its second attempt, with the same delay after its first as that of the other
    assert not [mail for mail in mailbox.mails if mail.to == waiting.email]
    resume(project)
    assert len(mailbox.to(waiting.email)) == 1


def test_embeddings_wait(owner, embeddings):
    project, other = owner.create_project(), owner.create_project()
    field = {"mode": "auto", "source": {"fields": ["title"]}, "dimensions": embeddings.dimensions}
    space, others = Space(project, **field), Space(other, **field)
    wait_until(lambda: space.index()["state"] == "ready" and others.index()["state"] == "ready")
    embeddings.gate.clear()
    try:
        calls = len(embeddings.calls)
        space.put("d0", title="own zero")
        embeddings.wait(calls + 1)
        for n in range(1, 20):
            space.put(f"d{n}", title=f"own {n}")
        suspend(project)
    finally:
        embeddings.gate.set()
    for n in range(5):
        others.put(f"o{n}", title=f"other {n}")
    wait_until(lambda: {f"other {n}" for n in range(5)} <= set(embeddings.texts()))
    assert [text for text in embeddings.texts() if text.startswith("own")] == ["own zero"]
    resume(project)
    wait_until(lambda: space.index()["vectors"] == 20)


@pytest.mark.parametrize("how", ["stop", "kill"])
def test_what_waits_outlives_restarts(make_server, settings, receiver, how):
    server = make_server(settings).start()
    owner = PlatformUser(server)
    project, other = owner.create_project(), owner.create_project()
    hook, others = Hook(project, receiver), Hook(other, receiver)
    things = project.collection()
    marks = project.collection()
    database_function(project, things, f"await ctx.db.insertOne('{marks}', {{ n: event.document.n }});")
    for each in (project, other):
        each.admin.token = each.api_key("admin").token
    gate = Gate()
    hook.answer(gate)
    for n in range(100):
        hook.insert(n=n)
        if n % 10 == 0:
            ok(project.admin.post(f"/admin/collections/{things}/documents", {"n": n}), 201)
    suspend(project)
    gate.opened.set()
    sent = settled(hook, others)
    assert len(set(sent)) < 90
    for _ in range(2):
        getattr(server, how)()
        server.start()
        before = len(others.receiver.at(others.path))
        others.insert(n=1)
        others.arrived(before + 1)
    assert numbers(hook) == sent
    resume(project)
    all_arrive_once(hook, gate, 100)
    path = f"/admin/collections/{marks}/documents"
    wanted = set(range(0, 100, 10))
    wait_until(lambda: {document["n"] for document in ok(project.admin.get(path))["documents"]} == wanted)


def test_a_project_deleted_while_suspended_delivers_nothing(owner, receiver):
    project, other = owner.create_project(), owner.create_project()
    hook, others = Hook(project, receiver), Hook(other, receiver)
    gate = Gate()
    hook.answer(gate)
    for n in range(50):
        hook.insert(n=n)
    suspend(project)
    gate.opened.set()
    sent = settled(hook, others)
    ok(owner.delete(f"/control/projects/{project.id}"), 204)
    for n in range(20):
        others.insert(n=n)
    others.arrived(30)
    assert numbers(hook) == sent
