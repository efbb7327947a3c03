"""A project on its owner's database: created, checked, led to another address; what is in the database, its import, ids for
its documents, and what becomes of its collections."""

import re

import pytest
from playwright.sync_api import expect

from support.client import Project, ok
from support.dashboard import Person
from support.mongo_server import shared
from support.own_database import as_their_owner, fresh, made

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def server_settings(mails):
    more = {"SERVICE_AUTH_RATE_LIMIT": "1000/60", "SERVICE_OUTBOUND_ALLOW": "127.0.0.0/8", "SERVICE_BYO": "on"}
    return {**mails.settings, **more}


@pytest.fixture(scope="module")
def mongo():
    return shared()


@pytest.fixture
def address(mongo) -> str:
    return fresh(mongo)


@pytest.fixture
def theirs(address):
    with as_their_owner(address) as theirs:
        yield theirs


@pytest.fixture
def project(developer, address, theirs) -> Project:
    return Project(developer, made(developer, address))


def says_nothing_of(person: Person, address: str) -> None:
    """The address is nowhere in the page, nor in what the browser keeps."""
    kept = person.page.evaluate(
        "document.documentElement.outerHTML + [...document.querySelectorAll('input')].map((one) => one.value) + "
        "JSON.stringify(localStorage) + JSON.stringify(sessionStorage) + location.href"
    )
    assert address.split("?")[0] not in kept


def test_a_project_is_created_on_a_database(person, developer, address, theirs):
    person.expect_refusals(400, 409)
    theirs.orders.insert_one({"total": 5})
    person.sign_in(developer, "/?new=true")
    dialog = person.page.get_by_role("dialog", name="New project")
    dialog.get_by_label("Name", exact=True).fill("Shop")
    dialog.get_by_label("Use your own MongoDB database").check()
    field = dialog.get_by_label("Address of the database", exact=True)
    expect(field).to_have_attribute("type", "password")
    dialog.get_by_text("What the database needs").click()
    person.look()

    create = dialog.get_by_role("button", name="Create project")
    create.click()
    assert person.error_of("mongoUrl") == "Write the address of the database."
    field.fill("mongodb://shop.example.com/shop?tlsInsecure=true")
    create.click()
    expect(dialog.get_by_text('the option "tlsInsecure" is not allowed')).to_be_visible()
    dialog.get_by_label("Show the address").check()
    expect(field).to_have_attribute("type", "text")
    person.look()
    dialog.get_by_label("Show the address").uncheck()
    field.fill(address)
    create.click()

    done = person.page.get_by_role("dialog", name="Shop is created")
    able = done.get_by_role("list", name="What the database can do").get_by_role("listitem")
    expect(able).to_have_count(3)
    wire = next(one for one in ok(developer.get("/control/projects"))["projects"] if one["byo"])
    names = {"changeStreams": "Change streams", "preImages": "Pre-images", "transactions": "Transactions"}
    for at, (name, title) in enumerate(names.items()):
        state = "available" if wire["byoCapabilities"][name] else "not available"
        expect(able.nth(at).get_by_role("paragraph").first).to_have_text(f"{title} {state}")
    expect(done.get_by_text("the connection to the database is not encrypted")).to_be_visible()
    expect(done.get_by_text("Switch TLS on at the database")).to_be_visible()
    says_nothing_of(person, address)
    person.look()
    done.get_by_role("link", name="See what is in the database").click()
    person.heading("Database")
    expect(person.page.get_by_role("row").filter(has_text="orders")).to_contain_text("can be imported")
    says_nothing_of(person, address)

    # The database is taken now.
    person.go("/?new=true")
    dialog.get_by_label("Name", exact=True).fill("Shop again")
    dialog.get_by_label("Use your own MongoDB database").check()
    dialog.get_by_label("Address of the database", exact=True).fill(address)
    create.click()
    assert person.error_of("mongoUrl") == "this database is used already"
    assert [one["name"] for one in ok(developer.get("/control/projects"))["projects"]] == ["Shop"]


def test_the_settings_of_the_database(person, developer, project, mongo, address, theirs):
    person.expect_refusals(400, 409)
    theirs.orders.insert_one({"total": 5})
    ok(project.admin.post("/admin/introspect/orders/import", {}), 201)
    person.sign_in(developer, f"/p/{project.slug}/settings")
    panel = person.page.get_by_role("region", name="Database", exact=True)
    expect(panel.get_by_role("list", name="What the database can do").get_by_role("listitem")).to_have_count(3)
    expect(panel.get_by_text("Deleting the project deletes nothing in the database")).to_be_visible()
    panel.get_by_role("button", name="Check now").click()
    expect(panel.get_by_role("status")).to_have_text("The database responded: this is what it can do now.")
    person.look()

    panel.get_by_role("button", name="Change the address").click()
    dialog = person.page.get_by_role("dialog", name="Change the address of the database")
    field = dialog.get_by_label("Address of the database", exact=True)
    expect(field).to_have_value("")
    field.fill("postgres://shop.example.com/shop")
    dialog.get_by_role("button", name="Use this address").click()
    assert person.error_of("mongoUrl") == "is not a MongoDB connection string"
    elsewhere = fresh(mongo)
    with as_their_owner(elsewhere) as other:
        other.others.insert_one({})
        field.fill(elsewhere)
        dialog.get_by_role("button", name="Use this address").click()
        expect(dialog.get_by_role("alert")).to_contain_text("These collections are missing there: orders.")
        person.look()
        # Another address is asked about anew.
        field.press_sequentially("x")
        expect(dialog.get_by_role("alert")).to_have_count(0)
        field.fill(elsewhere)
        dialog.get_by_role("button", name="Use this address").click()
        dialog.get_by_role("button", name="Use it nevertheless").click()
        expect(dialog).to_have_count(0)
        says_nothing_of(person, elsewhere)
        names = [one["name"] for one in ok(project.admin.get("/admin/introspect"))["collections"]]
        assert "others" in names
        person.press("Delete project")
        expect(person.dialogs()).to_contain_text("Deleting the project deletes nothing in the database")
        person.look()


def test_only_an_owner_changes_the_address(viewer_at, project):
    person = viewer_at(project, "/settings", "Admin")
    panel = person.page.get_by_role("region", name="Database", exact=True)
    expect(panel.get_by_role("button", name="Check now")).to_be_visible()
    assert panel.get_by_role("button", name="Change the address").count() == 0


def test_a_collection_is_imported_and_its_documents_get_ids(person, developer, project, theirs):
    person.expect_refusals(400)
    theirs.orders.insert_many([{"total": n, "state": "open", "by": HOSTILE} for n in range(60)])
    theirs.create_collection("recent", viewOn="orders", pipeline=[])
    theirs["my.things"].insert_one({})
    person.sign_in(developer, f"/p/{project.slug}")
    person.page.get_by_role("navigation", name="Main").get_by_role("link", name="Database").click()
    person.heading("Database")
    rows = person.page.get_by_role("row")
    expect(rows.filter(has_text="recent")).to_contain_text("a view, which cannot be written to")
    expect(rows.filter(has_text="my.things")).to_contain_text("its name is none that a collection can have here")
    expect(rows.filter(has_text="orders").get_by_role("cell").nth(1)).to_have_text("60")
    person.look()

    person.follow("orders")
    person.heading("orders")
    verdict = person.page.get_by_role("region", name="Can it be used?")
    expect(verdict).to_contain_text("ready, ids to come")
    expect(verdict).to_contain_text("Without an id")
    fields = person.page.get_by_role("region", name="Fields", exact=True)
    expect(fields.get_by_role("row").filter(has_text="total")).to_contain_text("int")
    expect(fields.get_by_role("row").filter(has_text="total").get_by_role("cell").nth(2)).to_have_text("all")
    expect(person.page.get_by_role("region", name="Problems")).to_contain_text("60 documents have no id")
    assert HOSTILE not in person.page.content() and "onerror" not in person.page.content()
    person.page.get_by_label("Documents to read").select_option("50")
    expect(verdict.locator("dd").nth(3)).to_have_text("50")
    assert person.path().endswith("/database/orders?sample=50")
    person.press("Read again")
    person.look()

    person.press("Import collection")
    dialog = person.page.get_by_role("dialog", name="Import orders")
    name = dialog.get_by_label("Name in the project")
    expect(name).to_have_value("orders")
    name.fill("my orders")
    dialog.get_by_role("button", name="Import collection").click()
    assert "must match" in person.error_of("name")
    name.fill("purchases")
    box = dialog.get_by_role("textbox", name="Schema as JSON")
    expect(box).to_contain_text('"total"')
    person.write(box, '{"type": ')
    dialog.get_by_role("button", name="Import collection").click()
    expect(dialog.get_by_text("This is not JSON.")).to_be_visible()
    person.look()
    person.write(box, '{"type": "object", "required": ["total"]}')
    dialog.get_by_role("button", name="Import collection").click()
    expect(person.page.get_by_text("imported as purchases")).to_be_visible()
    schema = ok(project.admin.get("/admin/collections/purchases/schema"))["schema"]
    assert schema == {"type": "object", "required": ["total"]}
    assert theirs.orders.count_documents({"id": {"$exists": True}}) == 0

    # Ids: as many calls as it takes, each with at most so many documents.
    ids = person.page.get_by_role("region", name="Ids for documents")
    ids.get_by_label("Documents per call").fill("0")
    ids.get_by_role("button", name="Give them ids").click()
    assert "a whole number from 1 to 10,000" in person.error_of("limit")
    ids.get_by_label("Documents per call").fill("25")
    person.look()
    calls = []
    person.page.on("response", lambda one: one.url.endswith("/backfill") and calls.append(one))
    ids.get_by_role("button", name="Give them ids").click()
    expect(ids.get_by_role("status")).to_have_text("Done: 60 documents have got an id.")
    assert [one.json()["remaining"] for one in calls] == [35, 10, 0]
    assert theirs.orders.count_documents({"id": {"$type": "string"}}) == 60 and "mb_id" in theirs.orders.index_information()
    expect(verdict).to_contain_text("Every document has an id, which is unique.")
    person.look()

    following = person.page.get_by_role("region", name="Next: who may use it")
    following.get_by_role("link", name="Write the policy").click()
    person.page.wait_for_url(re.compile("/data/purchases/policy$"))
    person.go(f"/p/{project.slug}/database?find=ord")
    expect(rows.filter(has_text="orders")).to_contain_text("imported as purchases")


@pytest.mark.long(run="journeys")
def test_a_backfill_is_stopped_and_continued(person, developer, project, theirs):
    theirs.orders.insert_many([{"total": n} for n in range(60)])
    ok(project.admin.post("/admin/introspect/orders/import", {}), 201)
    person.sign_in(developer, f"/p/{project.slug}/database/orders")
    ids = person.page.get_by_role("region", name="Ids for documents")
    ids.get_by_label("Documents per call").fill("10")
    # The first call is on its way while the person stops.
    held = []
    person.page.route("**/introspect/orders/backfill", lambda route: held.append(route))
    ids.get_by_role("button", name="Give them ids").click()
    expect(ids.get_by_role("status")).to_have_text("Reading the first documents…")
    ids.get_by_role("button", name="Stop").click()
    expect(ids.get_by_role("button", name="Stopping after this call…")).to_be_visible()
    held[0].continue_()
    expect(ids.get_by_role("status")).to_have_text("10 done, 50 to go")
    person.look()
    assert theirs.orders.count_documents({"id": {"$exists": True}}) == 10
    person.page.unroute("**/introspect/orders/backfill")
    ids.get_by_role("button", name="Continue").click()
    expect(ids.get_by_role("status")).to_have_text("Done: 60 documents have got an id.")


@pytest.mark.long(run="journeys")
def test_what_cannot_be_imported_says_why(person, developer, project, theirs):
    person.expect_refusals(404)
    theirs.orders.insert_many([{"id": 5}, {"id": 6}])
    person.sign_in(developer, f"/p/{project.slug}/database/orders")
    expect(person.page.get_by_role("region", name="Can it be used?")).to_contain_text("cannot be imported")
    problems = person.page.get_by_role("region", name="Problems").get_by_role("listitem")
    expect(problems.nth(0)).to_contain_text("some documents have an id that is not a string")
    expect(problems.nth(0)).to_contain_text("prevents the import")
    assert person.page.get_by_role("button", name="Import collection").count() == 0
    person.look()
    person.go(f"/p/{project.slug}/database/nothing")
    person.heading("The database has no collection nothing")
    person.look()


@pytest.mark.long(run="journeys")
def test_a_database_that_is_away(person, developer, project):
    person.expect_refusals(503)
    body = '{"error": {"code": "UNAVAILABLE", "message": "the project\'s database cannot be reached"}}'
    person.page.context.route(
        "**/admin/introspect", lambda route: route.fulfill(status=503, body=body, headers={"content-type": "application/json"})
    )
    person.sign_in(developer, f"/p/{project.slug}/database")
    person.alert("the project's database cannot be reached")
    person.look()
    person.page.context.unroute("**/admin/introspect")
    person.press("Try again")
    person.heading("The database is empty")
    person.look()


def test_a_role_that_only_reads(viewer_at, project, theirs):
    theirs.orders.insert_one({"total": 5})
    person = viewer_at(project, "/database/orders", project.role("introspect:read"))
    expect(person.page.get_by_role("region", name="Can it be used?")).to_be_visible()
    assert person.page.get_by_role("button", name="Import collection").count() == 0


def test_a_role_without_it(viewer_at, project):
    person = viewer_at(project, "/database", project.role("users:read"))
    person.alert("lacks the permission introspect:read")
    assert person.page.get_by_role("navigation", name="Main").get_by_role("link", name="Database").count() == 0
    person.look()


def test_other_projects_have_no_such_screen(person, developer):
    project = developer.create_project("Bookshop")
    person.sign_in(developer, f"/p/{project.slug}/database")
    person.heading("This project keeps its documents on this server")
    assert person.page.get_by_role("navigation", name="Main").get_by_role("link", name="Database").count() == 0
    person.look()


def test_collections_of_the_database_are_created_and_deleted(person, developer, project, theirs):
    person.sign_in(developer, f"/p/{project.slug}/data")
    person.page.get_by_role("button", name="New collection").first.click()
    dialog = person.page.get_by_role("dialog", name="New collection")
    expect(dialog).to_contain_text("It is created in the project's own database.")
    dialog.get_by_label("Name", exact=True).fill("notes")
    dialog.get_by_role("button", name="Create collection").click()
    person.heading("notes")
    assert "notes" in theirs.list_collection_names()
    theirs.notes.insert_one({"title": "kept"})
    person.press("More for notes")
    person.page.get_by_role("menuitem", name="Delete…").click()
    dialog = person.page.get_by_role("dialog", name="Delete notes")
    expect(dialog).to_contain_text("Its documents stay in the project's own database")
    dialog.get_by_label("Type notes to confirm").fill("notes")
    dialog.get_by_role("button", name="Delete collection").click()
    person.heading("A collection holds JSON documents")
    assert theirs.notes.count_documents({}) == 1


def test_an_owner_deletes_the_documents_there_too(person, developer, project, theirs):
    project.collection("notes")
    theirs.notes.insert_one({"title": "dropped"})
    person.sign_in(developer, f"/p/{project.slug}/data/notes")
    person.press("More for notes")
    person.page.get_by_role("menuitem", name="Delete…").click()
    dialog = person.page.get_by_role("dialog", name="Delete notes")
    expect(dialog).to_contain_text("Its documents stay in the project's own database")
    box = dialog.get_by_label("Also delete the documents in your database")
    expect(box).not_to_be_checked()
    box.check()
    expect(dialog).to_contain_text("so are all documents of the collection in the project's own database")
    expect(dialog).not_to_contain_text("Its documents stay")
    person.look()
    # The name is typed first.
    remove = dialog.get_by_role("button", name="Delete collection")
    remove.click()
    assert person.error_of("typed")
    assert theirs.notes.count_documents({}) == 1
    dialog.get_by_label("Type notes to confirm").fill("notes")
    remove.click()
    person.heading("A collection holds JSON documents")
    assert "notes" not in theirs.list_collection_names()


def test_others_delete_no_documents_there(viewer_at, project, theirs):
    project.collection("notes")
    theirs.notes.insert_one({"title": "kept"})
    person = viewer_at(project, "/data/notes", "Admin")
    person.press("More for notes")
    person.page.get_by_role("menuitem", name="Delete…").click()
    dialog = person.page.get_by_role("dialog", name="Delete notes")
    expect(dialog).to_contain_text("Its documents stay in the project's own database")
    assert dialog.get_by_role("checkbox").count() == 0
    dialog.get_by_label("Type notes to confirm").fill("notes")
    dialog.get_by_role("button", name="Delete collection").click()
    person.heading("A collection holds JSON documents")
    assert theirs.notes.count_documents({}) == 1


def test_an_environment_is_created_on_a_database(person, developer, project, mongo, address):
    person.expect_refusals(400, 409)
    ok(project.admin.put("/admin/variables/STOCK_URL", {"value": "https://stock.example.com"}), 204)
    person.sign_in(developer, f"/p/{project.slug}/environments?new=true")
    dialog = person.page.get_by_role("dialog", name="New environment")
    dialog.get_by_label("Label").fill("staging")
    dialog.get_by_label("Use your own MongoDB database").check()
    field = dialog.get_by_label("Address of the database", exact=True)
    expect(field).to_have_attribute("type", "password")
    create = dialog.get_by_role("button", name="Create environment")
    create.click()
    assert person.error_of("mongoUrl") == "Write the address of the database."
    field.fill("mongodb://shop.example.com/shop?tlsInsecure=true")
    create.click()
    expect(dialog.get_by_text('the option "tlsInsecure" is not allowed')).to_be_visible()
    person.look()
    # That of production.
    field.fill(address)
    create.click()
    expect(dialog.get_by_text("this database is used already")).to_be_visible()
    assert person.error_of("mongoUrl") == "this database is used already"
    elsewhere = fresh(mongo)
    with as_their_owner(elsewhere):
        field.fill(elsewhere)
        create.click()
        done = person.page.get_by_role("dialog", name="(staging) is created")
        expect(done.get_by_role("list", name="What the database can do").get_by_role("listitem")).to_have_count(3)
        expect(done.get_by_role("list", name="To look at")).to_contain_text("the connection to the database is not encrypted")
        expect(done.get_by_role("list", name="Not copied").get_by_role("listitem")).to_contain_text("STOCK_URL")
        expect(done.get_by_role("list", name="To look at")).not_to_contain_text("STOCK_URL")
        says_nothing_of(person, elsewhere)
        person.look()
        wire = next(one for one in ok(developer.get("/control/projects"))["projects"] if one["environment"] == "staging")
        assert wire["byo"] is True and wire["parentId"] == project.id
        done.get_by_role("link", name="See what is in the database").click()
        person.heading("The database is empty")
        assert person.path() == f"/p/{wire['slug']}/database"


def test_indexes_of_the_database_are_shown_and_stay(person, developer, project):
    project.collection("orders", indexes=[{"keys": {"state": 1}}])
    others = {"name": "theirs_1", "keys": {"theirs": 1}, "unique": True, "managed": False}

    def with_theirs(route):
        response = route.fetch()
        route.fulfill(response=response, json={"indexes": [*response.json()["indexes"], others]})

    person.page.route("**/admin/collections/orders/indexes", with_theirs)
    person.sign_in(developer, f"/p/{project.slug}/data/orders/indexes")
    row = person.page.get_by_role("row").filter(has_text="theirs_1")
    expect(row).to_contain_text("of the database")
    expect(person.page.get_by_role("button", name="Delete the index state_1")).to_be_visible()
    assert row.get_by_role("button").count() == 0
    person.look()
