"""The secret and the state of webhooks over imports. What they have in common with other resources:
tests/config/test_configured_resources.py."""

from support.client import ok, refused
from support.configured_resources import Webhooks, source_of

RESOURCE = Webhooks()
source = source_of(RESOURCE)


def test_an_imported_one_is_enabled_once_it_has_a_secret(owner, source):
    fresh = owner.create_project()
    ok(fresh.admin.post("/admin/config-import", RESOURCE.document(*RESOURCE.exported(source.admin))))
    refused(fresh.admin.patch("/admin/webhooks/orders", {"enabled": True}), 409, "CONFLICT")
    refused(fresh.admin.post("/admin/webhooks/orders/test"), 409, "CONFLICT")
    assert ok(fresh.admin.post("/admin/webhooks/orders/rotate-secret"))["secret"].startswith("whsec_")
    ok(fresh.admin.patch("/admin/webhooks/orders", {"enabled": True}), 204)


def test_an_import_neither_enables_nor_keeps_optional_fields(source):
    plain, _ = RESOURCE.exported(source.admin)
    ok(source.admin.patch("/admin/webhooks/Plain", {"enabled": False}), 204)
    document = RESOURCE.document(RESOURCE.changed, {**plain, "enabled": True})
    imported = ok(source.admin.post("/admin/config-import", document))
    assert RESOURCE.actions(imported) == [("Plain", "unchanged"), ("orders", "update")]
    orders = RESOURCE.read(source.admin, "orders")
    assert "fields" not in orders and orders["enabled"] is True
    assert RESOURCE.read(source.admin, "Plain")["enabled"] is False
