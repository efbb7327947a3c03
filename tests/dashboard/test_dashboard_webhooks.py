"""The webhooks of a project: what they send and whether it arrived."""

import json
import re
import subprocess
import sys

import pytest
from playwright.sync_api import expect

from support.client import ok
from support.hook import Hook
from support.node_packages import NODE
from support.waiting import wait_until


@pytest.fixture(scope="module")
def server_settings(server_settings):
    """The receiver of deliveries is on this machine."""
    return {**server_settings, "SERVICE_OUTBOUND_ALLOW": "127.0.0.1/32"}


@pytest.fixture
def shop(developer):
    return developer.create_project("Bookshop")


def test_from_creation_to_a_verified_delivery(person, developer, shop, receiver, tmp_path):
    page = person.page
    collection = shop.collection("orders")
    person.expect_refusals(400)
    person.sign_in(developer, f"/p/{shop.slug}/webhooks")
    page.get_by_text("A webhook sends each change").wait_for()
    person.look()
    person.press("New webhook")
    dialog = page.get_by_role("dialog", name="New webhook")
    person.alert("Every document is sent whole")
    person.look()

    # Mistakes stay where they were made, and nothing typed is lost.
    person.fill(name="not a name!", collection=collection, url="ftp://example.com")
    dialog.get_by_label("Further headers").fill("no header")
    person.press("Create webhook")
    expect(dialog.get_by_text("“no header” is not of the form")).to_be_visible()
    dialog.get_by_label("Further headers").fill("x-team: red")
    for box in ("Inserts", "Updates and replacements", "Deletes"):
        dialog.get_by_label(box).uncheck()
    person.press("Create webhook")
    assert person.error_of("name")
    assert person.error_of("url")
    expect(dialog.get_by_role("group", name="Send")).to_have_accessible_description(re.compile(".+"))
    person.key("Escape")
    expect(page.get_by_role("alertdialog", name="Discard what you have typed?")).to_be_visible()
    person.press("Go back to it")

    person.fill(name="orders", url=receiver.url("/orders"))
    dialog.get_by_label("Inserts").check()
    dialog.get_by_label("Only these fields").fill("total\n\n buyer.name ")
    expect(page.get_by_text("Every document is sent whole")).to_have_count(0)
    person.press("Create webhook")
    secret = page.get_by_role("dialog", name="Signing secret").locator("pre")
    secret.wait_for()
    key = secret.inner_text().strip()
    person.look()
    person.press("the line for .env")
    expect(secret).to_have_text(f"WEBHOOK_SECRET={key}")
    person.press("I have copied it")
    person.heading("orders")
    assert key not in page.content()
    made = ok(shop.admin.get("/admin/webhooks/orders"))["webhook"]
    assert made["fields"] == ["total", "buyer.name"] and made["headers"] == {"x-team": "red"} and made["events"] == ["insert"]

    ok(shop.admin.post(f"/admin/collections/{collection}/documents", {"total": 12, "hidden": 1}), 201)
    [request] = receiver.wait("/orders")
    assert request.body["document"] == {"total": 12}
    row = page.get_by_role("row").filter(has_text="insert")
    expect(row).to_contain_text("delivered", timeout=30_000)
    person.look()

    # The code that is shown verifies what was sent, and nothing else.
    page.get_by_role("tab", name="Verify").click()
    shown = page.get_by_role("region", name="the code that verifies")
    for language, name, command in (("JavaScript", "hook.mjs", [NODE]), ("Python", "hook.py", [sys.executable])):
        person.press(language)
        (tmp_path / name).write_text(shown.inner_text())
        calls = {
            "hook.mjs": "import { verify } from './hook.mjs'; import { readFileSync } from 'node:fs';\n"
            "const [body, header, secret] = JSON.parse(readFileSync('given.json', 'utf8'));\n"
            "console.log(verify(Buffer.from(body), header, secret).event);",
            "hook.py": "import json, hook\nbody, header, secret = json.load(open('given.json'))\n"
            "print(hook.verify(body.encode(), header, secret)['event'])",
        }
        script = tmp_path / f"main.{name.split('.')[1]}"
        script.write_text(calls[name])
        signature = request.headers["x-service-signature"]
        for given, genuine in ((signature, True), (signature[:-1] + ("0" if signature[-1] != "0" else "1"), False)):
            (tmp_path / "given.json").write_text(json.dumps([request.raw.decode(), given, key]))
            ran = subprocess.run([*command, script], cwd=tmp_path, capture_output=True, text=True, timeout=60)
            assert (ran.stdout.strip() == "insert") is genuine, ran.stderr
            assert genuine or "not genuine" in ran.stderr
    for language in ("Go", "Java", "PHP"):
        person.press(language)
        expect(shown).to_contain_text("not genuine")
    person.look()


def test_why_a_delivery_failed_and_again(person, developer, shop, receiver):
    page = person.page
    hook = Hook(shop, receiver, name="billing")
    person.sign_in(developer, f"/p/{shop.slug}/webhooks/billing")
    page.get_by_text("Nothing was delivered yet.").wait_for()
    person.look()
    hook.answer(503)
    person.press("Send a test")
    person.alert("The test was not accepted. 503")
    person.alert("The receiver met an error.")
    row = page.get_by_role("row").filter(has_text="test")
    expect(row).to_contain_text("failed")
    person.look()
    hook.answer(204)
    page.get_by_role("button", name="Redeliver the test").click()
    expect(page.get_by_text("The receiver responded with 204")).to_be_visible()
    expect(row).to_have_count(2)
    page.get_by_label("Failed ones only").check()
    expect(row).to_have_count(1)
    assert "failed=true" in page.url
    page.reload()
    expect(row).to_have_count(1)

    # The old secret ends with the new one.
    person.press("Rotate secret")
    page.get_by_role("dialog", name="Rotate the secret of billing?").wait_for()
    person.look()
    page.get_by_role("dialog").get_by_role("button", name="Rotate secret").click()
    secret = page.get_by_role("dialog", name="Signing secret").locator("pre")
    assert secret.inner_text().strip() not in ("", hook.secret)
    person.key("Escape")
    expect(page.get_by_role("alertdialog")).to_contain_text("It is not shown again")
    page.get_by_role("alertdialog").get_by_role("button", name="Close").click()
    expect(page.get_by_role("dialog")).to_have_count(0)

    # Only what changed is saved.
    page.get_by_role("tab", name="Settings").click()
    person.alert("Every document is sent whole")
    person.look()
    person.press("Edit")
    dialog = page.get_by_role("dialog", name="Settings of billing")
    dialog.get_by_label("Only these fields").fill("total")
    person.press("Save")
    expect(page.get_by_text("The settings of billing are saved.")).to_be_visible()
    expect(page.get_by_text("Every document is sent whole")).to_have_count(0)
    found = hook.read()
    assert found["fields"] == ["total"] and found["events"] == ["insert", "update", "delete"]
    person.press("Show the call")
    expect(page.get_by_role("dialog").locator("pre").nth(2)).to_contain_text('admin.testWebhook("billing")')
    person.key("Escape")

    person.press("Delete")
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    page.get_by_text("A webhook sends each change").wait_for()
    assert shop.admin.get(hook.route).status_code == 404


def test_switched_by_keyboard_alone(person, developer, shop, receiver):
    person.expect_refusals(404)
    hook = Hook(shop, receiver, name="stock")
    person.sign_in(developer, f"/p/{shop.slug}/webhooks")
    person.page.get_by_role("switch").wait_for()
    person.look()
    person.tab_to("Deliveries of stock", 60)
    person.key("Space")
    expect(person.page.get_by_role("switch")).to_have_attribute("aria-checked", "false")
    wait_until(lambda: hook.read()["enabled"] is False, 10)
    person.tab_to("New webhook", 60)
    person.key("Enter")
    person.has_focus("Name")
    person.key("Escape")
    person.has_focus("New webhook")
    person.go(f"/p/{shop.slug}/webhooks/gone")
    person.page.get_by_text("There is no webhook of this name").wait_for()
    person.look()


def test_a_viewer_reads_hostile_texts(viewer_at, shop, receiver):
    # A copy without a secret, and texts that a page must show as they are.
    hostile = "<img src=x onerror=alert(1)>\u202e"
    for at in range(6):
        Hook(shop, receiver, name=f"h{at}", headers={"x-evil": "<script>alert(1)</script>"}, fields=[hostile])
    person = viewer_at(shop, "/webhooks?find=h3")
    expect(person.page.get_by_text("1 webhook", exact=True)).to_be_visible()
    main = person.page.get_by_role("main")
    assert main.get_by_role("switch").count() == 0
    person.page.get_by_label("Filter webhooks").fill("nothing of it")
    person.page.get_by_text("No webhook has this text.").wait_for()
    person.press("Clear")
    expect(main.get_by_role("link")).to_have_count(6)
    person.look()
    person.follow("h3")
    person.page.get_by_role("tab", name="Settings").click()
    expect(main).to_contain_text(hostile)
    expect(main).to_contain_text("x-evil: <script>alert(1)</script>")
    person.look()
    assert [main.get_by_role("button", name=name, exact=True).count() for name in ("Edit", "Delete", "Rotate secret", "Send a test")] == [0] * 4
