"""The routes of introspection in a project without a database of its owner."""

import pytest

from support.client import refused

CALLS = [
    ("get", "/admin/introspect"),
    ("get", "/admin/introspect/orders"),
    ("post", "/admin/introspect/orders/import"),
    ("post", "/admin/introspect/orders/backfill"),
]


@pytest.mark.parametrize("method, path", CALLS)
def test_other_projects_have_no_introspection(project, method, path):
    refused(getattr(project.admin, method)(path), 404, "NOT_FOUND")
    refused(getattr(project.member("Editor"), method)(path), 403, "FORBIDDEN")


@pytest.mark.parametrize("sample", ["0", "1001", "-1", "x", "", "1.5"])
def test_samples_out_of_range(project, sample):
    refused(project.admin.get("/admin/introspect/orders", params={"sample": sample}), 400, "INVALID_PARAM")


def test_bodies_of_other_shapes(project):
    for path, body in (("import", {"name": 5}), ("import", {"other": 1}), ("backfill", {"limit": "x"})):
        refused(project.admin.post(f"/admin/introspect/orders/{path}", body), 400, "VALIDATION")
