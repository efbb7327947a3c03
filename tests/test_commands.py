"""Commands on a data directory: through the running server, and without one."""

import json
import os
import signal
import socket
import stat
import subprocess
import time

import pytest

from support import mongo_server
from support.client import PlatformUser, ok
from support.commands import complains, done, environment, result, run
from support.server import binary
from support.waiting import SLOW

COMMANDS = ("serve", "audit", "check", "backup", "restore", "move", "compact", "keys", "users", "version")


def socket_of(server):
    return server.data / "control.sock"


def speak(server, line: bytes, patience: float = 20) -> bytes:
    """Sends one line to the socket; returns everything that the server sends until it closes."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(patience * SLOW)
        connection.connect(str(socket_of(server)))
        said = b""
        try:
            connection.sendall(line)
            while piece := connection.recv(65536):
                said += piece
        except OSError:
            # It closes the connection of a line that is too long, with unread bytes.
            pass
        return said


def test_help_lists_all():
    text = done(run("--help"))
    for command in COMMANDS:
        assert f"  {command} " in text
    for command, options in {
        "backup": ("--data", "--to", "--project", "--with-secret", "--json"),
        "restore": ("--data", "--from", "--project", "--as", "--owner", "--json"),
        "move": ("--data", "--to", "--to-file", "--json"),
        "compact": ("--data", "--project", "--json"),
        "check": ("--data", "--repair-meters", "--json"),
        "keys": ("list", "rotate", "reseal"),
        "keys rotate": ("--data", "--drop-old", "--json"),
        "keys reseal": ("--data", "--new-secret-file", "--json"),
        "users": ("list", "password", "operator", "mfa-reset"),
        "users password": ("--data", "--project", "--stdin", "--json"),
    }.items():
        text = done(run(command, "--help"))
        for option in options:
            assert option in text


@pytest.mark.parametrize(
    "line",
    [
        ("backup",),
        ("restore",),
        ("backup", "--to"),
        ("check", "--project", "x"),
        ("check", "--repair"),
        ("check", "--repair-meters", "storedBytes"),
        ("compact", "more"),
        ("backup", "--to", "x", "--to", "y"),
        ("unpack",),
    ],
)
def test_wrong_usage_exits_with_2(line, tmp_path):
    ran = run(*line, cwd=tmp_path)
    assert ran.returncode == 2 and ran.stderr
    assert list(tmp_path.iterdir()) == []


def test_wrong_combinations_exit_with_2(server, tmp_path):
    complains(run("restore", "--from", tmp_path, "--as", "x", data=server.data), "--project", 2)
    complains(run("backup", "--to", tmp_path / "b", "--project", "x", "--with-secret", data=server.data), "whole", 2)


def test_nothing_there(tmp_path):
    nowhere = tmp_path / "nowhere"
    complains(run("check", data=nowhere), "there is no store")
    complains(run("compact", data=nowhere), "there is no store")
    complains(run("backup", "--to", tmp_path / "b", data=nowhere), "there is no store")
    assert list(tmp_path.iterdir()) == []


def test_check_beside_the_server_and_without(make_server):
    server = make_server().start()
    project = PlatformUser(server).create_project()
    things = project.collection(indexes=[{"keys": {"n": 1}}])
    for n in range(20):
        project.admin.create(things, {"n": n})
    beside = result(run("check", "--json", data=server.data))
    assert beside["problems"] == [] and beside["documents"] >= 20
    assert "no problems" in done(run("check", data=server.data))
    if not mongo_server.IS_STORE:
        # The embedded engine reads system collections and indexes, too, in a checkpoint.
        assert beside["documents"] > 20 and beside["indexEntries"] > 20
        assert not list((server.data / "checkpoints").iterdir())
    server.stop()
    assert not socket_of(server).exists()
    assert result(run("check", "--json", data=server.data))["problems"] == []


@pytest.mark.embedded("MongoDB reclaims the space of its files itself")
def test_compact_beside_the_server_and_without(make_server):
    server = make_server().start()
    project = PlatformUser(server).create_project()
    things = project.collection()
    for n in range(50):
        document = project.admin.create(things, {"n": n, "t": "x" * 1000})
        if n % 2:
            ok(project.admin.delete(f"/{things}/{document['id']}"), 204)
    for arguments in ((), ("--project", project.slug), ("--project", project.id)):
        report = result(run("compact", "--json", *arguments, data=server.data))
        assert report["bytesBefore"] > 0 and report["bytesAfter"] >= 0
    complains(run("compact", "--project", "nobodys", data=server.data), "there is no project nobodys")
    assert len(project.admin.list(things)) == 25
    server.stop()
    assert "compacted" in done(run("compact", data=server.data))
    assert result(run("check", "--json", data=server.data))["problems"] == []


def test_failures_as_json(server, tmp_path):
    ran = run("backup", "--project", "nobodys", "--to", tmp_path / "b", "--json", data=server.data)
    assert ran.returncode == 1 and ran.stdout == ""
    assert json.loads(ran.stderr) == {"error": {"code": "NOT_FOUND", "message": "there is no project nobodys"}}


# ---- the socket


def test_the_socket_is_the_owners_alone(server):
    mode = socket_of(server).stat().st_mode
    assert stat.S_ISSOCK(mode) and stat.S_IMODE(mode) == 0o600
    assert [path.name for path in server.data.iterdir() if path.name.startswith("control")] == ["control.sock"]


@pytest.mark.parametrize(
    "line",
    [
        b"\n",
        b"check\n",
        b"{}\n",
        b'{"version":1,"command":"check"}\n',
        b'{"version":9,"command":"check","arguments":{}}\n',
        b'{"version":1,"command":"dance","arguments":{}}\n',
        b'{"version":1,"command":"serve","arguments":{}}\n',
        b'{"version":1,"command":"check","arguments":{"to":"/backups/x"}}\n',
        b'{"version":1,"command":"check","arguments":{"repair-meters":"storedBytes"}}\n',
        b'{"version":1,"command":"backup","arguments":{"to":"relative"}}\n',
        b'{"version":1,"command":"backup","arguments":{"to":7}}\n',
        b'{"version":1,"command":"restore","arguments":{"from":"/backups"}}\n',
        b'{"version":1,"command":"\xff\xfe","arguments":{}}\n',
        b"[" * 5000 + b"\n",
        b"x" * 70000 + b"\n",
    ],
)
def test_wrong_lines_are_refused(server, line):
    said = speak(server, line)
    if len(line) < 65536:
        assert json.loads(said)["failure"]["message"]
    assert "no problems" in done(run("check", data=server.data))


def test_who_says_nothing_is_let_go(server):
    begun = time.monotonic()
    assert speak(server, b'{"version":1,') == b""
    assert time.monotonic() - begun < 15 * SLOW


def test_many_connections_starve_nobody(server):
    waiting = []
    for _ in range(40):
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(str(socket_of(server)))
        waiting.append(connection)
    try:
        assert server.http.get("/api/v1/health").status_code == 200
    finally:
        for connection in waiting:
            connection.close()
    assert "no problems" in done(run("check", data=server.data))


def test_many_commands_at_once(server):
    running = [
        subprocess.Popen(
            [str(binary()), "check", "--data", str(server.data)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=server.folder,
        )
        for _ in range(8)
    ]
    ended = [(process.communicate(timeout=60 * SLOW), process.returncode) for process in running]
    assert any(code == 0 for _, code in ended)
    for (_, error), code in ended:
        assert code == 0 or "check is running already" in error, error


def test_a_stale_socket_is_taken_over(make_server):
    server = make_server().start()
    server.kill()
    assert socket_of(server).exists()
    # No server listens: the program opens the store itself.
    assert "no problems" in done(run("check", data=server.data))
    server.start()
    assert "no problems" in done(run("check", data=server.data))
    server.stop()
    assert not socket_of(server).exists()


def test_a_directory_with_a_long_path(make_server, tmp_path):
    folder = tmp_path / ("long" * 30)
    server = make_server(data=folder / "data").start()
    assert len(str(socket_of(server))) > 108 and socket_of(server).exists()
    assert "no problems" in done(run("check", data=server.data))
    server.stop()
    assert not socket_of(server).exists()


@pytest.mark.embedded("it is the database that is in use, not the data directory")
def test_in_use_by_a_process_that_takes_no_commands(make_server):
    server = make_server().start()
    socket_of(server).unlink()
    complains(run("check", data=server.data), "in use by another process")


def test_a_stop_during_a_command(make_server):
    """The command ends with one line, the server stops with success, and no files are left behind."""
    server = make_server().start()
    project = PlatformUser(server).create_project()
    things = project.collection(indexes=[{"keys": {"n": 1}}])
    for n in range(200):
        project.admin.create(things, {"n": n})
    running = [
        subprocess.Popen(
            [str(binary()), name, "--data", str(server.data), *more],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=server.folder,
            env=environment(server.data),
        )
        for name, *more in (["check"], ["compact"], ["backup", "--to", str(server.folder / "b")])
    ]
    server.stop()
    for process in running:
        out, error = process.communicate(timeout=60 * SLOW)
        assert process.returncode in (0, 1) and len(error.splitlines()) <= 1, error
    assert [path.name for path in server.folder.iterdir() if ".partial" in path.name] == []
    assert "no problems" in done(run("check", data=server.data))


def test_an_interrupted_command_leaves_nothing(make_server, tmp_path):
    server = make_server().start()
    project = PlatformUser(server).create_project()
    project.admin.create(project.collection(), {"n": 1})
    server.stop()
    for wait in (0.0, 0.01, 0.05):
        process = subprocess.Popen(
            [str(binary()), "backup", "--data", str(server.data), "--to", str(tmp_path / f"b{wait}")],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=tmp_path,
        )
        time.sleep(wait)
        process.send_signal(signal.SIGINT)
        process.wait(60 * SLOW)
        assert not [path for path in tmp_path.iterdir() if ".partial" in path.name]
    assert "no problems" in done(run("check", data=server.data))


def test_settings_that_are_wrong(tmp_path):
    ran = run("check", data=tmp_path, settings={"SERVICE_STORE_CACHE": "lots", "PATH": os.environ["PATH"]})
    complains(ran, "SERVICE_STORE_CACHE")
