"""ctx.db: bypasses the policies, but not schema, events and triggers; a run has no other access."""

import threading

import pytest

from support.client import ok, refused, unique
from support.function import database_function, http_function
from support.waiting import wait_until


@pytest.fixture(scope="module")
def run(project):
    """Runs the body of a handler by hand and returns its result; asserts success, or returns the error with `fails`."""
    cache = {}

    def run(code: str, payload=None, *, fails: bool = False, status: str = "success"):
        if code not in cache:
            cache[code] = http_function(project, code)
        answer = cache[code].invoke(payload)
        if fails:
            assert answer["status"] == "error", answer
            return answer["error"]
        assert answer["status"] == status, answer
        return answer.get("result")

    return run


@pytest.fixture
def things(project):
    """A collection whose policy denies everything to end users."""
    return project.collection(policy={})


def seed(run, things, count: int):
    run(f"for (let n = 0; n < event.payload; n++) await ctx.db.insertOne('{things}', {{id: 'd' + n, n}});", count)


def test_reads_and_writes_below_the_policy_engine(run, things):
    made = run(f"return await ctx.db.insertOne('{things}', {{n: 1, at: new Date(0)}});")
    assert len(made["id"]) == 20 and made["createdAt"].endswith("Z") and "ownerId" not in made
    assert made["at"] == "1970-01-01T00:00:00.000Z"
    assert run(f"return await ctx.db.findOne('{things}', {{n: 1}});")["id"] == made["id"]
    assert run(f"return await ctx.db.findOne('{things}', {{n: 2}});") is None
    assert run(f"return await ctx.db.count('{things}', {{}});") == 1


def test_find_takes_limit_skip_and_sort(run, things):
    seed(run, things, 5)
    found = run(
        f"const found = await ctx.db.find('{things}', {{n: {{$gte: 1}}}}, {{sort: {{n: -1}}, skip: 1, limit: 2}});"
        " return found.map(d => d.n);"
    )
    assert found == [3, 2]
    assert run(f"return (await ctx.db.find('{things}')).map(d => d.n);") == [0, 1, 2, 3, 4]


def test_update_and_delete_many(run, things):
    seed(run, things, 250)
    counts = run(f"return await ctx.db.updateMany('{things}', {{n: {{$gte: 10}}}}, {{$inc: {{n: 1000}}}});")
    assert counts == {"matchedCount": 240, "modifiedCount": 240}
    assert run(f"return await ctx.db.updateMany('{things}', {{}}, {{$max: {{n: 5}}}});")["modifiedCount"] == 5
    assert run(f"return await ctx.db.deleteMany('{things}', {{n: {{$gte: 1000}}}});") == {"deletedCount": 240}
    assert run(f"return await ctx.db.count('{things}');") == 10


def test_positional_updates(run, things):
    run(f"await ctx.db.insertOne('{things}', {{id: 'a', n: [1, 5, 9]}});")
    run(f"await ctx.db.updateMany('{things}', {{n: 5}}, {{$set: {{'n.$': 50}}}});")
    run(
        f"await ctx.db.updateMany('{things}', {{}}, {{$inc: {{'n.$[big]': 100}}}},"
        " {arrayFilters: [{big: {$gte: 9}}]});"
    )
    assert run(f"return (await ctx.db.findOne('{things}', {{id: 'a'}})).n;") == [1, 150, 109]


def test_the_schema_holds(run, project):
    strict = project.collection(
        schema={"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}, "at": {"x-bson": "date"}}}
    )
    assert "n" in run(f"await ctx.db.insertOne('{strict}', {{}});", fails=True)
    made = run(
        f"const d = await ctx.db.insertOne('{strict}', {{n: 1, at: '2026-01-01T00:00:00Z'}});"
        " return d.at instanceof Date;"
    )
    assert made is True
    run(f"await ctx.db.updateMany('{strict}', {{}}, {{$set: {{n: 'x'}}}});", fails=True)
    assert run(f"return (await ctx.db.findOne('{strict}')).n;") == 1


def test_a_failure_is_an_error_with_a_code(run, things):
    run(f"await ctx.db.insertOne('{things}', {{id: 'a'}});")
    caught = (
        f"try {{ await ctx.db.insertOne('{things}', {{id: 'a'}}); }}"
        " catch (e) { return [e.code, e instanceof Error, e.message]; }"
    )
    code, is_error, message = run(caught)
    assert (code, is_error) == ("CONFLICT", True) and message
    codes = run(
        """const codes = [];
        for (const call of [
          () => ctx.db.find('nothing-here', {}), () => ctx.db.find('users', {}), () => ctx.db.find('__users', {}),
          () => ctx.db.find(1, {}), () => ctx.db.find(event.payload, {$where: '1'}),
          () => ctx.db.find(event.payload, {}, {limit: -1}), () => ctx.db.find(event.payload, {}, {surprise: 1}),
          () => ctx.db.updateMany(event.payload, {}, {$nothing: {a: 1}}),
          () => ctx.db.updateMany(event.payload), () => ctx.db.deleteMany(event.payload),
          () => ctx.db.insertOne(event.payload, {'$a': 1}), () => ctx.db.insertOne(event.payload, {a: NaN}),
          () => ctx.integrations.call('nothing-here', 'get', {}),
        ]) try { await call(); codes.push('none'); } catch (e) { codes.push(e.code ?? e.name); }
        return codes;""",
        things,
    )
    assert codes[:3] == ["NOT_FOUND"] * 3 and codes[12] == "NOT_FOUND", codes
    assert codes[4] == "INVALID_FILTER" and codes[7] == "INVALID_UPDATE", codes
    assert "none" not in codes, codes


def test_writes_fire_events_and_post_triggers_and_no_pre_hooks(run, project, things):
    hook = database_function(project, things, "return {abort: true};", timing="pre")
    trigger = database_function(project, things, "return event.documentId;", ["insert"])
    run(f"await ctx.db.insertOne('{things}', {{id: 'a'}});")
    assert trigger.logged(1)[0]["result"] == "a"
    assert hook.runs() == []


def test_integers_dates_and_bytes_keep_what_they_are(run, things):
    result = run(
        f"""await ctx.db.insertOne('{things}', {{id: 'v', small: 7, big: 9007199254740993n, half: 0.5, whole: 2.0,
            at: new Date(5), bytes: new Uint8Array([1, 255]), set: new Set([1, 2]), map: new Map([['k', 'v']]),
            gone: undefined, list: [undefined]}});
        const d = await ctx.db.findOne('{things}', {{id: 'v'}});
        return [typeof d.small, typeof d.big, String(d.big), d.half, d.whole, d.at instanceof Date,
                d.bytes instanceof Uint8Array, Array.from(d.bytes), d.set, d.map, 'gone' in d, d.list];"""
    )
    assert result == [
        "number",
        "bigint",
        "9007199254740993",
        0.5,
        2,
        True,
        True,
        [1, 255],
        [1, 2],
        {"k": "v"},
        False,
        [None],
    ]


def test_only_the_runs_project_is_reached(run, owner, things):
    other = owner.create_project()
    elsewhere = other.collection("elsewhere")
    ok(other.admin.post(f"/admin/collections/{elsewhere}/documents", {"secret": 1}), 201)
    assert "no such collection" in run("return await ctx.db.find('elsewhere', {});", fails=True)


def test_a_collection_that_is_dropped_or_renamed_is_seen_at_once(run, project, admin):
    name = project.collection()
    code = "return await ctx.db.count(event.payload);"
    assert run(code, name) == 0
    renamed = unique("c")
    ok(admin.post(f"/admin/collections/{name}/rename", {"to": renamed}), 204)
    assert run(code, renamed) == 0
    run(code, name, fails=True)
    ok(admin.delete(f"/admin/collections/{renamed}"), 204)
    run(code, renamed, fails=True)


def test_what_was_not_awaited_may_be_cut_short_and_harms_nothing(run, things):
    code = f"for (let n = 0; n < 100; n++) ctx.db.insertOne('{things}', {{n}}); return 'gone';"
    assert run(code) == "gone"
    assert run(f"return await ctx.db.count('{things}') <= 100;") is True


def test_a_run_has_a_thousand_calls(run, things):
    code = f"let n = 0; try {{ for (; n < 2000; n++) await ctx.db.count('{things}'); }} catch {{}} return n;"
    assert run(code) == 1000


def test_many_calls_at_once_are_all_answered(run, things):
    seed(run, things, 3)
    code = (
        f"return (await Promise.all(Array.from({{length: 200}}, () => ctx.db.count('{things}')))).every(n => n === 3);"
    )
    assert run(code) is True


def test_a_suspended_projects_runs_reach_nothing(owner):
    project = owner.create_project()
    marks, begun = project.collection(), project.collection()
    slow = http_function(
        project,
        f"await ctx.db.insertOne('{begun}', {{}});"
        "await new Promise(r => setTimeout(r, 1500));"
        f" try {{ await ctx.db.insertOne('{marks}', {{}}); }} catch (e) {{ return e.code; }}",
    )
    results = []
    thread = threading.Thread(target=lambda: results.append(slow.admin.post(f"{slow.route}/invoke", {})))
    thread.start()
    wait_until(lambda: ok(project.admin.get(f"/admin/collections/{begun}/documents"))["documents"])
    ok(owner.post(f"/control/projects/{project.id}/suspend"), 204)
    thread.join()
    assert results[0].json()["run"]["result"] == "PROJECT_SUSPENDED"
    refused(project.admin.get(f"/admin/collections/{marks}/documents"), 403)
