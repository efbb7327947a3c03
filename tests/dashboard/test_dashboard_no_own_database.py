"""Where the server takes no databases of owners, the dashboard offers none."""

import pytest
from playwright.sync_api import expect


@pytest.fixture(scope="module")
def server_settings(mails):
    return {**mails.settings, "SERVICE_AUTH_RATE_LIMIT": "1000/60", "SERVICE_BYO": "off"}


def test_no_database_is_offered(person, developer, project):
    person.sign_in(developer, "/?new=true")
    dialog = person.page.get_by_role("dialog", name="New project")
    expect(dialog.get_by_label("Name", exact=True)).to_be_visible()
    expect(dialog.get_by_label("Use your own MongoDB database")).to_have_count(0)
    person.look()
    person.go(f"/p/{project.slug}/environments?new=true")
    dialog = person.page.get_by_role("dialog", name="New environment")
    expect(dialog.get_by_role("textbox").first).to_be_visible()
    expect(dialog.get_by_label("Use your own MongoDB database")).to_have_count(0)
    person.look()
