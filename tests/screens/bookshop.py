"""A shop that sells books, as a project of its own: what ./test long screens shows. Everything in it is made through the
API, by those who would make it."""

import json
import random
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone

from screens.bookshop_names import AUTHORS, BOOKS, BUYERS, READERS, REVIEWS, SHELVES
from support.client import PASSWORD, EndUser, PlatformUser, Project, ok
from support.dashboard import verify
from support.embeddings import DIMENSIONS
from support.function import Function
from support.payment_provider import subscribe
from support.server import ROOT
from support.waiting import wait_until

ORDERS = ROOT / "examples" / "orders" / "manybase"
OWN = {"filter": {"ownerId": "$auth.uid"}}
TEXT = {"type": "string"}
BOOK = {
    "type": "object",
    "required": ["title", "author", "price"],
    "properties": {
        "title": {**TEXT, "maxLength": 200},
        "author": {**TEXT, "x-ref": "authors"},
        "price": {"type": "number", "minimum": 0},
        "stock": {"type": "integer", "minimum": 0},
        "shelf": {"enum": SHELVES},
        "featured": {"type": "boolean"},
        "published": {**TEXT, "format": "date"},
        "summary": {**TEXT, "maxLength": 2000},
    },
}
LOW_STOCK = {
    "nodes": [
        {"id": "start", "type": "trigger", "data": {}, "position": {"x": 0, "y": 0}},
        {"id": "low", "type": "find", "data": {"collection": "books", "filter": {"stock": {"$lt": 5}}, "limit": 50, "as": "books"}, "position": {"x": 0, "y": 112}},
        {"id": "any", "type": "condition", "data": {"expression": "size(books) == 0"}, "position": {"x": 0, "y": 224}},
        {"id": "enough", "type": "stop", "data": {"reason": "Every shelf is full."}, "position": {"x": -256, "y": 336}},
        {"id": "each", "type": "forEach", "data": {"items": "books", "as": "book"}, "position": {"x": 64, "y": 336}},
        {"id": "note", "type": "log", "data": {"level": "warn", "message": "Only {{ book.stock }} of {{ book.title }}"}, "position": {"x": 288, "y": 448}},
        {"id": "answer", "type": "respond", "data": {"status": 200, "body": {"low": "{{ size(books) }}"}}, "position": {"x": 0, "y": 448}},
    ],
    "edges": [
        {"id": "e1", "source": "start", "target": "low"},
        {"id": "e2", "source": "low", "target": "any"},
        {"id": "e3", "source": "any", "target": "enough", "branch": "true"},
        {"id": "e4", "source": "any", "target": "each", "branch": "false"},
        {"id": "e5", "source": "each", "target": "note", "branch": "each"},
        {"id": "e6", "source": "each", "target": "answer", "branch": "done"},
    ],
}  # fmt: skip
IMPORT_PRICES = """interface Line {
  title: string;
  price: number;
}

// Takes the price list of the wholesaler: a request of theirs, every night.
export default async (_event: unknown, ctx: any) => {
  const lines: Line[] = ctx.request.body.lines;
  let changed = 0;
  for (const { title, price } of lines) {
    const book = await ctx.db.findOne("books", { title });
    if (!book) throw new Error(`there is no book "${title}"`);
    if (book.price === price) continue;
    await ctx.db.updateMany("books", { id: book.id }, { $set: { price } });
    console.log(`${title}: ${book.price} -> ${price}`);
    changed++;
  }
  return { body: { changed } };
};
"""
WELCOME = """// Runs when somebody registers in the shop.
export default async (event: { user: { email: string } }, ctx: any) => {
  const orders = await ctx.db.count("orders", { email: event.user.email });
  console.log(`welcome ${event.user.email}, ${orders} orders so far`);
};
"""
NIGHTLY = """// Every night: what was sold, by status.
export default async (_event: unknown, ctx: any) => {
  const sold: Record<string, number> = {};
  for (const status of ["new", "reserved", "refused"]) sold[status] = await ctx.db.count("orders", { status });
  console.log("orders", sold);
  return sold;
};
"""


def address(name: str) -> str:
    plain = name.lower().replace("è", "e").replace("ë", "e").replace(" ", ".")
    return f"{plain}@example.com"


def day(ago: int) -> str:
    return (datetime.now(timezone.utc) - timedelta(days=ago)).strftime("%Y-%m-%d")


class Bookshop:
    """Ada's projects at a server. `paths` are the parts of addresses by the names that the table of screens has for them."""

    def __init__(self, server, mails, receiver, upstream, payments, covers: dict[str, bytes]):
        self.server, self.mails, self.receiver, self.upstream, self.payments = server, mails, receiver, upstream, payments
        self.chance = random.Random(7)
        self.paths: dict[str, str] = {}
        self.ada = PlatformUser(server, "ada.marsh@example.com", "Ada Marsh")
        verify(mails, self.ada)
        subscribe(payments, self.ada, "pro")
        self.shop = self.project("Bookshop", "indigo")
        self.admin = self.shop.admin
        self._others()
        self._collections()
        self._users()
        # What projects use, and so what they cost, is read at each start.
        server.stop()
        server.start()
        self._functions()
        self._outside()
        self._orders()
        self._reviews()
        self._files(covers)
        self._access()
        self._environments()
        self._failed_job()
        self.paths |= {"shop": self.shop.slug, "empty": self.empty.slug, "person": self.people["Ben Okafor"].id}

    def project(self, name: str, color: str) -> Project:
        made = self.ada.create_project(name)
        ok(self.ada.patch(f"/control/projects/{made.id}", {"color": color}), 204)
        return made

    def _others(self) -> None:
        self.empty = self.project("Reading Room", "amber")
        self.empty.collection("notes", policy=None)
        self.project("Newsletter", "rose")
        warehouse = self.project("Warehouse", "teal")
        warehouse.collection("shelves")
        archive = self.project("Catalogue 2019", "slate")
        ok(self.ada.post(f"/control/projects/{archive.id}/suspend"), 204)

    def add(self, collection: str, document: dict) -> dict:
        return ok(self.admin.post(f"/admin/collections/{collection}/documents", document), 201)["document"]

    def _collections(self) -> None:
        ok(self.admin.put("/admin/collections/*/policy", {"read": OWN, "list": OWN}), 204)
        self.shop.collection("authors", policy={"read": {}, "list": {}, "public": {"read": {}, "list": {}}}, schema={
            "type": "object", "required": ["name"], "properties": {"name": TEXT, "country": TEXT, "born": {"type": "integer"}},
        })  # fmt: skip
        staff = {"validate": "auth.role == 'bookseller'"}
        self.shop.collection(
            "books",
            policy={
                "read": {}, "list": {}, "create": staff, "update": {**staff, "immutableFields": ["author"]},
                "public": {"read": {"filter": {"stock": {"$gt": 0}}}, "list": {"filter": {"stock": {"$gt": 0}}}},
            },
            schema=BOOK,
            indexes=[{"keys": {"title": 1}}, {"keys": {"author": 1, "published": -1}}, {"keys": {"stock": 1}, "partialFilter": {"featured": True}}],
        )  # fmt: skip
        self.shop.collection("reviews", policy={
            "read": {}, "list": {}, "create": {"validate": "document.rating >= 1 && document.rating <= 5"},
            "update": {**OWN, "allowedWriteFields": ["rating", "text"]}, "delete": OWN,
        }, schema={
            "type": "object", "required": ["book", "rating"],
            "properties": {"book": {**TEXT, "x-ref": "books"}, "rating": {"type": "integer"}, "text": TEXT},
        }, indexes=[{"keys": {"book": 1}}])  # fmt: skip
        orders = json.loads((ORDERS / "collections" / "orders.json").read_text())
        self.shop.collection("orders", policy=orders["policy"], schema=orders["schema"], indexes=[{"keys": {"ownerId": 1}}, {"keys": {"status": 1, "createdAt": -1}}])
        ok(self.admin.put("/admin/collections/orders/policy-tests", {"tests": orders["policyTests"]}), 204)
        self.shop.collection("memberships", policy=None, indexes=[{"keys": {"userId": 1}}])
        member = {"collection": "memberships", "where": {"userId": "$auth.uid"}, "value": "clubId"}
        ok(self.admin.put("/admin/policies/sets/clubs", member), 204)
        ok(self.admin.put("/admin/policies/sets/ledClubs", {**member, "where": {**member["where"], "role": "leader"}}), 204)
        self.shop.collection("clubs", policy={"read": {}, "list": {}, "update": {"filter": {"clubId": {"$in": "$auth.sets.ledClubs"}}}})
        for id, name, country, born in AUTHORS:
            self.add("authors", {"id": id, "name": name, "country": country, "born": born})
        self.books = []
        for at, (title, author, price, summary) in enumerate(BOOKS):
            book = {
                "title": title, "author": AUTHORS[author][0], "price": price, "stock": self.chance.randrange(0, 60), "shelf": SHELVES[at % len(SHELVES)],
                "featured": at % 4 == 0, "published": day(400 + at * 97), "summary": summary,
            }  # fmt: skip
            self.books.append(self.add("books", book))
        for name in ("Crime on Thursdays", "Sailors' library", "Bread and books"):
            self.add("clubs", {"name": name, "open": True})
        field = {"name": "meaning", "dimensions": DIMENSIONS, "mode": "auto", "source": {"fields": ["title", "summary"]}}
        ok(self.admin.put("/admin/collections/books/vector-config", {"fields": [field]}), 204)
        self.paths |= {"book": self.books[9]["id"], "author": AUTHORS[0][0]}

    def _users(self) -> None:
        bookseller = ["data:*:read", "data:*:list", "data:books:create", "data:books:update", "data:books:delete", "storage:write"]
        self.shop.enduser_role(*bookseller, name="bookseller")
        self.shop.enduser_role("data:*:read", "data:*:list", name="club-leader")
        self.buyers = []
        for name in BUYERS:
            buyer = EndUser(self.shop, email=address(name))
            ok(self.admin.patch(f"/admin/users/{buyer.id}", {"name": name, "emailVerified": True}), 204)
            self.buyers.append(buyer)

        def register(name: str) -> None:
            ok(self.admin.post("/admin/users", {"email": address(name), "password": PASSWORD, "name": name}), 201)

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(register, READERS))
        users = {one["email"]: one["id"] for one in ok(self.admin.get("/admin/users", params={"limit": 100}))["users"]}
        self.users = {name: users[address(name)] for name in (*BUYERS, *READERS)}
        for name in READERS[:18]:
            ok(self.admin.patch(f"/admin/users/{self.users[name]}", {"emailVerified": True}), 204)
        for name in ("Alma Strand", "Hugo Lefèvre", "Ida Nygaard"):
            ok(self.admin.patch(f"/admin/users/{self.users[name]}", {"metadata": {"role": "bookseller", "branch": "Harbour"}}), 204)
        ok(self.admin.patch(f"/admin/users/{self.users['Greta Holm']}", {"metadata": {"role": "club-leader"}}), 204)
        ok(self.admin.post(f"/admin/users/{self.users['Dmitri Volkov']}/block"), 204)
        ok(self.admin.post(f"/admin/users/{self.users['Felix Brunner']}/deactivate"), 204)
        for number, name in enumerate(("Greta Holm", "Nora Feld", "Luca Bianchi", "Ida Nygaard")):
            self.add("memberships", {"userId": self.users[name], "clubId": "sailors", "role": "member" if number else "leader"})
        self.paths |= {"user": self.users["Alma Strand"]}

    def _outside(self) -> None:
        """What the shop calls, and what it is called by."""
        for name, value in {
            "STOCK_URL": self.upstream.url, "MAIL_HOST": "127.0.0.1", "MAIL_PORT": str(self.mails.port),
            "MAIL_FROM": "The Bookshop <orders@example.com>", "SHOP_URL": "https://shop.example.com",
        }.items():  # fmt: skip
            ok(self.admin.put(f"/admin/variables/{name}", {"value": value}), 204)
        ok(self.admin.put("/admin/variables/STOCK_TOKEN", {"value": "a-token-of-the-stock", "secret": True}), 204)

        def reserve(asked, _connection):
            if any(item["sku"] == "wind-tables" for item in asked.body["items"]):
                return 503, {}, {"error": "the stock is being counted"}
            if any(item["sku"] == "moss" for item in asked.body["items"]):
                return 409, {}, {}
            return 201, {}, {"id": f"r-{asked.headers['idempotency-key'][-6:]}"}

        self.upstream.answers["/v1/reservations"] = reserve
        self.upstream.answers["/v1/health"] = (200, {}, {"status": "open", "titles": len(BOOKS), "queue": 0})
        secrets = {"stock": {"authorization": "Bearer ${STOCK_TOKEN}"}}
        for file in sorted((ORDERS / "integrations").glob("*.json")):
            entry = json.loads(file.read_text())
            ok(self.admin.post("/admin/integrations", {**{key: entry[key] for key in ("name", "provider", "config")}, **({"secrets": secrets[entry["name"]]} if entry["name"] in secrets else {})}), 201)
            ok(self.admin.patch(f"/admin/integrations/{entry['name']}/tests", {"tests": entry["tests"]}), 204)
        chat = {"name": "team-chat", "provider": "bot", "config": {"platform": "slack", "defaultChannel": "C04SHOP"}, "secrets": {"token": "xoxb-of-the-shop"}}
        ok(self.admin.post("/admin/integrations", chat), 201)
        self.receiver.answers["/accounting"] = [500]
        for name, collection, events, fields in (
            ("warehouse", "orders", ["insert"], ["items", "status"]),
            ("accounting", "orders", ["insert", "update"], []),
            ("search-index", "books", ["insert", "update", "delete"], ["title", "summary"]),
        ):
            hook = {"name": name, "collection": collection, "events": events, "url": self.receiver.url(f"/{name}"), "headers": {"x-shop": "harbour"}}
            ok(self.admin.post("/admin/webhooks", {**hook, **({"fields": fields} if fields else {})}), 201)

    def _functions(self) -> None:
        for file in sorted((ORDERS / "functions").glob("*.json")):
            entry = json.loads(file.read_text())
            entry["code"] = (file.parent / entry.pop("codeFile")).read_text()
            if "retry" in entry:
                entry["retry"] = {"attempts": 2, "backoffSeconds": 1}
            ok(self.admin.post("/admin/functions", entry), 201)
        Function(self.shop, WELCOME, {"type": "auth", "event": "userCreated"}, name="welcome")
        Function(self.shop, NIGHTLY, {"type": "cron", "schedule": "0 3 * * *", "timezone": "Europe/Stockholm"}, name="nightly-report")
        prices = Function(self.shop, IMPORT_PRICES.replace("changed++", "changed += 1"), {"type": "http", "method": "POST", "path": "/prices"}, name="import-prices")
        prices.patch(code=IMPORT_PRICES)
        ok(self.admin.post("/admin/functions", {"name": "low-stock", "trigger": {"type": "http", "method": "GET", "path": "/low-stock"}, "flow": LOW_STOCK}), 201)
        self.prices = prices

    def _orders(self) -> None:
        skus = ["-".join(title.lower().replace("'", "").split()) for title, *_ in BOOKS]

        def order(at: int) -> None:
            buyer = self.buyers[at % len(self.buyers)]
            items = [{"sku": skus[(at * 5 + item * 7) % len(skus)], "count": 1 + (at + item) % 3} for item in range(1 + at % 3)]
            buyer.create("orders", {"email": buyer.email, "items": items})

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(order, range(44)))
        for title, price in (("Fjords in Winter", 22.5), ("Moss", 26.0)):
            self._request({"lines": [{"title": title, "price": price}]})
        self._request({"lines": [{"title": "Kitchen Physics", "price": 24}, {"title": "The Harbour Atlas", "price": 31}]})
        for name in ("low-stock", "nightly-report"):
            ok(self.admin.post(f"/admin/functions/{name}/invoke", {"payload": {"type": "http", "method": "GET", "path": "/low-stock"}}))
        logs = ok(self.admin.get("/admin/functions/import-prices/logs"))["runs"]
        self.paths |= {"failed": logs[0]["id"], "run": logs[1]["id"]}

        def decided() -> bool:
            path = "/admin/collections/orders/query"
            return ok(self.admin.post(path, {"filter": {"status": "new"}, "limit": 1, "total": True}))["total"] <= 4

        wait_until(decided, 120, "orders are not confirmed")
        self.paths |= {"order": self.buyers[1].list("orders")[0]["id"]}

    def _request(self, body: dict) -> None:
        self.server.http.post(f"/api/v1/run/{self.shop.slug}/prices", json=body)

    def _reviews(self) -> None:
        for at in range(40):
            review = {"book": self.books[at * 3 % len(self.books)]["id"], "rating": 3 + at % 3, "text": REVIEWS[at % len(REVIEWS)]}
            self.buyers[at % len(self.buyers)].create("reviews", review)

    def _files(self, covers: dict[str, bytes]) -> None:
        for name, access in (("covers", "public"), ("invoices", "private"), ("exports", "private")):
            ok(self.admin.post("/admin/storage/buckets", {"name": name, "access": access}), 201)
        ok(self.admin.patch("/admin/storage/buckets/invoices", {"rules": {"list": {}, "read": {"filter": {"ownerId": "$auth.uid"}}}}), 204)

        def put(path: str, content: bytes, type: str) -> None:
            ok(self.admin.put(f"/storage/{path}", content=content, headers={"content-type": type}), 201)

        for name, content in covers.items():
            put(f"covers/{name}", content, "image/png")
        put("covers/spring/window.png", next(iter(covers.values())), "image/png")
        text = "Price list, spring\n\n" + "\n".join(f"{title:<34} {price:6.2f}" for title, _, price, _ in BOOKS)
        put("exports/price-list.txt", text.encode(), "text/plain; charset=utf-8")
        lines = "\n".join(f'{book["id"]},"{book["title"]}",{book["price"]}' for book in self.books)
        put("exports/books.csv", f"id,title,price\n{lines}\n".encode(), "text/csv")
        for number in range(1041, 1047):
            put(f"invoices/2026/{number}.txt", f"Invoice {number}\n".encode(), "text/plain")

    def _access(self) -> None:
        soon = (datetime.now(timezone.utc) + timedelta(days=60)).strftime("%Y-%m-%dT%H:%M:%SZ")
        for name, scopes, more in (
            ("Web shop", ["read"], {}), ("Nightly import", ["service"], {"expiresAt": soon}),
            ("Warehouse scanner", ["read", "write"], {}), ("Accounting export", ["read"], {"expiresAt": soon}),
        ):  # fmt: skip
            key = ok(self.admin.post("/admin/api-keys", {"name": name, "scopes": scopes, **more}), 201)["key"]
            if name != "Accounting export":
                self.shop.public().get("/books", token=key)
        self.shop.role("data:*:read", "data:*:list", "data:orders:update", "users:read", "storage:read", name="Support")
        for provider, id in (("google", "204918-bookshop.apps.example.com"), ("github", "Iv1.8a61f9b3")):
            body = {"clientId": id, "clientSecret": "secret-of-the-provider", "enabled": provider == "google"}
            ok(self.admin.put(f"/admin/auth/oauth/providers/{provider}", body), 204)
        ok(self.admin.put("/admin/auth/oauth/redirects", {"allowedRedirects": ["https://shop.example.com", "http://localhost:5173"]}), 204)
        self.people = {}
        for name, role in (("Ben Okafor", "Owner"), ("Mia Lindqvist", "Admin"), ("Tom Adeyemi", "Editor"), ("Sara Haddad", "Viewer"), ("Leo Park", "Support")):
            person = PlatformUser(self.server, address(name), name)
            verify(self.mails, person)
            self.shop.member(role, person)
            self.people[name] = person
        self.empty.member("Viewer", self.people["Sara Haddad"])
        self.shop.role("audit:read", name="Auditor")
        self.auditor = PlatformUser(self.server, "rik.daan@example.com", "Rik Daan")
        verify(self.mails, self.auditor)
        self.shop.member("Auditor", self.auditor)
        for email, role in (("hanna.voss@example.com", "Editor"), ("press@example.com", "Viewer")):
            ok(self.ada.post(f"/control/projects/{self.shop.id}/members", {"email": email, "role": role}), 201)
        settings = {"allowedOrigins": ["https://shop.example.com"], "profileFields": ["name"], "hideRegistered": True}
        ok(self.ada.patch(f"/control/projects/{self.shop.id}", {"settings": settings}), 204)
        for path, name, owner, secrets in (
            (f"/control/projects/{self.shop.id}/connections", "Code of the shop", "harbour-books", {"installationId": "48213907"}),
            (f"/control/projects/{self.shop.id}/connections", "Themes", "harbour-themes", {}),
            ("/control/connections", "Tools of the house", "marsh-and-daughters", {"installationId": "51170662"}),
        ):  # fmt: skip
            connection = {"kind": "github", "name": name, "config": {"owner": owner}, "secrets": secrets}
            ok(self.ada.post(path, connection), 201)
        ok(self.ada.post("/control/admin/operators", {"email": "night.shift@example.com"}), 201)
        wrong = {"email": "nora.feld@example.com", "password": "not the one"}
        self.shop.public().post("/auth/login", wrong)

    def _environments(self) -> None:
        def create(label: str, color: str) -> Project:
            made = ok(self.ada.post(f"/control/projects/{self.shop.id}/environments", {"environment": label, "color": color}), 201)
            return Project(self.ada, made["project"])

        staging = create("staging", "amber")
        create("preview", "sky")
        for name, value in {
            "STOCK_URL": "https://stock.staging.example.com", "MAIL_HOST": "mail.staging.example.com", "MAIL_PORT": "25",
            "MAIL_FROM": "Staging <staging@example.com>", "SHOP_URL": "https://staging.example.com",
        }.items():  # fmt: skip
            ok(staging.admin.put(f"/admin/variables/{name}", {"value": value}), 204)
        ok(staging.admin.put("/admin/variables/STOCK_TOKEN", {"value": "a-token-of-staging", "secret": True}), 204)
        code = IMPORT_PRICES.replace("if (!book) throw new Error(`there is no book \"${title}\"`);", "if (!book) continue;")
        ok(staging.admin.patch("/admin/functions/import-prices", {"code": code}), 204)
        policy = ok(staging.admin.get("/admin/collections/reviews/policy"))["policy"]
        ok(staging.admin.put("/admin/collections/reviews/policy", {**policy, "public": {"list": {"filter": {"rating": {"$gte": 4}}}}}), 204)
        staging.collection("wishlists", policy={"read": OWN, "list": OWN, "create": {}, "delete": OWN})
        staging.role("data:reviews:read", "data:reviews:delete", name="Moderator")
        self.paths |= {"staging": staging.id, "shopId": self.shop.id, "stagingSlug": staging.slug}

    def _failed_job(self) -> None:
        self.mails.reply = "550 mailbox unavailable"
        body = {"email": "old.address@example.org", "password": PASSWORD}
        ok(self.shop.public().post("/auth/register", body), 201)
        wait_until(lambda: ok(self.ada.get("/control/jobs/dead"))["jobs"], 60, "no job has failed")
        self.mails.reply = None
