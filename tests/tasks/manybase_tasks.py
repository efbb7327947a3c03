"""The tasks at Manybase's dashboard. Each begins at the home of a project, signed in, but the first. What is there before
is made through the API and not counted."""

from support.client import PASSWORD, PlatformUser, ok
from support.dashboard import Person
from support.hand import Hand

OWN = {"filter": {"ownerId": "$auth.uid"}}
MANY = 100_000


class AtManybase:
    def __init__(self, browser, make_server, receiver):
        self.browser = browser
        self.make_server = make_server
        self.receiver = receiver
        self.server = make_server({"SERVICE_TRUSTED_PROXIES": None, "SERVICE_OUTBOUND_ALLOW": "127.0.0.1/32"}).start()
        self.user = PlatformUser(self.server)

    def _person(self, server) -> Person:
        return Person(self.browser.new_context(viewport={"width": 1440, "height": 900}), server.url)

    def _at_home(self, project) -> tuple[Person, Hand]:
        person = self._person(self.server)
        person.sign_in(self.user, f"/p/{project.slug}")
        person.heading(project.wire["name"])
        person.page.wait_for_load_state("networkidle")
        return person, Hand(person.page)

    def first_start(self) -> Hand:
        person = self._person(self.make_server({"SERVICE_TRUSTED_PROXIES": None}).start())
        person.go()
        page, hand = person.page, Hand(person.page)
        hand.see(page.get_by_role("heading", name="Set up this server"))
        hand.next_field()
        hand.type("ada@example.com")
        hand.next_field()
        hand.type(PASSWORD)
        hand.command("Enter")
        hand.see(page.get_by_role("dialog", name="New project"))
        hand.type("Books")
        hand.command("Enter")
        hand.see(page.get_by_role("heading", name="Books"))
        return hand

    def collection_and_document(self) -> Hand:
        person, hand = self._at_home(self.user.create_project("Books"))
        page = person.page
        hand.click(page.get_by_role("link", name="Data"))
        hand.click(page.get_by_role("main").get_by_role("button", name="New collection"))
        hand.see(page.get_by_role("dialog"))
        hand.type("books")
        hand.click(page.get_by_label("From a sample document"))
        hand.click(page.get_by_label("Sample document", exact=True))
        hand.command("Control+a")
        hand.type('{"title":"Fjords","stars":5,"sold":true}')
        hand.click(page.get_by_role("button", name="Create collection"))
        hand.see(page.get_by_role("gridcell", name="Fjords"))
        return hand

    def find_and_change(self) -> Hand:
        project = self.user.create_project("Books")
        books = project.collection("books", schema={"properties": {"title": {"type": "string"}, "stars": {"type": "integer"}}}, indexes=[{"keys": {"title": 1}}])  # fmt: skip
        project.fill(books, MANY, lambda at: {"title": f"Book {at}", "stars": at % 5})
        person, hand = self._at_home(project)
        page = person.page
        hand.click(page.get_by_role("link", name="Data"))
        hand.click(page.get_by_role("link", name="books"))
        hand.click(page.get_by_role("button", name="Add condition"))
        hand.see(page.get_by_role("dialog"))
        hand.type("title")
        hand.next_field()
        hand.next_field()
        hand.type("Book 73210")
        hand.command("Enter")
        hand.see(page.get_by_text("1 document"))
        row = page.get_by_role("row").filter(has_text="Book 73210")
        hand.click(row.get_by_role("gridcell", name="0", exact=True), times=2)
        # The number is selected as the editor opens.
        hand.see(page.get_by_role("grid").get_by_role("textbox", name="stars"))
        hand.type("9")
        hand.command("Enter")
        hand.see(row.get_by_role("gridcell", name="9", exact=True))
        return hand

    def owners_alone_change(self) -> Hand:
        project = self.user.create_project("Books")
        books = project.collection("books", policy=None)
        ok(project.admin.post(f"/admin/collections/{books}/documents", {"id": "b1", "title": "Fjords", "ownerId": "ada"}), 201)
        person, hand = self._at_home(project)
        page = person.page
        hand.click(page.get_by_role("link", name="Data"))
        hand.click(page.get_by_role("link", name=books))
        hand.click(page.get_by_role("link", name="Policy"))
        hand.click(page.get_by_role("button", name="Choose who may use it"))
        hand.click(page.get_by_label("Signed-in users read all, owners write their own"))
        hand.click(page.get_by_role("button", name="Fill in"))
        hand.click(page.get_by_role("button", name="Save policy"))
        hand.see(page.get_by_text("The policy is saved."))
        box = page.get_by_role("region", name="Try it")
        hand.choose(box.get_by_label("Operation"), "update")
        hand.click(box.get_by_label("Id of the document"))
        hand.type("b1")
        hand.click(box.get_by_role("button", name="Try it"))
        hand.see(box.get_by_text("Hidden, 404"))
        return hand

    def why_not_found(self) -> Hand:
        project = self.user.create_project("Books")
        books = project.collection("books", policy={"read": OWN})
        ok(project.admin.post(f"/admin/collections/{books}/documents", {"id": "b1", "title": "Fjords", "ownerId": "bob"}), 201)
        reader = project.end_user()
        person, hand = self._at_home(project)
        page = person.page
        hand.click(page.get_by_role("link", name="Data"))
        hand.click(page.get_by_role("link", name=books))
        hand.click(page.get_by_role("link", name="Policy"))
        box = page.get_by_role("region", name="Try it")
        hand.choose(box.get_by_label("Act as"), "a user")
        hand.click(box.get_by_label("Find a user"))
        hand.type(reader.email[:8])
        hand.choose(box.get_by_label("User", exact=True), reader.email)
        hand.click(box.get_by_label("Id of the document"))
        hand.type("b1")
        hand.click(box.get_by_role("button", name="Try it"))
        hand.see(box.get_by_text("ownerId is bob, but must match"))
        return hand

    def function_on_insert(self) -> Hand:
        project = self.user.create_project("Books")
        books = project.collection("books")
        ok(project.admin.post(f"/admin/collections/{books}/documents", {"id": "b1", "title": "Fjords"}), 201)
        person, hand = self._at_home(project)
        page = person.page
        hand.click(page.get_by_role("link", name="Functions"))
        hand.click(page.get_by_role("main").get_by_role("button", name="New function"))
        dialog = page.get_by_role("dialog", name="New function")
        hand.click(dialog.get_by_label("Name", exact=True))
        hand.type("on-insert")
        hand.click(dialog.get_by_label("Collection"))
        hand.type(books)
        hand.click(dialog.get_by_role("button", name="Create function"))
        hand.see(page.get_by_role("heading", name="on-insert"))
        hand.choose(page.get_by_label("Start from"), "The document b1")
        hand.command("Control+Enter")
        hand.see(page.get_by_role("region", name="The run").filter(has_text="created b1"))
        return hand

    def webhook_that_fails(self) -> Hand:
        project = self.user.create_project("Books")
        books = project.collection("books")
        self.receiver.answers["/broken"] = [500]
        person, hand = self._at_home(project)
        page = person.page
        hand.click(page.get_by_role("link", name="Webhooks"))
        hand.click(page.get_by_role("button", name="New webhook"))
        dialog = page.get_by_role("dialog", name="New webhook")
        hand.see(dialog)
        hand.type("orders")
        hand.click(dialog.get_by_label("Collection"))
        hand.type(books)
        hand.click(dialog.get_by_label("Address"))
        hand.type(self.receiver.url("/broken"))
        hand.click(dialog.get_by_role("button", name="Create webhook"))
        hand.click(page.get_by_role("button", name="I have copied it"))
        hand.click(page.get_by_role("button", name="Send a test"))
        hand.see(page.get_by_role("alert").filter(has_text="500"))
        return hand

    def scoped_key(self) -> Hand:
        project = self.user.create_project("Books")
        person, hand = self._at_home(project)
        page = person.page
        hand.click(page.get_by_role("link", name="API keys"))
        hand.click(page.get_by_role("button", name="New key"))
        dialog = page.get_by_role("dialog", name="New API key")
        hand.see(dialog)
        hand.type("app")
        hand.click(dialog.get_by_label("Read documents"))
        hand.click(dialog.get_by_role("button", name="Create key"))
        hand.click(page.get_by_role("button", name="a call to try it"))
        hand.see(page.get_by_role("dialog", name="Your new key").get_by_text("Bearer"))
        return hand

    def promotion(self) -> Hand:
        project = self.user.create_project("Books")
        made = ok(self.user.post(f"/control/projects/{project.id}/environments", {"environment": "staging"}), 201)["project"]
        staging = type(project)(self.user, made)
        staging.role("data:*:read", name="Writer")
        person, hand = self._at_home(project)
        page = person.page
        hand.click(page.get_by_role("link", name="Environments"))
        hand.click(page.get_by_role("link", name="Compare"))
        plan = page.get_by_role("region", name="Plan", exact=True)
        hand.click(plan.locator("summary").filter(has_text="Writer"))
        hand.click(page.get_by_label("Type production to confirm"))
        hand.type("production")
        hand.command("Enter")
        hand.see(page.get_by_text("The configuration of production is up to date."))
        return hand

    def block_a_user(self) -> Hand:
        project = self.user.create_project("Books")
        reader = project.end_user()
        for _ in range(3):
            project.end_user()
        person, hand = self._at_home(project)
        page = person.page
        hand.click(page.get_by_role("link", name="Users"))
        hand.click(page.get_by_role("link", name=reader.email))
        panel = page.get_by_role("complementary", name=reader.email)
        hand.click(panel.get_by_role("button", name="Block"))
        hand.click(page.get_by_role("dialog").get_by_role("button", name="Block"))
        hand.see(page.get_by_text("is blocked."))
        assert project.public().post("/auth/refresh", {"refreshToken": reader.tokens["refreshToken"]}).status_code in (401, 403)
        return hand


