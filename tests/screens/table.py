"""The screens of the table in docs/dashboard.md, with the panels and dialogs of each that matter most."""

import json
import re

from screens.camera import Screen
from support.client import PASSWORD


def press(name: str, first: bool = False):
    def act(person):
        button = person.page.get_by_role("button", name=name, exact=True)
        (button.first if first else button).click()

    return act


def tab(name: str):
    return lambda person: person.page.get_by_role("tab", name=name).first.click()


def both(*acts):
    def act(person):
        for one in acts:
            one(person)

    return act


def key(*names: str):
    def act(person):
        for name in names:
            person.key(name)

    return act


def failing(pattern: str):
    """The server meets an error where it is asked for this."""
    body = json.dumps({"error": {"code": "INTERNAL", "message": "the storage did not respond in time"}})
    headers = {"x-request-id": "01J9ZK3W7Q", "content-type": "application/json"}

    def act(person):
        person.page.route(pattern, lambda route: route.fulfill(status=500, body=body, headers=headers))
        person.page.reload()

    return act


def wrong_password(person):
    person.fill(email="ada.marsh@example.com", password="not the one")
    person.press("Sign in")
    person.page.get_by_role("alert").wait_for()


def palette(person):
    person.key("Control+k")
    person.page.get_by_role("combobox").first.fill("or")
    person.page.get_by_role("option").first.wait_for()


def condition(person):
    person.press("Add condition")
    person.page.get_by_role("combobox", name="Field").fill("stock")
    person.page.get_by_role("combobox", name="Condition").select_option("<")
    person.page.get_by_role("textbox", name="Value").fill("10")


def select_rows(person):
    rows = person.page.get_by_role("grid").get_by_role("row")
    rows.nth(2).get_by_role("gridcell", name="Select").click()
    rows.nth(5).get_by_role("gridcell", name="Select").click(modifiers=["Shift"])


def trial(person):
    box = person.page.get_by_role("region", name="Try it")
    box.get_by_label("Act as").select_option(label="a user")
    box.get_by_label("Find a user").fill("ibrahim.sow@")
    box.get_by_label("User", exact=True).select_option(label="Ibrahim Sow (ibrahim.sow@example.com)")
    box.get_by_label("Id of the document").fill(person.paths["order"])
    box.get_by_role("button", name="Try it").click()
    box.get_by_role("list", name="Steps").scroll_into_view_if_needed()


def run_tests(person):
    person.press("Run the tests")
    person.page.get_by_text("passed", exact=False).first.wait_for()


def function_tests(person):
    person.press("Run all")
    person.page.get_by_text(re.compile("tests? passed")).first.wait_for()


def search(person):
    search = person.page.get_by_role("region", name="Search", exact=True)
    search.get_by_label("Text", exact=True).fill("small boats and harbours")
    search.get_by_role("button", name="Search", exact=True).click()
    search.get_by_role("row").nth(1).wait_for()


def select_files(person):
    boxes = person.page.get_by_role("checkbox", name=re.compile("^Select .*png"))
    boxes.nth(0).check()
    boxes.nth(1).check()


def live_call(person):
    person.page.get_by_label("Mode").select_option("live")
    box = person.page.get_by_role("textbox", name="The arguments as JSON")
    box.wait_for()
    person.write(box, '{"path": "/health"}')
    person.press("Send the call Ctrl Enter")
    person.page.get_by_role("textbox", name="The result as JSON").wait_for()


def planned(person):
    document = {
        "formatVersion": 1,
        "collections": [{"name": "wishlists"}, {"name": "orders", "schema": {"type": "object", "required": ["email"]}}],
        "roles": [{"name": "Moderator", "permissions": ["data:reviews:read", "data:reviews:delete"]}],
    }
    box = person.page.get_by_role("textbox", name="Document")
    box.fill(json.dumps(document, indent=2))
    person.press("Plan the import")
    person.page.get_by_role("region", name="Plan", exact=True).scroll_into_view_if_needed()


def entry(person):
    person.page.get_by_role("row").nth(2).get_by_role("button").first.click()


def calculated(person):
    person.fill(gib="40", runs="2,500,000", vectors="400000", connections="200")
    person.press("Calculate")


def new_key(person):
    form = person.page.get_by_role("dialog", name="New API key")
    person.fill(name="Till at the harbour")
    form.get_by_label("Read documents").check()
    form.get_by_role("button", name="Create key").click()
    person.press("a call to try it")


def signed(person):
    person.press("Signed link")
    person.press("Create the link")


def edited(person):
    person.page.get_by_role("grid").get_by_role("gridcell", name="Salt Roads").dblclick()
    person.page.get_by_role("grid").get_by_role("textbox", name="title").fill("Salt Roads of the Sahara")


def reversed_price(person):
    person.page.get_by_role("complementary").get_by_role("textbox", name="price").fill("a lot")
    person.page.get_by_role("complementary").get_by_role("button", name="Save").click()


def followed(person):
    """Follows the changes of books, of which two happen."""
    person.press("Start")
    box = person.page.get_by_role("region", name="Received, newest first")
    box.get_by_role("status").filter(has_text="live").wait_for()
    for stock in (3, 40):
        person.admin.patch(f"/admin/collections/books/documents/{person.paths['book']}", {"stock": stock})
    box.get_by_role("listitem").nth(1).wait_for()
    box.get_by_role("button", name=re.compile("^Details of")).first.click()


def second_factor(person):
    person.fill(email="mia.lindqvist@example.com", password=PASSWORD)
    person.press("Sign in")
    person.heading("Second factor")


def own_database(person):
    person.page.get_by_label("Use your own MongoDB database").check()
    person.page.get_by_text("What the database needs").click()
    person.page.get_by_role("button", name=re.compile("^Create ")).last.scroll_into_view_if_needed()


S = Screen
SHOP = "/p/{shop}"
EMPTY = "/p/{empty}"
OWN = "/p/{own}"
BOOKS = f"{SHOP}/data/books"
ORDERS = f"{SHOP}/data/orders"
PRICES = f"{SHOP}/functions/import-prices"
SCREENS = [
    S("sign-in", "/sign-in", who="nobody"),
    S("sign-in-refused", "/sign-in", wrong_password, who="nobody", refusals=(401,)),
    S("second-factor", "/sign-in", second_factor, who="nobody"),
    S("forgot", "/forgot", who="nobody"),
    S("register", "/register", who="nobody"),
    S("accept-invite", "/accept-invite", who="nobody"),
    S("set-up", "/register", who="newcomer"),
    S("projects", "/"),
    S("projects-new", "/?new=true"),
    S("projects-new-own", "/?new=true", own_database),
    S("home", SHOP),
    S("home-first-steps", EMPTY),
    S("palette", SHOP, palette),
    S("keys-list", SHOP, key("?")),
    S("activity", SHOP, press("Activity: the calls of this page")),
    S("show-the-call", f"{SHOP}/webhooks", press("Show the call")),
    S("collections", f"{SHOP}/data"),
    S("collections-new", f"{SHOP}/data", lambda person: person.page.get_by_role("button", name="New collection").first.click()),
    S("documents", BOOKS),
    S("document-open", BOOKS + "?open={book}"),
    S("document-json", BOOKS + "?open={book}&tab=json"),
    S("document-refused", BOOKS + "?open={book}", reversed_price),
    S("document-new", f"{BOOKS}?new=true"),
    S("document-page", BOOKS + "/documents/{book}"),
    S("document-links", BOOKS + "/documents/{book}?tab=links"),
    S("documents-filter", BOOKS, condition),
    S("documents-filtered", BOOKS + '?filter=%7B"stock"%3A%7B"$lt"%3A10%7D%7D&sort=-price'),
    S("documents-selected", BOOKS, select_rows),
    S("documents-columns", BOOKS, press("Columns")),
    S("documents-edited", BOOKS, edited),
    S("documents-orders", ORDERS),
    S("documents-empty", EMPTY + "/data/notes"),
    S("documents-error", BOOKS, failing("**/admin/collections/books/query"), refusals=(500,)),
    S("documents-denied", BOOKS, who="auditor"),
    S("schema", f"{BOOKS}/schema"),
    S("schema-field", f"{BOOKS}/schema", press("Add field")),
    S("policy", f"{ORDERS}/policy"),
    S("policy-trial", f"{ORDERS}/policy", trial),
    S("policy-tests", f"{ORDERS}/policy?view=tests", run_tests),
    S("policy-sets", f"{SHOP}/data/clubs/policy?view=sets"),
    S("policy-who-sees", ORDERS + "/policy?document={order}"),
    S("policy-books", f"{BOOKS}/policy?rule=update"),
    S("policy-empty", EMPTY + "/data/notes/policy"),
    S("policy-templates", EMPTY + "/data/notes/policy", press("Choose who may use it")),
    S("policy-error", f"{ORDERS}/policy", failing("**/admin/collections/orders/policy"), refusals=(500,)),
    S("policy-denied", f"{ORDERS}/policy", who="auditor"),
    S("indexes", f"{BOOKS}/indexes"),
    S("indexes-new", f"{BOOKS}/indexes?new=true"),
    S("vectors", f"{BOOKS}/vectors", search),
    S("vectors-new", f"{BOOKS}/vectors", press("Add vector field")),
    S("database", f"{OWN}/database"),
    S("database-report", f"{OWN}/database/orders"),
    S("database-import", f"{OWN}/database/orders", press("Import collection")),
    S("database-ids", f"{OWN}/database/returns"),
    S("database-incompatible", f"{OWN}/database/suppliers"),
    S("database-other", f"{SHOP}/database"),
    S("database-error", f"{OWN}/database", failing("**/admin/introspect"), refusals=(500,)),
    S("buckets", f"{SHOP}/files"),
    S("buckets-new", f"{SHOP}/files", press("New bucket")),
    S("files", f"{SHOP}/files/covers"),
    S("files-selected", f"{SHOP}/files/covers", select_files),
    S("file-open", f"{SHOP}/files/covers?file=night-ferry.png"),
    S("file-text", f"{SHOP}/files/exports?file=price-list.txt"),
    S("file-link", f"{SHOP}/files/exports?file=price-list.txt", signed),
    S("files-rules", f"{SHOP}/files/invoices", press("Rules")),
    S("files-empty", f"{EMPTY}/files"),
    S("files-error", f"{SHOP}/files/covers", failing("**/api/v1/storage/covers?*"), refusals=(500,)),
    S("files-denied", f"{SHOP}/files", who="auditor"),
    S("api", f"{SHOP}/api?collection=books"),
    S("api-curl", f"{SHOP}/api?collection=books&language=curl"),
    S("realtime", f"{SHOP}/api/realtime?collection=books", followed),
    S("functions", f"{SHOP}/functions"),
    S("functions-new", f"{SHOP}/functions?new=true"),
    S("function", PRICES + "?run={run}"),
    S("function-failed", PRICES + "?run={failed}"),
    S("function-tests", f"{SHOP}/functions/confirm-order?tab=tests", function_tests),
    S("function-versions", f"{PRICES}?tab=versions&version=1"),
    S("function-settings", PRICES, press("Change")),
    S("flow", f"{SHOP}/functions/low-stock/flow?node=low"),
    S("flow-list", f"{SHOP}/functions/low-stock/flow?view=list&node=note"),
    S("flow-code", f"{SHOP}/functions/low-stock/flow?side=code"),
    S("functions-empty", f"{EMPTY}/functions"),
    S("functions-error", f"{SHOP}/functions", failing("**/admin/functions"), refusals=(500,)),
    S("functions-denied", f"{SHOP}/functions", who="auditor"),
    S("integrations", f"{SHOP}/integrations"),
    S("integrations-new", f"{SHOP}/integrations?new=http"),
    S("integration", f"{SHOP}/integrations/stock", live_call),
    S("integration-tests", f"{SHOP}/integrations/stock?tab=tests"),
    S("integration-settings", f"{SHOP}/integrations/stock?tab=settings"),
    S("integrations-empty", f"{EMPTY}/integrations"),
    S("webhooks", f"{SHOP}/webhooks"),
    S("webhooks-new", f"{SHOP}/webhooks", press("New webhook")),
    S("webhook", f"{SHOP}/webhooks/accounting"),
    S("webhook-delivered", f"{SHOP}/webhooks/warehouse"),
    S("webhook-settings", f"{SHOP}/webhooks/accounting?tab=settings"),
    S("webhook-verify", f"{SHOP}/webhooks/warehouse?tab=verify"),
    S("policies", f"{SHOP}/policies"),
    S("policies-sets", f"{SHOP}/policies?view=sets"),
    S("policies-tests", f"{SHOP}/policies?view=tests", press("Run the tests of all collections")),
    S("users", f"{SHOP}/users"),
    S("user", SHOP + "/users/{user}"),
    S("users-new", f"{SHOP}/users?new=true"),
    S("users-empty", f"{EMPTY}/users"),
    S("roles", f"{SHOP}/roles"),
    S("roles-of-users", f"{SHOP}/roles?of=users"),
    S("role", f"{SHOP}/roles/members/Support"),
    S("role-of-users", f"{SHOP}/roles/users/bookseller"),
    S("keys", f"{SHOP}/keys"),
    S("keys-new", f"{SHOP}/keys?new=true"),
    S("keys-shown", f"{SHOP}/keys?new=true", new_key),
    S("sign-in-methods", f"{SHOP}/sign-in-methods"),
    S("sign-in-method", f"{SHOP}/sign-in-methods", press("Edit GitHub")),
    S("environments", f"{SHOP}/environments"),
    S("environments-new", f"{SHOP}/environments?new=true"),
    S("environments-new-own", f"{SHOP}/environments?new=true", own_database),
    S("promotion", SHOP + "/environments/promote?from={staging}&to={shopId}"),
    S("staging", "/p/{stagingSlug}"),
    S("configuration", f"{SHOP}/configuration"),
    S("configuration-import", f"{SHOP}/configuration?tab=import", planned),
    S("variables", f"{SHOP}/variables"),
    S("variables-new", f"{SHOP}/variables", press("New variable")),
    S("members", f"{SHOP}/members"),
    S("members-new", f"{SHOP}/members?new=true"),
    S("connections", f"{SHOP}/connections"),
    S("connections-new", f"{SHOP}/connections?new=true"),
    S("connections-viewer", f"{SHOP}/connections", who="viewer"),
    S("audit", f"{SHOP}/audit"),
    S("audit-entry", f"{SHOP}/audit", entry),
    S("usage", f"{SHOP}/usage"),
    S("usage-days", f"{SHOP}/usage?window=7d"),
    S("settings", f"{SHOP}/settings"),
    S("settings-own", f"{OWN}/settings", lambda person: person.page.get_by_role("region", name="Database", exact=True).scroll_into_view_if_needed()),
    S("settings-own-address", f"{OWN}/settings", press("Change the address")),
    S("settings-viewer", f"{SHOP}/settings", who="viewer"),
    S("account", "/account"),
    S("account-password", "/account", press("Change the password")),
    S("connections-own", "/account/connections"),
    S("billing", "/account/billing"),
    S("operator-users", "/operator/users"),
    S("operator-user", "/operator/users/{person}"),
    S("operator-plans", "/operator/plans"),
    S("operator-plan", "/operator/plans?plan=pro"),
    S("operator-cost-model", "/operator/cost-model", calculated),
    S("operator-costs", "/operator/costs"),
    S("operator-operators", "/operator/operators"),
    S("operator-jobs", "/operator/jobs"),
    S("operator-audit", "/operator/audit"),
    S("missing", "/p/no-such-project"),
]

# The pictures of the tour in docs/dashboard.md.
TOUR = [
    "home", "collections", "documents", "document-open", "schema", "policy-trial", "vectors", "file-open", "api", "realtime",
    "function-tests", "flow",
]  # fmt: skip
