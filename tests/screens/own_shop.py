"""A project of Ada's on a database of hers, in which there were collections before."""

from contextlib import contextmanager

from support.client import PlatformUser, Project, ok
from support.mongo_server import shared
from support.own_database import as_their_owner, create, fresh

STATES = ("open", "packed", "sent")


@contextmanager
def own_shop(ada: PlatformUser, paths: dict[str, str]):
    """Makes the project and adds the part of its addresses to `paths`. The database is dropped at the end."""
    address = fresh(shared())
    with as_their_owner(address) as theirs:
        theirs.orders.insert_many(
            {
                "customer": {"name": f"Customer {n}", "city": "Bergen" if n % 3 else "Oslo"},
                "total": n * 10 if n % 4 else n + 0.5,
                "state": STATES[n % 3],
                "lines": [{"book": f"b{n}", "copies": 1 + n % 2}],
                **({"note": "leave it at the door"} if n % 5 == 0 else {}),
            }
            for n in range(1, 400)
        )
        theirs.orders.create_index([("state", 1), ("total", -1)])
        theirs.returns.insert_many({"order": f"o{n}", "reason": "damaged"} for n in range(40))
        theirs.suppliers.insert_many({"id": n, "name": f"Supplier {n}"} for n in range(20))
        theirs.create_collection("recent", viewOn="orders", pipeline=[])
        theirs.create_collection("log", capped=True, size=100_000)
        project = Project(ada, ok(create(ada, address, "Old bookshop"), 201)["project"])
        ok(project.admin.post("/admin/introspect/returns/import", {}), 201)
        paths["own"] = project.slug
        yield
