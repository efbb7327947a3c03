"""Addresses that an integration can never reach, in any notation and with any response."""

import pytest

from support.client import PlatformUser, ok, refused, unique
from support.function import Function
from support.inside_hosts import HOSTS
from support.integration import Integration


@pytest.fixture(scope="module")
def server_settings():
    """A server with the default rule for outbound addresses."""
    return {}


@pytest.fixture(scope="module")
def project(server):
    return PlatformUser(server).create_project()


def tried(admin, provider: str, config: dict, where: str, op: str, args: dict) -> None:
    """Checks that the config is refused when it is saved, or when it is called."""
    name = unique("i")
    answer = admin.post("/admin/integrations", {"name": name, "provider": provider, "config": config})
    if answer.status_code == 400:
        refused(answer, 400, "VALIDATION", where)
        return
    ok(answer, 201)
    call = {"op": op, "args": args, "mode": "live"}
    error = refused(admin.post(f"/admin/integrations/{name}/test", call), 502, "UPSTREAM_FAILED")
    assert error["message"] == "request failed"
    ok(admin.delete(f"/admin/integrations/{name}"), 204)


@pytest.mark.parametrize("private", [False, True], ids=["public", "private"])
@pytest.mark.parametrize("host", HOSTS)
def test_http_reaches_nothing_inside(project, upstream, host, private):
    config = {"baseUrl": f"http://{host}:{upstream.port}/v1", "allowPrivate": private, "timeoutMs": 2000}
    tried(project.admin, "http", config, "/config/baseUrl", "get", {"path": "/x"})
    assert upstream.connections == 0, host


@pytest.mark.parametrize("host", HOSTS)
def test_mails_reach_nothing_inside(project, upstream, host):
    config = {"from": "a@example.com", "host": host, "port": upstream.port}
    mail = {"to": "b@example.com", "subject": "s", "text": "t"}
    tried(project.admin, "email", config, "/config/host", "send", mail)
    assert upstream.connections == 0, host


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::ffff:127.0.0.1]", "169.254.169.254", "10.0.0.1"])
def test_nor_does_code(project, upstream, host):
    config = {"baseUrl": f"http://{host}:{upstream.port}", "allowPrivate": True}
    to = Integration(project.admin, "http", config)
    code = f"""
      try {{ return await ctx.integrations.call("{to.name}", "post", {{ path: "/x", body: event.payload }}); }}
      catch (error) {{ return {{ code: error.code, message: error.message }}; }}
    """
    run = Function(project, code, {"type": "cron", "schedule": "@monthly"}).invoke("data")
    assert run["result"] == {"code": "UPSTREAM_FAILED", "message": "request failed"}, run
    assert upstream.connections == 0


def test_no_redirect_leads_there(make_server, upstream):
    """A redirect of an allowed service is returned as a response and never followed, wherever it leads."""
    server = make_server({"SERVICE_OUTBOUND_ALLOW": "127.0.0.1"}).start()
    admin = PlatformUser(server).create_project().admin
    to = Integration(admin, "http", {"baseUrl": upstream.url, "allowPrivate": True})
    for host in HOSTS:
        location = f"http://{host}:{upstream.port}/caught"
        for status in (301, 302, 303, 307, 308):
            upstream.answers["/moved"] = (status, {"location": location}, b"")
            answer = to.result("get", path="/moved")
            assert (answer["status"], answer["headers"]["location"]) == (status, location)
    assert upstream.at("/caught") == []
