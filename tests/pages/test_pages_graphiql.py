"""/graphiql: queries with the visitor's token."""

import json

import pytest
from playwright.sync_api import expect

from support.client import ok, unique
from support.tool_pages import give, open_graphiql, said, stored, using

# A browser and a sanitized server take long.
pytestmark = pytest.mark.timeout(300)
# The smallest response to GraphiQL's introspection that has one query.
INTROSPECTION = {
    "data": {
        "__schema": {
            "queryType": {"name": "Query"},
            "mutationType": None,
            "subscriptionType": None,
            "types": [
                {
                    "kind": "OBJECT",
                    "name": "Query",
                    "description": "What can be asked",
                    "fields": [
                        {
                            "name": "teapots",
                            "description": "All the teapots",
                            "args": [],
                            "type": {"kind": "SCALAR", "name": "String", "ofType": None},
                            "isDeprecated": False,
                            "deprecationReason": None,
                        }
                    ],
                    "inputFields": None,
                    "interfaces": [],
                    "enumValues": None,
                    "possibleTypes": None,
                },
                *(
                    {"kind": "SCALAR", "name": name, "description": None, "fields": None, "inputFields": None,
                     "interfaces": None, "enumValues": None, "possibleTypes": None}
                    for name in ("String", "Boolean")
                ),
            ],
            "directives": [],
        }
    }
}


@pytest.fixture
def visitor(chromium, server):
    with using(chromium, server) as visitor:
        yield visitor


def stand_in(visitor, server, answers: dict) -> list:
    """Responds to GraphQL instead of the server; collects the queries except the introspection."""
    queries = []

    def answer(route) -> None:
        body = json.loads(route.request.post_data)
        if "__schema" in body["query"]:
            route.fulfill(json=INTROSPECTION)
            return
        queries.append((body, route.request.headers))
        route.fulfill(json=answers)

    visitor.page.route(f"{server.url}/api/v1/graphql", answer)
    return queries


def write_query(visitor, text: str) -> None:
    visitor.page.locator(".graphiql-query-editor .CodeMirror").click()
    visitor.page.keyboard.press("Control+a")
    visitor.page.keyboard.insert_text(text)


def run_query(visitor, text: str):
    """Writes a query and runs it; returns the element with the response."""
    write_query(visitor, text)
    # The history saves the query as it was last stored, and storing waits for a pause in typing.
    kept = "(text) => Object.values(localStorage).includes(text)"
    visitor.page.wait_for_function(kept, arg=text)
    visitor.page.get_by_role("button", name="Execute query (Ctrl-Enter)").click()
    return visitor.page.locator(".result-window")


def test_graphiql(visitor, server, project, admin):
    queries = stand_in(visitor, server, {"data": {"teapots": "short and stout"}})
    open_graphiql(visitor, f"{server.url}/p/{project.id}/graphiql")
    expect(said(visitor)).to_contain_text("Queries need a token")
    assert not any(request.url.endswith("/graphql") for request in visitor.asked), "no schema without a token"

    give(visitor, admin.token)
    expect(said(visitor)).to_have_text("")
    expect(run_query(visitor, "{ teapots }")).to_contain_text("short and stout")
    body, headers = queries[-1]
    assert body["query"] == "{ teapots }" and headers["content-type"] == "application/json"
    assert headers["authorization"] == f"Bearer {admin.token}" and headers["x-service-project"] == project.id

    visitor.page.get_by_role("button", name="Show Documentation Explorer").click()
    visitor.page.locator(".graphiql-doc-explorer").get_by_role("link", name="Query", exact=True).click()
    expect(visitor.page.locator(".graphiql-doc-explorer")).to_contain_text("All the teapots")
    visitor.page.get_by_role("button", name="Show History").click()
    expect(visitor.page.locator(".graphiql-history")).to_contain_text("{ teapots }")
    # Dialogs and menus set inline styles.
    visitor.page.get_by_role("button", name="Open settings dialog").click()
    visitor.page.get_by_role("dialog").wait_for()
    visitor.page.keyboard.press("Escape")

    # Queries survive a reload; tokens are not in localStorage.
    visitor.page.reload()
    expect(visitor.page.locator(".graphiql-query-editor")).to_contain_text("teapots")
    local, session = stored(visitor)
    assert "teapots" in local and admin.token not in local and admin.token in session


def test_graphiql_shows_what_goes_wrong(visitor, server):
    answers = {"errors": [{"message": "there is no teapot", "locations": [{"line": 1, "column": 3}]}]}
    stand_in(visitor, server, answers)
    open_graphiql(visitor, f"{server.url}/graphiql")
    give(visitor, "any")
    expect(run_query(visitor, "{ teapots }")).to_contain_text("there is no teapot")
    visitor.page.unroute(f"{server.url}/api/v1/graphql")
    visitor.page.route(f"{server.url}/api/v1/graphql", lambda route: route.fulfill(status=404, body="<h1>no</h1>"))
    expect(run_query(visitor, "{ teapots }")).to_contain_text("The server responded with 404.")


def test_graphiql_of_the_server(visitor, server, project, admin):
    """Queries run against the server's own schema."""
    collection = unique("kettles")
    ok(admin.post("/admin/collections", {"name": collection}), 201)
    ok(admin.put(f"/admin/collections/{collection}/policy", {"list": {}}), 204)
    open_graphiql(visitor, f"{server.url}/p/{project.id}/graphiql")
    give(visitor, admin.token)
    expect(run_query(visitor, "{ %sCount }" % collection)).to_contain_text(f'"{collection}Count": 0')
    visitor.page.get_by_role("button", name="Show Documentation Explorer").click()
    visitor.page.locator(".graphiql-doc-explorer").get_by_role("link", name="Query", exact=True).click()
    expect(visitor.page.locator(".graphiql-doc-explorer")).to_contain_text(f"{collection}Count")
