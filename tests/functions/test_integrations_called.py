"""ctx.integrations: functions that call other services."""

import threading

import pytest

from support.client import ok, unique
from support.function import Function, database_function, http_function
from support.integration import Integration
from support.mail import MailCatcher
from support.upstream import endless, silence
from support.waiting import SLOW

SECRET = "Bearer never-to-be-seen"


@pytest.fixture(scope="module")
def server_settings():
    return {"SERVICE_OUTBOUND_ALLOW": "127.0.0.1"}


@pytest.fixture(scope="module")
def api(admin, upstream):
    config = {"baseUrl": upstream.url, "allowPrivate": True}
    return Integration(admin, "http", config, {"authorization": SECRET, "headers": {"x-key": "k"}})


@pytest.fixture(scope="module")
def run(project, api):
    """Runs the body of a handler by hand; `api` in it is the integration's name."""

    def run(code: str, payload=None, **more) -> dict:
        function = http_function(project, f"const api = '{api.name}';\n{code}", **more)
        try:
            return function.invoke(payload)
        finally:
            function.delete()

    return run


def result(run: dict):
    assert run["status"] == "success", run
    return run.get("result")


# Returns the error of a rejected call, as a handler sees it.
SEEN = "try { return ['gave', await call()]; } catch (e) { return [e.constructor.name, e.code, e.message]; }"


def seen(run, call: str) -> list:
    return result(run(f"const call = () => {call};\n{SEEN}"))


def test_a_call_and_its_answer(run, upstream):
    upstream.answers["/orders"] = (201, {"x-more": "1"}, {"id": 7, "when": "2026-01-31T09:30:00Z", "list": [1.5, None]})
    upstream.asked.clear()
    args = "{path: '/orders', query: {dry: true}, body: event.payload}"
    answer = result(run(f"return await ctx.integrations.call(api, 'post', {args});", {"n": 1}))
    assert answer["status"] == 201 and answer["headers"]["x-more"] == "1"
    assert answer["body"] == {"id": 7, "when": "2026-01-31T09:30:00Z", "list": [1.5, None]}
    (asked,) = upstream.asked
    assert (asked.method, asked.target, asked.body) == ("POST", "/orders?dry=true", {"n": 1})
    assert asked.headers["authorization"] == SECRET and asked.headers["x-key"] == "k"


def test_values_of_javascript_travel(run, upstream):
    upstream.answers["/values"] = (200, {}, {})
    upstream.asked.clear()
    body = "{at: new Date(0), set: new Set([1, 2]), map: new Map([['a', 1]]), big: 9007199254740991n, gone: undefined}"
    result(run(f"await ctx.integrations.call(api, 'put', {{path: '/values', body: {body}}});"))
    assert upstream.asked[0].body == {
        "at": "1970-01-01T00:00:00.000Z",
        "set": [1, 2],
        "map": {"a": 1},
        "big": 9007199254740991,
    }
    upstream.answers["/bytes"] = (200, {"content-type": "application/octet-stream"}, bytes(range(256)))
    code = """
      await ctx.integrations.call(api, 'put', {path: '/values', body: new Uint8Array([0, 255, 10])});
      const { body } = await ctx.integrations.call(api, 'get', {path: '/bytes'});
      return [body instanceof Uint8Array, body.length, body[255]];"""
    assert result(run(code)) == [True, 256, 255]
    assert upstream.at("/values")[-1].raw == b"\x00\xff\x0a"


def test_a_handler_sees_what_went_wrong(run, api, upstream):
    upstream.answers["/closed"] = lambda *_: None
    upstream.answers["/endless"] = endless
    name, code, message = seen(run, "ctx.integrations.call('nothing-here', 'get', {path: '/'})")
    assert (name, code) == ("Error", "NOT_FOUND") and message == "no such integration"
    for call, code in [
        ("ctx.integrations.call(api, 'head', {path: '/'})", "VALIDATION"),
        ("ctx.integrations.call(api, 'get', {})", "VALIDATION"),
        ("ctx.integrations.call(api, 'get', {path: '//evil.example'})", "VALIDATION"),
        ("ctx.integrations.call(api, 'get', {path: '/', headers: {Authorization: 'x'}})", "VALIDATION"),
        ("ctx.integrations.call(api, 'get')", "VALIDATION"),
        ("ctx.integrations.call(api)", "VALIDATION"),
        ("ctx.integrations.call()", "VALIDATION"),
        ("ctx.integrations.call(api, 'get', 'x')", "VALIDATION"),
        ("ctx.integrations.call({toString() { return api; }}, 'get', {path: '/'})", "DATA_CLONE"),
        ("ctx.integrations.call({name: api}, 'get', {path: '/'})", "VALIDATION"),
        ("ctx.integrations.call('__proto__', 'get', {path: '/'})", "NOT_FOUND"),
        ("ctx.integrations.call(api, 'constructor', {path: '/'})", "VALIDATION"),
        ("ctx.integrations.call(api, 'get', {path: '/closed'})", "UPSTREAM_FAILED"),
        ("ctx.integrations.call(api, 'get', {path: '/endless'})", "UPSTREAM_FAILED"),
    ]:
        found = seen(run, call)
        assert found[:2] == ["Error", code], (call, found)
        assert SECRET not in found[2] and "127.0.0.1" not in found[2], found
    api.patch(enabled=False)
    assert seen(run, "ctx.integrations.call(api, 'get', {path: '/'})")[1] == "NOT_FOUND"
    api.patch(enabled=True)


def test_what_is_not_caught_fails_the_run(run, upstream):
    upstream.answers["/closed"] = lambda *_: None
    failed = run("await ctx.integrations.call(api, 'get', {path: '/closed'});")
    assert failed["status"] == "error" and "request failed" in failed["error"]


def test_a_run_that_is_out_of_time_ends_its_call(run, upstream):
    ended = threading.Event()

    def wait(_asked, connection):
        connection.settimeout(60)
        try:
            if connection.recv(1) == b"":
                ended.set()
        except OSError:
            pass

    upstream.answers["/wait"] = wait
    timed_out = run("await ctx.integrations.call(api, 'get', {path: '/wait'});", timeoutMs=500)
    assert timed_out["status"] == "timeout"
    assert ended.wait(5 * SLOW), "the call outlived its run"


def test_a_call_that_nobody_waits_for_ends_with_its_run(run, upstream):
    ended, begun = threading.Event(), threading.Event()

    def wait(_asked, connection):
        begun.set()
        connection.settimeout(60)
        try:
            if connection.recv(1) == b"":
                ended.set()
        except OSError:
            pass

    upstream.answers["/left"] = wait
    upstream.answers["/next"] = (200, {}, {})
    code = """
      ctx.integrations.call(api, 'get', {path: '/left'});
      await ctx.integrations.call(api, 'get', {path: '/next'});
      await new Promise(resolve => setTimeout(resolve, 200));
      return 'done';"""
    assert result(run(code, timeoutMs=20_000)) == "done"
    assert begun.is_set() and ended.wait(5 * SLOW), "the call outlived its run"


def test_several_at_once(run, upstream):
    upstream.answers["/slow"] = silence(60)
    for n in range(8):
        upstream.answers[f"/n{n}"] = (200, {}, {"n": n})
    code = """
      const calls = Array.from({length: 8}, (_, n) => ctx.integrations.call(api, 'get', {path: `/n${n}`}));
      return (await Promise.all(calls)).map(answer => answer.body.n);"""
    assert result(run(code)) == list(range(8))


def test_a_change_holds_for_the_next_run(project, api, upstream):
    function = http_function(
        project, f"return (await ctx.integrations.call('{api.name}', 'get', {{path: '/change'}})).status;"
    )
    upstream.answers["/change"] = (200, {}, {})
    upstream.asked.clear()
    assert result(function.invoke()) == 200
    api.patch(secrets={"headers": {"x-key": "changed"}})
    assert result(function.invoke()) == 200
    api.patch(secrets={"headers": {"x-key": "k"}})
    assert [each.headers["x-key"] for each in upstream.asked] == ["k", "changed"]


def test_pre_hooks_have_none(project, api):
    collection = project.collection()
    code = "if (ctx.integrations) return {abort: true, reason: 'there it is'};"
    database_function(project, collection, code, ("insert",), timing="pre")
    ok(project.admin.post(f"/admin/collections/{collection}/documents", {"n": 1}), 201)


def test_a_mail_after_a_write(project, admin, tmp_path):
    with MailCatcher(tmp_path) as catcher:
        mail = Integration(admin, "email", {"from": "shop@example.com", "host": "127.0.0.1", "port": catcher.port})
        collection = project.collection()
        args = "{to: event.document.to, subject: `Order ${event.documentId}`, text: 'Thanks!'}"
        code = f"await ctx.integrations.call('{mail.name}', 'send', {args});"
        database_function(project, collection, code, ("insert",))
        order = ok(
            project.admin.post(f"/admin/collections/{collection}/documents", {"to": "buyer@example.org"}), 201
        )["document"]
        (got,) = catcher.to("buyer@example.org")
        assert got.subject == f"Order {order['id']}" and got.text.strip() == "Thanks!"


def test_stored_tests_send_nothing(project, api, upstream):
    upstream.asked.clear()
    function = Function(
        project,
        f"const {{status}} = await ctx.integrations.call('{api.name}', 'get', {{path: '/stub'}}); return status;",
        {"type": "http", "method": "GET", "path": "/" + unique("p")},
    )
    report = function.run_tests(
        [
            {
                "name": "stubbed",
                "event": {},
                "stubs": {f"{api.name}.get": {"status": 418}},
                "expect": {"result": 418, "calls": [{"integration": api.name, "op": "get", "args": {"path": "/stub"}}]},
            }
        ]
    )
    assert (report["passed"], report["failed"]) == (1, 0), report
    assert upstream.asked == []


def test_nothing_of_a_secret_is_in_a_run(run, server, upstream):
    upstream.answers["/echo"] = (200, {}, {})
    answer = run("console.log(JSON.stringify(ctx), Object.keys(ctx.integrations)); return Object.keys(ctx);")
    assert SECRET not in str(answer)
    assert SECRET not in server.log_path.read_text()


def test_a_run_passes_its_trace_on(project, api, upstream):
    trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    code = f"await ctx.integrations.call('{api.name}', 'get', {{path: '/traced', headers: event.payload.headers}});"
    function = http_function(project, code)
    for headers in ({}, {"traceparent": "mine"}):
        body = {"payload": {"headers": headers}}
        run = ok(project.admin.post(f"{function.route}/invoke", body, headers={"traceparent": trace}))["run"]
        assert run["status"] == "success", run
    assert [each.headers["traceparent"] for each in upstream.at("/traced")] == [trace, "mine"]
