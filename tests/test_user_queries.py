"""POST /admin/users/query: end users by the beginning of address or name, filtered, sorted, in pages."""

import pytest

from support.client import PASSWORD, PlatformUser, ok, refused, unique

USER_FIELDS = {"id", "email", "name", "emailVerified", "metadata", "status", "mfaEnabled", "createdAt", "updatedAt"}

PEOPLE = [
    ("ada@example.com", "Émile Noether"),
    ("emil@example.com", None),
    ("Bob@Example.com", "Ada Byron"),
    ("é.x@example.com", "100% (sure)"),
    ("zoe@bücher.test", "Zoë"),
]


def add(project, email, name=None, **more):
    body = {"email": email, "password": PASSWORD, **({"name": name} if name else {}), **more}
    return ok(project.admin.post("/admin/users", body), 201)["user"]


@pytest.fixture(scope="module")
def people(owner):
    project = owner.create_project()
    project.users = [add(project, email, name) for email, name in PEOPLE]
    return project


def query(api, **body):
    return ok(api.post("/admin/users/query", body))


def emails(page):
    return [user["email"] for user in page["users"]]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("ada", ["ada@example.com", "Bob@Example.com"]),
        ("ADA B", ["Bob@Example.com"]),
        ("emil", ["ada@example.com", "emil@example.com"]),
        ("Émile", ["ada@example.com"]),
        ("bob@ex", ["Bob@Example.com"]),
        ("É.", ["é.x@example.com"]),
        ("100% (", ["é.x@example.com"]),
        ("zoe@bücher.test", ["zoe@bücher.test"]),
        ("zoe@xn--", ["zoe@bücher.test"]),
        ("ZOË", ["zoe@bücher.test"]),
        ("noether", []),
        (".", []),
        ("^", []),
        ("  ", [email for email, _ in PEOPLE]),
    ],
)
def test_text(people, text, expected):
    page = query(people.admin, text=text)
    assert emails(page) == expected and page["total"] == len(expected) and "next" not in page


def test_users_are_those_of_the_list(people):
    page = query(people.admin)
    assert page["users"] == ok(people.admin.get("/admin/users"))["users"] and page["total"] == len(PEOPLE)
    assert all(set(user) == USER_FIELDS for user in page["users"])


def test_other_projects_are_not_searched(owner, people):
    other = owner.create_project()
    add(other, "ada@example.com")
    assert query(other.admin, text="ada")["total"] == 1


def test_filters(owner):
    project = owner.create_project()
    ids = {name: add(project, f"{name}@example.com", "Same Name")["id"] for name in "abcd"}
    admin = project.admin
    ok(admin.post(f"/admin/users/{ids['a']}/block"), 204)
    ok(admin.post(f"/admin/users/{ids['b']}/deactivate"), 204)
    ok(admin.patch(f"/admin/users/{ids['c']}", {"emailVerified": True, "metadata": {"role": "editor"}}), 204)

    def found(**body):
        return "".join(email[0] for email in emails(query(admin, **body)))

    assert [found(status=status) for status in ("active", "inactive", "blocked")] == ["cd", "b", "a"]
    assert found(role="editor") == "c" and found(role="user") == "abd" and found(role="none") == ""
    assert found(emailVerified=True) == "c" and found(emailVerified=False) == "abd"
    assert found(text="same", status="active", role="user", emailVerified=False) == "d"
    assert query(admin, text="same", status="active", limit=1)["total"] == 2
    # What changes is found as it is now.
    ok(admin.patch(f"/admin/users/{ids['d']}", {"name": "Other"}), 204)
    assert found(text="same") == "abc" and found(text="oth") == "d"
    ok(admin.patch(f"/admin/users/{ids['d']}", {"name": None, "email": "new@example.com"}), 204)
    assert found(text="oth") == "" and found(text="d@") == "" and found(text="new") == "n"
    user = project.end_user()
    assert query(admin, text=user.email)["users"][0]["id"] == user.id


@pytest.mark.parametrize("by", ["id", "email", "name", "createdAt", "updatedAt"])
@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize("text", [None, "u"])
def test_sorts_and_pages(owner, sorted_people, by, direction, text):
    admin = sorted_people.admin
    all_users = ok(admin.get("/admin/users"))["users"]

    def key(user):
        value = user.get(by)
        return ("", "") if value is None else ("x", value.lower() if by in ("email", "name") else value)

    expected = sorted(all_users, key=lambda user: user["id"])
    expected = sorted(expected, key=key, reverse=direction < 0)
    if direction < 0:  # ties by ascending id in either direction
        groups = {}
        for user in sorted(all_users, key=lambda one: one["id"]):
            groups.setdefault(key(user), []).append(user)
        expected = [user for value in sorted(groups, reverse=True) for user in groups[value]]
    for limit in (1, 7, 1000):
        walked, body = [], {"sort": [{by: direction}], "limit": limit, **({"text": text} if text else {})}
        while True:
            page = query(admin, **body)
            walked += page["users"]
            assert page["total"] == len(all_users) and len(page["users"]) <= limit
            if "next" not in page:
                break
            body["after"] = page["next"]
        assert [user["id"] for user in walked] == [user["id"] for user in expected]


@pytest.fixture(scope="module")
def sorted_people(owner):
    project = owner.create_project()
    names = ["Zoe", "ada", "Bob", None, "ada", None, "carl", "Ada"]
    users = [add(project, f"u{(n * 5) % 23:02}@example.com", names[n % len(names)]) for n in range(20)]
    for user in users[::3]:
        ok(project.admin.patch(f"/admin/users/{user['id']}", {"emailVerified": True}), 204)
    return project


def test_several_sort_keys(sorted_people):
    page = query(sorted_people.admin, sort=[{"name": 1}, {"email": -1}])
    keys = [(user.get("name") or "").lower() for user in page["users"]]
    assert keys == sorted(keys)
    same = [user["email"] for user in page["users"] if (user.get("name") or "").lower() == "ada"]
    assert len(same) > 2 and same == sorted(same, reverse=True)


def test_cursors_belong_to_their_query(owner, people):
    admin = people.admin
    first = query(admin, sort=[{"email": 1}], limit=1)
    cursor = first["next"]
    assert query(admin, sort=[{"email": 1}], limit=3, after=cursor)["users"]
    for other in (
        {"sort": [{"email": -1}]},
        {},
        {"sort": [{"email": 1}], "text": "a"},
        {"sort": [{"email": 1}], "status": "active"},
        {"sort": [{"email": 1}], "emailVerified": False},
        {"sort": [{"email": 1}], "role": "user"},
    ):
        refused(admin.post("/admin/users/query", {**other, "after": cursor}), 400, "INVALID_CURSOR", "/after")
    foreign = owner.create_project().admin
    refused(foreign.post("/admin/users/query", {"sort": [{"email": 1}], "after": cursor}), 400, "INVALID_CURSOR")
    for bad in ("", "x", cursor[:-2], cursor + "A", "ä", "x" * 200_000):
        body = {"sort": [{"email": 1}], "after": bad}
        refused(admin.post("/admin/users/query", body), 400, "INVALID_CURSOR", "/after")
    # A cursor of documents is none of users.
    name = people.collection()
    for n in range(2):
        ok(admin.post(f"/admin/collections/{name}/documents", {"n": n}), 201)
    cursor = ok(admin.post(f"/admin/collections/{name}/query", {"limit": 1}))["next"]
    refused(admin.post("/admin/users/query", {"after": cursor}), 400, "INVALID_CURSOR")


@pytest.mark.parametrize(
    "body, path",
    [
        ({"text": 5}, "/text"),
        ({"text": "x" * 255}, "/text"),
        ({"text": {"$regex": "a"}}, "/text"),
        ({"text": "\u0000"}, "/text"),
        ({"role": "a\u0000"}, "/role"),
        ({"status": "gone"}, "/status"),
        ({"status": ""}, "/status"),
        ({"role": ""}, "/role"),
        ({"role": "x" * 65}, "/role"),
        ({"role": {"$ne": "user"}}, "/role"),
        ({"emailVerified": "true"}, "/emailVerified"),
        ({"limit": -1}, "/limit"),
        ({"limit": 1.5}, "/limit"),
        ({"sort": {"email": 1}}, "/sort"),
        ({"sort": [{"email": 0}]}, "/sort/0"),
        ({"sort": [{"email": 1, "name": 1}]}, "/sort/0"),
        ({"sort": [{"passwordHash": 1}]}, "/sort/0"),
        ({"sort": [{"metadata.role": 1}]}, "/sort/0"),
        ({"sort": [{"name": 1}, {"name": -1}]}, "/sort/1"),
        ({"sort": [{"id": 1}] * 6}, "/sort"),
        ({"after": 5}, "/after"),
        ({"filter": {}}, "/filter"),
        ({"skip": 1}, "/skip"),
    ],
)
def test_refuses(people, body, path):
    refused(people.admin.post("/admin/users/query", body), 400, "VALIDATION", path)


def test_limits(people):
    assert query(people.admin, limit=0) == {"users": [], "total": len(PEOPLE)}
    assert len(query(people.admin, limit=5000)["users"]) == len(PEOPLE)


def test_who_may(server, people):
    reader = people.member(people.role("users:read"), PlatformUser(server))
    assert query(reader, text="ada")["total"] == 2
    other = people.member(people.role("roles:read", "data:*"), PlatformUser(server))
    refused(other.post("/admin/users/query", {}), 403, "FORBIDDEN")
    refused(people.api_key("read").post("/admin/users/query", {}), 403, "FORBIDDEN")
    assert query(people.api_key("admin"), text="ada")["total"] == 2


def test_names_of_registered_users_are_found(owner):
    project = owner.create_project()
    name = unique("Name")
    body = {"email": "r@example.com", "password": PASSWORD, "name": name}
    ok(project.public().post("/auth/register", body), 201)
    assert emails(query(project.admin, text=name.upper())) == ["r@example.com"]
