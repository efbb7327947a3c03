"""Vector configs in the admin API."""

import pytest

from support.client import ok, refused, unique

FIELD = {"name": "embedding", "dimensions": 3, "metric": "cosine", "mode": "manual"}


def route(collection: str) -> str:
    return f"/admin/collections/{collection}/vector-config"


def test_a_collection_without_a_config_shows_null(project, admin):
    name = project.collection()
    assert ok(admin.get(route(name))) == {"config": None, "indexes": []}
    ok(admin.delete(route(name)), 204)


def test_set_read_list_and_remove(project, admin):
    name = project.collection()
    ok(admin.put(route(name), {"fields": [FIELD]}), 204)
    shown = ok(admin.get(route(name)))
    assert shown["config"] == {"fields": [FIELD]}
    assert [index["field"] for index in shown["indexes"]] == ["embedding"]
    assert {"collection": name, "fields": [FIELD]} in ok(admin.get("/admin/vector-configs"))["configs"]
    ok(admin.delete(route(name)), 204)
    assert ok(admin.get(route(name))) == {"config": None, "indexes": []}
    assert name not in [each["collection"] for each in ok(admin.get("/admin/vector-configs"))["configs"]]


def test_metric_and_mode_have_defaults(project, admin):
    name = project.collection()
    ok(admin.put(route(name), {"fields": [{"name": "v", "dimensions": 2}]}), 204)
    assert ok(admin.get(route(name)))["config"] == {
        "fields": [{"name": "v", "dimensions": 2, "metric": "cosine", "mode": "manual"}]
    }


def test_all_that_a_config_may_say_comes_back(project, admin):
    name = project.collection()
    fields = [
        {**FIELD, "metric": "dot", "index": {"m": 8, "efConstruction": 64, "efSearch": 50}},
        {
            "name": "other",
            "dimensions": 4096,
            "metric": "euclidean",
            "source": {"fields": ["title", "body.text"], "template": "{{title}}: {{ body.text }}"},
            "mode": "manual",
        },
    ]
    ok(admin.put(route(name), {"fields": fields}), 204)
    assert ok(admin.get(route(name)))["config"]["fields"] == fields


@pytest.mark.parametrize(
    "change, path",
    [
        ({"name": ""}, "/fields/0/name"),
        ({"name": "a.b"}, "/fields/0/name"),
        ({"name": "id"}, "/fields/0/name"),
        ({"name": "_score"}, "/fields/0/name"),
        ({"name": "x" * 65}, "/fields/0/name"),
        ({"name": 1}, "/fields/0/name"),
        ({"dimensions": 0}, "/fields/0/dimensions"),
        ({"dimensions": 4097}, "/fields/0/dimensions"),
        ({"dimensions": 1.5}, "/fields/0/dimensions"),
        ({"dimensions": "3"}, "/fields/0/dimensions"),
        ({"metric": "manhattan"}, "/fields/0/metric"),
        ({"mode": "both"}, "/fields/0/mode"),
        ({"source": {"fields": []}}, "/fields/0/source/fields"),
        ({"source": {"fields": ["$a"]}}, "/fields/0/source/fields/0"),
        ({"source": {"fields": ["a", "a"]}}, "/fields/0/source/fields/1"),
        ({"source": {"fields": ["a"], "template": "{{b}}"}}, "/fields/0/source/template"),
        ({"source": {"fields": ["a"], "template": "{{a"}}, "/fields/0/source/template"),
        ({"source": {"fields": ["a"], "template": "none"}}, "/fields/0/source/template"),
        ({"index": {"m": 1}}, "/fields/0/index/m"),
        ({"index": {"efConstruction": 1001}}, "/fields/0/index/efConstruction"),
        ({"index": {"efSearch": 0}}, "/fields/0/index/efSearch"),
        ({"index": {"ef": 1}}, "/fields/0/index/ef"),
        ({"mode": "auto"}, "/fields/0/source"),
        ({"mode": "auto", "source": {"fields": ["title"]}}, "/fields/0/mode"),
        ({"unknown": 1}, "/fields/0/unknown"),
    ],
)
def test_what_a_config_may_not_be(project, admin, change, path):
    name = project.collection()
    error = refused(admin.put(route(name), {"fields": [{**FIELD, **change}]}), 400, "VALIDATION")
    assert path in [detail["path"] for detail in error["details"]], error
    assert ok(admin.get(route(name)))["config"] is None


@pytest.mark.parametrize("body", [{}, {"fields": []}, {"fields": {}}, {"fields": [FIELD] * 2}, {"fields": [1]}])
def test_fields_are_one_to_eight_of_different_names(project, admin, body):
    refused(admin.put(route(project.collection()), body), 400, "VALIDATION")


def test_nine_fields_are_too_many(project, admin):
    fields = [{**FIELD, "name": f"v{n}"} for n in range(9)]
    refused(admin.put(route(project.collection()), {"fields": fields}), 400, "VALIDATION")


def test_collections_that_are_not_there(admin):
    refused(admin.get(route("nowhere")), 404, "NOT_FOUND")
    refused(admin.put(route("nowhere"), {"fields": [FIELD]}), 404, "NOT_FOUND")
    refused(admin.delete(route("nowhere")), 404, "NOT_FOUND")


def test_permissions(project, alice):
    name = project.collection()
    reader = project.member(project.role("collections:read"))
    ok(reader.get(route(name)))
    ok(reader.get("/admin/vector-configs"))
    refused(reader.put(route(name), {"fields": [FIELD]}), 403, "FORBIDDEN")
    refused(reader.delete(route(name)), 403, "FORBIDDEN")
    refused(alice.get(route(name)), 403, "FORBIDDEN")
    ok(project.member(project.role("collections:manage")).put(route(name), {"fields": [FIELD]}), 204)


def test_changes_are_audited(project, admin):
    name = project.collection()
    ok(admin.put(route(name), {"fields": [FIELD]}), 204)
    ok(admin.delete(route(name)), 204)
    for action in ("vectors.set", "vectors.clear"):
        entries = ok(admin.get("/admin/audit", params={"action": action}))["entries"]
        assert f"collections/{name}" in [entry["target"] for entry in entries]


def test_a_config_goes_with_its_collection(project, admin):
    name, other = project.collection(), unique("c")
    ok(admin.put(route(name), {"fields": [FIELD]}), 204)
    ok(admin.put(f"/admin/collections/{name}/schema", {"type": "object"}), 204)
    ok(admin.post(f"/admin/collections/{name}/rename", {"to": other}), 204)
    assert ok(admin.get(route(other)))["config"] == {"fields": [FIELD]}
    refused(admin.get(route(name)), 404, "NOT_FOUND")
    ok(admin.delete(f"/admin/collections/{other}"), 204)
    ok(admin.post("/admin/collections", {"name": other}), 201)
    assert ok(admin.get(route(other))) == {"config": None, "indexes": []}


def test_configs_are_part_of_a_projects_configuration(owner, project, admin):
    name = project.collection()
    fields = [{**FIELD, "index": {"m": 8}}, {**FIELD, "name": "second", "metric": "dot"}]
    ok(admin.put(route(name), {"fields": fields}), 204)
    exported = ok(admin.get("/admin/config-export"))
    assert {"collection": name, "fields": fields} in exported["vectors"]
    assert [each["collection"] for each in exported["vectors"]] == sorted(e["collection"] for e in exported["vectors"])

    target = owner.create_project()
    applied = ok(target.admin.post("/admin/config-import", exported))
    assert applied["plan"]["summary"]["create"] > 0
    assert ok(target.admin.get(route(name)))["config"] == {"fields": fields}
    again = ok(target.admin.post("/admin/config-import", exported, params={"dryRun": "1"}))
    assert again["plan"]["summary"]["create"] == again["plan"]["summary"]["update"] == 0

    exported["vectors"] = [{"collection": name, "fields": [{**FIELD, "metric": "euclidean"}]}]
    ok(target.admin.post("/admin/config-import", exported))
    assert ok(target.admin.get(route(name)))["config"]["fields"] == [{**FIELD, "metric": "euclidean"}]


@pytest.mark.parametrize(
    "entry, path",
    [
        ({"collection": "nowhere", "fields": [FIELD]}, "/vectors/0/collection"),
        ({"collection": "here", "fields": []}, "/vectors/0/fields"),
        ({"collection": "here", "fields": [{**FIELD, "dimensions": 0}]}, "/vectors/0/fields/0/dimensions"),
        ({"fields": [FIELD]}, "/vectors/0/collection"),
        ({"collection": "here", "fields": [{**FIELD, "mode": "auto"}]}, "/vectors/0/fields/0/mode"),
    ],
)
def test_an_import_names_what_is_wrong(owner, entry, path):
    project = owner.create_project()
    document = {"formatVersion": 1, "collections": [{"name": "here"}], "vectors": [entry]}
    error = refused(project.admin.post("/admin/config-import", document), 400, "VALIDATION")
    assert path in [detail["path"] for detail in error["details"]], error
    assert ok(project.admin.get("/admin/collections"))["collections"] == []


def test_an_environment_gets_them(owner, project, admin):
    name = project.collection()
    ok(admin.put(route(name), {"fields": [FIELD]}), 204)
    made = ok(owner.post(f"/control/projects/{project.id}/environments", {"environment": "stage"}), 201)["project"]
    assert not made.get("warnings"), made
    assert ok(owner.exchange(made["id"]).get(route(name)))["config"] == {"fields": [FIELD]}
