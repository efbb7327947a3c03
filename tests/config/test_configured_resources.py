"""Resources as part of a project's configuration: export, import, environments, promotion, bundles."""

import json

import pytest

from support.client import ok, refused
from support.commands import done
from support.configured_resources import RESOURCES
from support.person import Folder, Person


@pytest.fixture(scope="module")
def server_settings():
    # All calls of the command line come from one address.
    return {"SERVICE_AUTH_RATE_LIMIT": "1000/60"}


@pytest.fixture(params=RESOURCES, ids=str)
def resource(request):
    return request.param


@pytest.fixture
def source(owner, resource):
    project = owner.create_project()
    resource.create(project.admin)
    return project


@pytest.fixture
def fresh(owner):
    return owner.create_project()


def import_into(admin, document, **params) -> dict:
    return ok(admin.post("/admin/config-import", document, params=params))


def test_an_export_holds_them_by_name_without_secrets(resource, source):
    response = source.admin.get("/admin/config-export")
    entries = ok(response)[resource.section]
    assert [entry["name"] for entry in entries] == resource.names
    resource.check_export(entries)
    assert "secret-of" not in response.text and "whsec_" not in response.text and "configured" not in response.text


def test_an_import_makes_the_same_and_a_second_one_nothing(resource, source, fresh):
    document = ok(source.admin.get("/admin/config-export"))
    created = [(name, "create") for name in resource.names]
    assert resource.actions(import_into(fresh.admin, document, dryRun="1")) == created
    assert resource.views(fresh.admin) == []
    imported = import_into(fresh.admin, document)
    assert resource.actions(imported) == created
    assert {each["before"] for each in imported["plan"]["changes"] if each["section"] == resource.section} == {None}
    resource.check_imported(resource.views(fresh.admin))
    assert json.dumps(resource.exported(fresh.admin)) == json.dumps(document[resource.section])
    for project in (fresh, source):
        again = import_into(project.admin, document)
        assert resource.actions(again) == [(name, "unchanged") for name in resource.names]
        assert again["plan"]["summary"]["create"] == again["plan"]["summary"]["update"] == 0


def test_an_import_changes_what_differs_and_keeps_state(resource, source):
    name = resource.changed["name"]
    before = {each: resource.read(source.admin, each) for each in resource.names}
    others = [entry for entry in resource.exported(source.admin) if entry["name"] != name]
    imported = import_into(source.admin, resource.document(resource.changed, *others))
    wanted = [(each, "update" if each == name else "unchanged") for each in resource.names]
    assert sorted(resource.actions(imported)) == sorted(wanted)
    for each in resource.names:
        view = resource.read(source.admin, each)
        assert resource.kept(view) == resource.kept(before[each])
        assert each == name or view == before[each]
    changed = resource.read(source.admin, name)
    assert {key: changed[key] for key in resource.changed} == resource.changed


def test_every_problem_is_reported_and_nothing_changes(resource, source):
    before = resource.exported(source.admin)
    document = resource.document(*(entry for entry, _ in resource.refused))
    error = refused(source.admin.post("/admin/config-import", document), 400, "VALIDATION")
    found = {detail["path"] for detail in error["details"]}
    for number, (entry, problem) in enumerate(resource.refused):
        at = f"/{resource.section}/{number}"
        if problem is None:
            assert not [path for path in found if path == at or path.startswith(at + "/")], entry
        else:
            assert (f"{at}/{problem}" if problem else at) in found, entry
    assert resource.exported(source.admin) == before


def test_a_change_takes_the_permission_of_the_resource(resource, source):
    member = source.member(source.role("config:manage", f"{resource.section}:read"))
    document = resource.document(*resource.exported(source.admin))
    refused(member.post("/admin/config-import", resource.document(resource.changed)), 403, "FORBIDDEN")
    import_into(member, document)


def test_environments_and_promotion_carry_them_without_state(resource, owner, source):
    stage = ok(owner.post(f"/control/projects/{source.id}/environments", {"environment": "stage"}), 201)["project"]
    assert not stage.get("warnings"), stage
    admin = owner.exchange(stage["id"])
    assert resource.exported(admin) == resource.exported(source.admin)
    resource.check_imported(resource.views(admin))
    name, patch, wanted = resource.patch
    before = resource.read(source.admin, name)
    ok(admin.patch(f"{resource.route}/{name}", patch), 204)
    ok(owner.post("/control/environments/promote", {"fromProjectId": stage["id"], "toProjectId": source.id}))
    after = resource.read(source.admin, name)
    assert {key: after[key] for key in wanted} == wanted
    assert resource.kept(after) == resource.kept(before)


def test_a_bundle_carries_and_prunes_them(resource, server, tmp_path):
    person = Person(server, tmp_path).login()
    project = person.user.create_project()
    resource.create(project.admin)
    before = resource.views(project.admin)
    folder = Folder(person, person.work, project)
    done(folder.run("link", "--project", project.slug))
    done(folder.run("pull"))
    files = {path: text for path, text in folder.files().items() if path.startswith(f"{resource.section}/")}
    assert sorted(files) == [f"{resource.section}/{name}{end}" for name in resource.names for end in resource.file_ends]
    assert not any("secret" in text for text in files.values())
    assert all(text.endswith("\n") and not text.endswith("\n\n") for text in files.values())
    assert "nothing changed" in done(folder.run("status"))
    assert done(folder.run("push", "--yes")).endswith("has all of this already\n")
    assert resource.views(project.admin) == before
    for end in resource.file_ends:
        (folder.bundle / f"{resource.section}/{resource.names[-1]}{end}").unlink()
    done(folder.run("push", "--yes"))
    assert resource.views(project.admin) == before
    done(folder.run("push", "--prune", "--yes"))
    assert {view["name"] for view in resource.views(project.admin)} == set(resource.names[:-1])
    assert "nothing changed" in done(folder.run("status"))
