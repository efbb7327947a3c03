"""`manybase audit verify`: the chain of audit entries stays intact over kills, backups and restores, and shows
tampering."""

import hashlib
import json
from concurrent.futures import ThreadPoolExecutor

import bson
import pytest

from support.client import PlatformUser, ok, unique
from support.commands import complains, done, run

VERIFY = "audit verify"


def verify(data, *arguments, code: int = 0) -> dict:
    """Runs the command; returns the chains by slug, that of the instance under None."""
    ran = run(VERIFY, "--json", *arguments, data=data)
    assert ran.returncode == code, (ran.stdout, ran.stderr)
    found = json.loads(ran.stdout)
    by_slug = {chain.get("slug"): chain for chain in found["chains"]}
    assert found["broken"] == sum("problem" in chain for chain in by_slug.values())
    return by_slug


def busy(project, count: int = 6):
    for _ in range(count):
        project.role("audit:read", name=unique("r"))


@pytest.fixture
def deployment(make_server):
    server = make_server().start()
    owner = PlatformUser(server)
    project = owner.create_project()
    project.end_user()
    busy(project)
    return server, owner, project


def count(project) -> int:
    return len(ok(project.admin.get("/admin/audit", params={"limit": 200}))["entries"])


def test_running_and_stopped(deployment):
    server, owner, project = deployment
    other = owner.create_project()
    found = verify(server.data)
    assert set(found) == {None, project.slug, other.slug}
    chain = found[project.slug]
    assert chain["project"] == project.id and chain["entries"] == chain["head"]["seq"] == count(project)
    assert chain["older"] == chain["pruned"] == 0 and chain["from"] < chain["to"] and len(chain["head"]["hash"]) == 64
    server.stop()
    assert verify(server.data) == found
    assert verify(server.data, "--project", project.slug) == {project.slug: chain}
    text = done(run(VERIFY, "--project", project.id, data=server.data))
    assert f"project {project.slug} ({project.id}): {chain['entries']} entries from " in text
    assert f"head {chain['head']['seq']} {chain['head']['hash']}\n" in text and "1 chains are whole" in text
    server.start()
    busy(project, 1)
    assert verify(server.data)[project.slug]["entries"] == chain["entries"] + 1


def test_a_head_that_was_kept(deployment):
    server, _, project = deployment
    head = verify(server.data)[project.slug]["head"]["hash"]
    busy(project, 2)
    for arguments in (("--head", head), ("--head", head.upper()), ("--head", head, "--project", project.id)):
        verify(server.data, *arguments)
    other = ("0" if head[0] != "0" else "1") + head[1:]
    ran = run(VERIFY, "--head", other, data=server.data)
    assert ran.returncode == 1 and f"no chain holds the hash {other}" in ran.stdout


def test_called_wrongly(deployment, tmp_path):
    server, _, _ = deployment
    for head in ("", "12", "g" * 64, "a" * 65):
        assert run(VERIFY, "--head", head, data=server.data).returncode == 2
    complains(run(VERIFY, "--project", "nowhere", data=server.data), "there is no project nowhere")
    complains(run(VERIFY, data=tmp_path / "nothing"), "there is no store")
    assert run("audit").returncode == 2 and run("audit", "check").returncode == 2
    assert "--head" in done(run(VERIFY, "--help"))


def test_many_writers_at_once(deployment):
    server, owner, project = deployment
    projects = [project, owner.create_project(), owner.create_project()]
    before = {each.slug: verify(server.data)[each.slug]["entries"] for each in projects}
    with ThreadPoolExecutor(24) as pool:
        list(pool.map(lambda number: busy(projects[number % 3], 5), range(48)))
    found = verify(server.data)
    assert {each.slug: found[each.slug]["entries"] for each in projects} == {
        slug: entries + 80 for slug, entries in before.items()
    }


def test_killed_at_work(deployment):
    server, _, project = deployment
    for _ in range(3):
        acknowledged = []

        def work(_, project=project, acknowledged=acknowledged):
            try:
                for _ in range(30):
                    busy(project, 1)
                    acknowledged.append(1)
            except Exception:
                pass  # the server was killed

        before = verify(server.data)[project.slug]["entries"]
        with ThreadPoolExecutor(6) as pool:
            working = [pool.submit(work, each) for each in range(6)]
            while len(acknowledged) < 20 and not all(each.done() for each in working):
                pass
            server.kill()
        assert verify(server.data)[project.slug]["entries"] >= before + len(acknowledged)
        server.start()
        verify(server.data)


# ---- backup and restore


def test_a_whole_restore_carries_it(deployment, make_server, tmp_path):
    server, _, project = deployment
    done(run("backup", "--data", server.data, "--to", tmp_path / "all", "--with-secret"))
    found = verify(server.data)
    done(run("restore", "--from", tmp_path / "all", data=tmp_path / "again"))
    assert verify(tmp_path / "again") == found


def test_a_project_restored_carries_it(deployment, tmp_path):
    server, owner, project = deployment
    chain = verify(server.data)[project.slug]
    done(run("backup", "--data", server.data, "--to", tmp_path / "one", "--project", project.slug))
    restore = ("restore", "--data", server.data, "--from", tmp_path / "one", "--project", project.slug)
    done(run(*restore, "--as", "copy"))
    copy = verify(server.data, "--head", chain["head"]["hash"])["copy"]
    # Its own entry follows the last one of the original.
    assert copy["entries"] == chain["entries"] + 1 and copy["from"] == chain["from"]
    ok(owner.delete(f"/control/projects/{project.id}"), 204)
    done(run(*restore))
    again = verify(server.data, "--head", chain["head"]["hash"], "--project", project.slug)[project.slug]
    assert again["entries"] == chain["entries"] + 1
    project.admin = owner.exchange(project.id)
    busy(project, 2)
    assert verify(server.data)[project.slug]["entries"] == chain["entries"] + 3


def rewritten(backup, change) -> None:
    """Applies `change` to the records of the audit collection in a backup of one project, and writes new checksums."""
    path = backup / "project.bson"
    records, out, section = bson.decode_all(path.read_bytes()), [], None
    audit = [each["document"] for each in in_section(records, "__audit")]
    kept = change([dict(each) for each in audit])
    for record in records:
        if "system" in record:
            section = record["system"]["name"]
        if "collection" in record:
            section = None
        if "document" in record and section == "__audit":
            continue
        if "end" in record:
            record["end"]["documents"] += len(kept) - len(audit)
        out.append(record)
        if "system" in record and section == "__audit":
            out.extend({"document": each} for each in sorted(kept, key=lambda each: each["id"]))
    content = b"".join(bson.encode(each) for each in out)
    path.write_bytes(content)
    manifest = json.loads((backup / "manifest.json").read_text())
    manifest["counts"]["documents"] += len(kept) - len(audit)
    for file in manifest["files"]:
        file |= {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    text = json.dumps(manifest)
    (backup / "manifest.json").write_text(text)
    (backup / "SHA256SUMS").write_text(f"{hashlib.sha256(text.encode()).hexdigest()}  manifest.json\n")


def in_section(records: list[dict], name: str) -> list[dict]:
    section, found = None, []
    for record in records:
        if "system" in record or "collection" in record:
            section = record.get("system", {}).get("name")
        elif "document" in record and section == name:
            found.append(record)
    return found


def without(place):
    return lambda entries: [each for each in entries if each["seq"] != place]


def edited(place):
    def change(entries):
        for each in entries:
            if each["seq"] == place:
                each["details"] = {"permissions": ["users:read"]}
        return entries

    return change


def swapped(entries):
    second, third = (next(each for each in entries if each["seq"] == place) for place in (2, 3))
    for name in ("seq", "prev", "hash"):
        second[name], third[name] = third[name], second[name]
    return entries


def stripped(entries):
    for each in entries:
        if each["seq"] == 4:
            del each["seq"], each["prev"], each["hash"]
    return entries


@pytest.mark.parametrize(
    "change, problem",
    [
        (lambda entries: entries, None),
        (without(3), "entry 3 is missing, before aud_"),
        (without(1), "entry 1 is missing at the beginning"),
        (edited(4), "entry 4 (aud_"),
        (swapped, "entry 2 (aud_"),
        (stripped, "entry 4 is missing, before aud_"),
        (lambda entries: [each for each in entries if each["seq"] < 5], "is missing, before aud_"),
    ],
    ids=["untouched", "removed", "first", "edited", "swapped", "stripped", "truncated"],
)
def test_what_was_tampered_with_shows(deployment, tmp_path, change, problem):
    server, _, project = deployment
    backup = tmp_path / "one"
    done(run("backup", "--data", server.data, "--to", backup, "--project", project.slug))
    rewritten(backup, change)
    done(run("restore", "--data", server.data, "--from", backup, "--project", project.slug, "--as", "doctored"))
    found = verify(server.data, code=0 if problem is None else 1)
    assert "problem" not in found[project.slug]
    if problem is None:
        assert "problem" not in found["doctored"]
        return
    problem_found = found["doctored"]["problem"]
    # The entry about the restore follows the recorded end, so that a truncation shows before it.
    assert problem in problem_found or "are missing, before aud_" in problem_found, problem_found
    ran = run(VERIFY, "--project", "doctored", data=server.data)
    assert ran.returncode == 1 and f"  BROKEN: {problem_found}" in ran.stdout and "1 of 1 chains are broken" in ran.stdout
