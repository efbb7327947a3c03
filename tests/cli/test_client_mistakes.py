"""Every mistake ends with one line that says what to do."""

import http.server
import json
import socket
import ssl
import subprocess
import threading

import pytest

from support.client import PASSWORD, ok
from support.commands import complains
from support.ports import free_port

COMMANDS = ["link --project x", "pull", "status", "diff", "push", "promote --from a --to b", "test"]


def line(person, command: str, *more, **given):
    """Runs `command`: a command's name, then options."""
    name, *options = command.split()
    return person.run(name, *options, *more, **given)


def sign_in(person, url: str | None, email: str | None = "a@example.com", typed: str = PASSWORD, **more):
    named = [*(["--url", url] if url else []), *(["--email", email] if email else [])]
    return person.run("login", *named, "--stdin", typed=typed, **more)


@pytest.fixture
def nobody(person):
    return person(login=False)


@pytest.fixture
def answering():
    """Starts a server that always sends the same response."""
    running = []

    def serve(status: int, body: bytes, headers: dict | None = None, tls: ssl.SSLContext | None = None) -> str:
        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self):
                self.rfile.read(int(self.headers.get("content-length", 0)))
                self.send_response(status)
                for name, value in (headers or {}).items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = answer

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        if tls:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        running.append(server)
        return f"{'https' if tls else 'http'}://localhost:{server.server_address[1]}"

    yield serve
    for server in running:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("command", ["link --project x", "pull", "push", "diff", "promote --from a --to b"])
def test_nobody_is_signed_in(nobody, server, tmp_path, command):
    if command in ("push", "diff"):
        (nobody.work / "manybase").mkdir()
        (nobody.work / "manybase" / "meta.json").write_text('{"formatVersion": 1, "project": {"name": "x"}}\n')
    complains(line(nobody, command), "manybase login --url")
    complains(line(nobody, command, "--url", server.url), f"run `manybase login --url {server.url}`")


@pytest.mark.parametrize("command", ["status", "push", "diff", "types"])
def test_the_wrong_folder(ann, tmp_path, command):
    said = complains(ann.run(command, cwd=tmp_path), "there is no bundle in manybase")
    assert "--dir" in said and "manybase pull" in said
    complains(ann.run(command, "--dir", "elsewhere/", cwd=tmp_path), "there is no bundle in elsewhere")


@pytest.mark.parametrize("command", ["pull", "link"])
def test_not_linked(ann, tmp_path, command):
    complains(ann.run(command, cwd=tmp_path), "manybase link --project")


@pytest.mark.parametrize("command", COMMANDS)
def test_the_server_is_down(person, server, linked, command):
    url = f"http://localhost:{free_port()}"
    kept = json.loads(linked.person.credentials.read_text())
    kept["servers"][url] = kept["servers"][server.url]
    linked.person.credentials.write_text(json.dumps(kept))
    said = complains(line(linked, command, "--url", url, *(() if "--" in command else ("--project", "x"))), url)
    assert "check that the server runs" in said
    complains(sign_in(linked, "http://nowhere.invalid"), "--url")
    del kept["servers"][url]
    linked.person.credentials.write_text(json.dumps(kept))


def test_what_answers_is_no_manybase(nobody, answering):
    answers = [(200, b"<html>hello</html>"), (200, b"{}"), (200, b""), (404, b"not here"), (404, b'{"message": "no"}')]
    for status, body in [*answers, (502, b""), (401, b"{}")]:
        url = answering(status, body)
        complains(sign_in(nobody, url), f"{url} is not a Manybase server")
    url = answering(301, b"", {"location": "https://example.com/"})
    complains(sign_in(nobody, url), "give that address with --url")


def test_a_certificate_that_is_not_trusted(nobody, answering, tmp_path):
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
         "-keyout", str(tmp_path / "key.pem"), "-out", str(tmp_path / "cert.pem")],
        check=True, capture_output=True,
    )  # fmt: skip
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    url = answering(404, b"", tls=context)
    complains(sign_in(nobody, url), "SSL_CERT_FILE")
    # With the certificate's authority the connection succeeds.
    complains(sign_in(nobody, url, SSL_CERT_FILE=str(tmp_path / "cert.pem")), "is not a Manybase server")
    # TLS to a server without TLS.
    plain = answering(404, b"").replace("http:", "https:")
    complains(sign_in(nobody, plain), plain)


def test_a_server_that_says_nothing_at_first(nobody):
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        threading.Thread(target=lambda: silent.accept()[0].close(), daemon=True).start()
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        complains(sign_in(nobody, url), "cannot be reached")


@pytest.mark.parametrize("url", ["example.com", "ftp://example.com", "http://", "https://me:pw@example.com", "no url"])
def test_addresses_that_are_none(nobody, url):
    said = complains(sign_in(nobody, url), "is not a server address", 2)
    assert "give one like https://example.com" in said
    complains(nobody.run("pull", "--url", url), "is not a server address", 2)


def test_wrong_password(person, server):
    somebody = person(login=False)
    said = complains(sign_in(somebody, server.url, somebody.email, typed="wrong password\n"), "try again")
    assert "wrong password\n" not in said and not somebody.credentials.exists()
    complains(sign_in(somebody, server.url, None), "--email", 2)
    complains(sign_in(somebody, server.url, somebody.email, typed=""), "no password", 2)


def test_a_login_that_is_over(person):
    ann = person()
    project = ann.user.create_project()
    for session in ok(ann.user.get("/control/auth/sessions"))["sessions"]:
        if not session["current"]:
            ok(ann.user.delete(f"/control/auth/sessions/{session['id']}"), 204)
    said = complains(ann.run("link", "--project", project.slug), "your login at")
    assert f"run `manybase login --url {ann.server.url}`" in said


def test_tokens_that_are_refused(ann, linked, server):
    key = linked.project.api_key("admin")
    ok(linked.project.admin.delete(f"/admin/api-keys/{key.id}"), 204)
    url = {"MANYBASE_URL": server.url}
    complains(linked.run("status", **url, MANYBASE_TOKEN=key.token), "rejected the token")
    complains(linked.run("status", **url, MANYBASE_TOKEN="hello"), "neither an API key")
    complains(linked.run("status", **url, MANYBASE_TOKEN=ann.user.token[:-8] + "AAAAAAAA"), "rejected the token")


def test_what_came_with_a_repository_is_sent_nothing(linked, person, answering):
    """A committed link in another person's bundle names their own server."""
    theirs = answering(200, b'{"needsSetup": false}')
    linked.write(".manybase/link.json", {"url": theirs, "project": {"id": "proj_1", "slug": "x"}})
    key = linked.project.api_key("admin").token
    complains(linked.run("push", MANYBASE_TOKEN=key), "only sent to a server that you name")
    complains(sign_in(linked, None), "name the server with --url", 2)
    complains(linked.run("push"), f"you are not signed in to {theirs}")


def test_projects_that_are_not_there(ann, person, linked, server):
    said = complains(linked.run("pull", "--project", "no-such"), 'you have no project "no-such"')
    assert "; yours are: " in said
    # Another person's project gives the same message as one that does not exist.
    theirs = person().user.create_project()
    for name in (theirs.id, theirs.slug):
        complains(linked.run("pull", "--project", name), f'no project "{name}"')
    complains(linked.run("promote", "--from", "nowhere", "--to", linked.project.slug), 'no project "nowhere"')
    # Suspended, then deleted.
    ok(ann.user.post(f"/control/projects/{linked.project.id}/suspend"), 204)
    complains(linked.run("status"), "is suspended: an Owner or Admin must resume it first")
    ok(ann.user.delete(f"/control/projects/{linked.project.id}"), 204)
    complains(linked.run("status"), "there is no project")


def test_rights_that_are_missing(linked, person):
    viewer = person()
    linked.project.member("Viewer", viewer.user)
    for command in ("status", "push"):
        kept = viewer.run("link", "--dir", str(linked.bundle), "--project", linked.project.slug)
        assert kept.returncode == 0, kept.stderr
        complains(viewer.run(command, "--dir", str(linked.bundle)), "does not let you do this")
    other = linked.person.user.create_project()
    other.member("Admin", viewer.user)
    complains(viewer.run("promote", "--from", linked.project.slug, "--to", other.slug), "")


def test_what_this_machine_keeps_is_broken(linked, person):
    state = linked.bundle / ".manybase"
    for name in ("link.json", "pull.json"):
        before = (state / name).read_text()
        (state / name).write_text("{")
        complains(linked.run("status"), "remove it, then link and pull again")
        (state / name).write_text(before)
    bob = person()
    bob.credentials.write_text("{")
    complains(bob.run("link", "--project", "x"), "remove it and run `manybase login` again")
    bob.credentials.chmod(0o644)
    complains(bob.run("link", "--project", "x"), "chmod 600")
    nowhere = {"HOME": "", "XDG_CONFIG_HOME": "relative"}
    ran = bob.run("login", "--url", bob.server.url, "--email", bob.email, "--stdin", typed=PASSWORD, **nowhere)
    complains(ran, "set HOME or XDG_CONFIG_HOME")


def test_calls_that_are_wrong(linked):
    for command in ("push --dri", "pull now", "promote --from a", "status --dir", "logout --token x", "types --url x"):
        ran = line(linked, command)
        assert ran.returncode == 2 and ran.stdout == "", (command, ran)
    complains(linked.run("push", "--project", ""), 'cannot be ""', 2)
    ran = linked.run("pull", "--project", "nowhere", "--json")
    assert ran.returncode == 1 and ran.stdout == ""
    assert json.loads(ran.stderr)["error"]["code"] == "NOT_FOUND"
