"""The files of a project: buckets, folders, uploads and what they hold."""

import json
import re

import httpx
import pytest
from playwright.sync_api import expect

from support.bucket import Bucket
from support.client import ok

SVG = b'<svg xmlns="http://www.w3.org/2000/svg" onload="console.error(1)"><script>console.error(\'it ran\')</script></svg>'
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c637070f8ff"
    "1f0004c2027fa7f4b62d0000000049454e44ae426082"
)


@pytest.fixture
def shop(developer):
    return developer.create_project("Bookshop")


def given(name: str, content: bytes, kind: str) -> dict:
    return {"name": name, "mimeType": kind, "buffer": content}


def choose(person, *files: dict) -> None:
    person.page.get_by_label("Files to upload").set_input_files(list(files))


def test_a_bucket_from_creation_to_its_end(person, developer, shop, server):
    page = person.page
    person.expect_refusals(400, 404)
    person.sign_in(developer, f"/p/{shop.slug}/files")
    page.get_by_text("Files are kept in buckets").wait_for()
    person.look()
    person.press("New bucket")
    person.fill(name="not a name!")
    person.press("Create bucket")
    assert person.error_of("name")
    person.look()
    person.fill(name="photos")
    person.press("Create bucket")
    person.heading("photos")
    page.get_by_text("Drop files here").wait_for()
    person.look()

    person.press("New folder")
    person.fill(folder="../up")
    person.press("Create folder")
    assert person.error_of("folder")
    person.fill(folder="2026/spring")
    person.press("Create folder")
    person.follow("2026")
    expect(page.get_by_role("link", name="spring")).to_be_visible()
    choose(person, given("a.txt", b"hello", "text/plain"), given("b.png", PNG, "image/png"))
    expect(page.get_by_role("region", name="Uploads").get_by_text("done")).to_have_count(2)
    person.look()
    bucket = ok(shop.admin.get("/storage/photos"))
    assert [file["path"] for file in bucket["files"]] == ["2026/a.txt", "2026/b.png"]

    # A file of the name is replaced after a question only.
    choose(person, given("a.txt", b"hello again", "text/plain"))
    dialog = page.get_by_role("dialog", name="Replace 1 file?")
    expect(dialog).to_contain_text("2026/a.txt")
    person.press("Cancel")
    assert shop.admin.get("/storage/photos/2026/a.txt").content == b"hello"
    choose(person, given("a.txt", b"hello again", "text/plain"))
    person.press("Replace")
    expect(page.get_by_role("region", name="Uploads").get_by_text("done")).to_have_count(3)

    # The details of a file have an address of their own.
    page.get_by_role("button", name="b.png").click()
    panel = page.get_by_role("complementary", name="b.png")
    expect(panel.get_by_role("img", name="Preview of b.png")).to_have_js_property("naturalWidth", 1)
    person.look()
    page.reload()
    expect(panel.get_by_role("img", name="Preview of b.png")).to_be_visible()
    person.press("Signed link")
    page.get_by_role("dialog").get_by_label("It works for").select_option("900")
    person.press("Create the link")
    link = page.get_by_role("dialog").locator("pre").inner_text().strip()
    assert httpx.get(link).content == PNG
    person.look()
    person.press("Done")
    with page.expect_download() as download:
        panel.get_by_role("button", name="Download").click()
    assert download.value.suggested_filename == "b.png" and download.value.path().read_bytes() == PNG
    panel.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("button", name="b.png")).to_have_count(0)
    expect(panel).to_have_count(0)
    person.press("Delete the folder spring")
    expect(page.get_by_role("link", name="spring")).to_have_count(0)

    # Who makes a bucket public is told what that means.
    address = f"{server.url}/api/v1/storage/photos/2026/a.txt?project={shop.id}"
    assert httpx.get(address).status_code == 404
    page.get_by_role("switch", name="Public").click()
    page.get_by_role("dialog", name="Make photos public?").wait_for()
    person.look()
    person.press("Make it public")
    expect(page.get_by_role("switch", name="Public")).to_have_attribute("aria-checked", "true")
    assert httpx.get(address).text == "hello again"
    page.get_by_role("button", name="a.txt").click()
    shown = page.get_by_role("region", name="the public address")
    assert httpx.get(shown.inner_text().strip()).text == "hello again"
    page.get_by_role("complementary").get_by_role("button", name="Close").click()
    page.get_by_role("switch", name="Public").click()
    expect(page.get_by_role("switch", name="Public")).to_have_attribute("aria-checked", "false")
    assert httpx.get(address).status_code == 404

    person.press("Rules")
    rules = page.get_by_label("Rules as JSON")
    for text, words in (("{", "This is not JSON"), ("[]", "Rules are an object"), ('{"reed": {}}', "^(?!Rules are an object).")):
        rules.fill(text)
        person.press("Save rules")
        expect(rules).to_have_accessible_description(re.compile(words))
    person.look()
    rules.fill('{"list": {}, "read": {"filter": {"size": {"$lt": 9007199254740993}}}}')
    person.press("Save rules")
    expect(page.get_by_text("The rules of photos are saved.")).to_be_visible()
    stored = {"list": {}, "read": {"filter": {"size": {"$lt": 9007199254740993}}}}
    assert ok(shop.admin.get("/admin/storage/buckets"))["buckets"][0]["rules"] == stored
    person.press("Rules")
    assert json.loads(rules.input_value()) == stored
    person.press("Cancel")

    person.press("Delete bucket")
    person.fill(typed="photo")
    page.get_by_role("dialog").get_by_role("button", name="Delete bucket").click()
    assert person.error_of("typed")
    person.fill(typed="photos")
    page.get_by_role("dialog").get_by_role("button", name="Delete bucket").click()
    page.get_by_text("Files are kept in buckets").wait_for()
    assert ok(shop.admin.get("/admin/storage/buckets")) == {"buckets": []}


def test_a_large_upload_is_paused_resumed_and_cancelled(person, developer, shop):
    page = person.page
    bucket = Bucket(shop)
    person.sign_in(developer, f"/p/{shop.slug}/files/{bucket.name}")
    page.get_by_text("Drop files here").wait_for()
    held = []
    page.route("**/storage/**?upload=*", lambda route: held.append(route) if route.request.method == "PATCH" else route.continue_())
    content = bytes(range(256)) * (3 << 12)  # 3 MiB
    choose(person, given("film.bin", content, "application/octet-stream"))
    uploads = page.get_by_role("region", name="Uploads")
    expect(page.locator("progress").first).to_be_attached()
    uploads.get_by_role("button", name="Pause film.bin").click()
    expect(uploads).to_contain_text("paused")
    person.look()
    page.unroute("**/storage/**?upload=*")
    uploads.get_by_role("button", name="Resume film.bin").click()
    expect(uploads.get_by_text("done")).to_be_visible(timeout=60_000)
    assert bucket.get("film.bin").content == content

    page.route("**/storage/**?upload=*", lambda route: held.append(route) if route.request.method == "PATCH" else route.continue_())
    choose(person, given("other.bin", content, "application/octet-stream"))
    uploads.get_by_role("button", name="Cancel other.bin").click()
    expect(uploads).to_contain_text("cancelled")
    page.unroute("**/storage/**?upload=*")
    person.press("Clear the list")
    expect(uploads).to_have_count(0)
    assert bucket.paths() == ["film.bin"]


def test_dropped_and_hostile_files_are_text(person, developer, shop):
    page = person.page
    bucket = Bucket(shop)
    hostile = "<img src=x onerror=alert(1)>\u202egnp.txt"
    ok(bucket.put(hostile, b"{{7*7}}"), 201)
    ok(bucket.put("page.html", b"<script>console.error('it ran')</script>", kind="text/html"), 201)
    ok(bucket.put("none.txt", b""), 201)
    ok(bucket.put("film.mp4", b"x", kind="video/mp4"), 201)
    ok(bucket.put("broken.png", b"no image", kind="image/png"), 201)
    person.sign_in(developer, f"/p/{shop.slug}/files/{bucket.name}")
    page.get_by_role("button", name=hostile).wait_for()
    page.get_by_role("region", name="Files and folders, as a table").evaluate(
        """(zone, text) => {
            const data = new DataTransfer();
            data.items.add(new File([text], "drawing.svg", {type: "image/svg+xml"}));
            for (const type of ["dragenter", "dragover", "drop"]) {
                zone.dispatchEvent(new DragEvent(type, {dataTransfer: data, bubbles: true, cancelable: true}));
            }
        }""",
        SVG.decode(),
    )
    expect(page.get_by_role("region", name="Uploads").get_by_text("done")).to_have_count(1)
    for name, words in (
        (hostile, "{{7*7}}"),
        ("drawing.svg", "console.error('it ran')"),
        ("page.html", "<script>console.error('it ran')</script>"),
        ("none.txt", "The file is empty."),
        ("film.mp4", "There is no preview of this type."),
        ("broken.png", "This is not an image"),
    ):
        page.get_by_role("button", name=name, exact=True).click()
        expect(page.get_by_role("complementary", name=name)).to_contain_text(words)
    person.look()
    person.key("Escape")
    expect(page.get_by_role("complementary")).to_have_count(0)
    person.press("Show the call")
    expect(page.get_by_role("dialog").locator("pre").nth(1)).to_contain_text("files.sign(")


def test_a_file_by_keyboard_alone(person, developer, shop):
    bucket = Bucket(shop)
    ok(bucket.put("notes.txt", b"by hand"), 201)
    person.expect_refusals(404)
    person.sign_in(developer, f"/p/{shop.slug}/files")
    person.page.get_by_role("link", name=bucket.name).wait_for()
    person.tab_to(bucket.name, 60)
    person.key("Enter")
    person.heading(bucket.name)
    person.page.get_by_role("button", name="notes.txt").wait_for()
    person.tab_to("notes.txt", 60)
    person.key("Enter")
    expect(person.page.get_by_role("complementary")).to_contain_text("by hand")
    person.tab_to("Delete", 60)
    person.key("Enter")
    person.has_focus("Cancel")
    person.tab_to("Delete")
    person.key("Enter")
    person.page.get_by_text("Drop files here").wait_for()
    person.go(f"/p/{shop.slug}/files/gone")
    person.page.get_by_text("There is no bucket of this name").wait_for()
    person.look()


def test_files_are_selected_and_described(person, developer, shop):
    page = person.page
    person.expect_refusals(400)
    bucket = Bucket(shop)
    hostile = "<b>\u202egnp.txt"
    for path in ("a.txt", "b.txt", "c.txt", hostile, "below/d.txt"):
        ok(bucket.put(path, b"text"), 201)
    person.sign_in(developer, f"/p/{shop.slug}/files/{bucket.name}")
    page.get_by_role("checkbox", name="Select a.txt").check()
    page.get_by_role("checkbox", name=f"Select {hostile}").check()
    selection = page.get_by_role("group", name="Selected files")
    expect(selection.get_by_role("status")).to_have_text("2 files selected")
    person.look()
    selection.get_by_role("button", name="Delete…").click()
    page.get_by_role("dialog", name="Delete 2 files?").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("2 files are deleted.")).to_be_visible()
    expect(page.get_by_role("checkbox")).to_have_count(2)
    assert bucket.paths() == ["b.txt", "below/d.txt", "c.txt"]

    # What cannot be deleted stays selected.
    person.press("Select 2 files")
    page.route(f"**/api/v1/storage/{bucket.name}/c.txt", lambda route: route.abort())
    person.tolerated.append(re.compile("Failed to load resource"))
    selection.get_by_role("button", name="Delete…").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    person.alert("The server cannot be reached")
    page.unroute(f"**/api/v1/storage/{bucket.name}/c.txt")
    person.press("Cancel")
    expect(selection.get_by_role("status")).to_have_text("1 file selected")
    selection.get_by_role("button", name="Clear the selection").click()
    assert bucket.paths() == ["below/d.txt", "c.txt"]

    # Metadata is written as JSON, with mistakes at their lines.
    page.get_by_role("button", name="c.txt", exact=True).click()
    panel = page.get_by_role("complementary", name="c.txt")
    panel.get_by_role("button", name="Edit metadata").click()
    dialog = page.get_by_role("dialog", name="Metadata of c.txt")
    box = dialog.get_by_role("textbox", name="Metadata as JSON")
    for text, words in (("{\n  1", "This is not JSON"), ("[]", "Metadata is an object"), (json.dumps({"a": "x" * 3000}), "must have at most 2048 bytes")):
        person.write(box, text)
        dialog.get_by_role("button", name="Save metadata").click()
        expect(dialog.get_by_text(words).first).to_be_visible()
        if text.startswith("{\n"):
            expect(dialog.get_by_role("button", name=re.compile("^Line 2:"))).to_be_visible()
            person.look()
    person.write(box, '{"team": "<i>", "n": 9007199254740993}')
    dialog.get_by_role("button", name="Cancel").click()
    page.get_by_role("alertdialog").get_by_role("button", name="Go back to it").click()
    dialog.get_by_role("button", name="Save metadata").click()
    expect(dialog).to_have_count(0)
    expect(panel).to_contain_text('{"team": "<i>", "n": 9007199254740993}')
    person.look()
    (stored,) = [file for file in ok(shop.admin.get(f"/storage/{bucket.name}"))["files"] if file["path"] == "c.txt"]
    assert stored["metadata"] == {"team": "<i>", "n": 9007199254740993}


def test_a_viewer_reads(viewer_at, shop):
    bucket, closed = Bucket(shop), Bucket(shop)
    ok(bucket.put("a.txt", b"text"), 201)
    ok(shop.admin.patch(f"/admin/storage/buckets/{closed.name}", {"rules": {"read": {}}}), 204)
    person = viewer_at(shop, "/files")
    main = person.page.get_by_role("main")
    person.follow(bucket.name)
    person.page.get_by_role("button", name="a.txt").click()
    expect(person.page.get_by_role("complementary")).to_contain_text("text")
    person.look()
    for name in ("Delete", "Rules", "Delete bucket", "New folder", "Upload files", "Edit metadata"):
        assert main.get_by_role("button", name=name, exact=True).count() == 0
    assert main.get_by_role("switch").count() == 0 and main.get_by_role("checkbox").count() == 0
    person.go(f"/p/{shop.slug}/files/{closed.name}")
    person.alert("The rules of this bucket do not let your role list its files.")
    person.look()
