"""Shared by the tests of the developer tools: /docs and /graphiql."""

from contextlib import contextmanager

from support.browser import visiting

TOOLS = ("/docs", "/graphiql")


def addresses(project=None) -> list[str]:
    """Returns the paths of the tools of a project, or of all projects together."""
    return [(f"/p/{project.id}" if project else "") + tool for tool in TOOLS]


@contextmanager
def using(chromium, server, **settings):
    """A visitor whose browser sends requests only to the server."""
    with visiting(chromium, **settings) as visitor:
        visitor.asked = []
        visitor.page.on("request", lambda request: visitor.asked.append(request))
        yield visitor
        urls = [request.url for request in visitor.asked]
        strange = [url for url in urls if not url.startswith((server.url + "/", "data:", "about:"))]
        assert not strange, strange


def said(visitor):
    """Returns the status line of the tool bar."""
    return visitor.page.get_by_role("status")


def give(visitor, token: str) -> None:
    visitor.fill(token=token)
    visitor.press("Use")


def stored(visitor) -> tuple[str, str]:
    """Returns all of localStorage and all of sessionStorage."""
    return tuple(visitor.page.evaluate("[localStorage, sessionStorage].map((one) => JSON.stringify(one))"))


def open_reference(visitor, url: str) -> None:
    visitor.open(url)
    visitor.page.locator(".opblock-tag").first.wait_for()


def open_graphiql(visitor, url: str) -> None:
    visitor.open(url)
    visitor.page.locator(".graphiql-query-editor .CodeMirror").wait_for()
