"""Mails of a project through its own server."""

import pytest

from support.client import ok, refused
from support.mail import MailCatcher
from support.ports import free_port

LOGIN = ("shop", "pass word")


@pytest.fixture(scope="module")
def catcher(tmp_path_factory):
    with MailCatcher(tmp_path_factory.mktemp("mail")) as catcher:
        yield catcher


@pytest.fixture(scope="module")
def secured(tmp_path_factory):
    """A mail server with STARTTLS and a login."""
    with MailCatcher(tmp_path_factory.mktemp("tls"), "starttls", LOGIN) as catcher:
        yield catcher


@pytest.fixture(scope="module")
def server_settings(secured):
    return {"SERVICE_OUTBOUND_ALLOW": "127.0.0.1", "SSL_CERT_FILE": str(secured.ca_file)}


def config(catcher, **more) -> dict:
    return {"from": "The Shop <shop@example.com>", "host": "127.0.0.1", "port": catcher.port, **more}


def test_a_mail_arrives(integration, catcher):
    mail = integration("email", config(catcher))
    sent = mail.result(
        "send",
        to="first@example.org",
        subject="Grüße – and more",
        text="One line\nand äöü.\n.\nend",
        html="<p>One &amp; two</p>",
        replyTo="Help <help@example.com>",
    )
    (got,) = catcher.to("first@example.org")
    assert got.envelope_from == "shop@example.com" and got.envelope_to == ["first@example.org"]
    assert got.sender == "The Shop <shop@example.com>"
    assert got.subject == "Grüße – and more"
    assert got.text.splitlines() == ["One line", "and äöü.", ".", "end"]
    assert got.html.strip() == "<p>One &amp; two</p>"
    assert got.headers["reply-to"] == "Help <help@example.com>"
    assert got.headers["message-id"] == sent["messageId"]
    assert set(sent) == {"messageId"}


def test_to_several(integration, catcher):
    mail = integration("email", config(catcher))
    mail.result("send", to=["a1@example.org", "a2@example.org"], subject="s", html="<b>only</b>")
    (got,) = catcher.to("a1@example.org")
    assert got.envelope_to == ["a1@example.org", "a2@example.org"]
    assert got.headers["to"] == "a1@example.org, a2@example.org"
    assert got.text == "" and "only" in got.html


def test_with_a_login_it_is_encrypted(integration, secured, catcher):
    username, password = LOGIN
    mail = integration("email", config(secured), {"username": username, "password": password})
    assert mail.made["secrets"] == {"username": {"configured": True}, "password": {"configured": True}}
    mail.result("send", to="tls@example.org", subject="s", text="t")
    (got,) = secured.to("tls@example.org")
    assert got.encrypted and got.login == username
    # Credentials are never sent in the clear: this server offers no TLS.
    open_one = integration("email", config(catcher), {"username": username, "password": password})
    refused(open_one.live("send", to="open@example.org", subject="s", text="t"), 502, "UPSTREAM_FAILED")
    wrong = integration("email", config(secured), {"username": username, "password": "another"})
    error = refused(wrong.live("send", to="wrong@example.org", subject="s", text="t"), 502, "UPSTREAM_FAILED")
    assert error["message"] == "request failed"
    assert not any(mail.to in ("open@example.org", "wrong@example.org") for mail in catcher.mails + secured.mails)


@pytest.mark.parametrize(
    "args, path",
    [
        ({"subject": "s\r\nBcc: evil@example.org"}, "/args/subject"),
        ({"subject": "s\nBcc: evil@example.org"}, "/args/subject"),
        ({"subject": "s\x00"}, "/args/subject"),
        ({"to": "a@example.org\r\nBcc: evil@example.org"}, "/args/to"),
        ({"to": "a@example.org>\r\nRCPT TO:<evil@example.org"}, "/args/to"),
        ({"to": "a@example.org,evil@example.org"}, "/args/to"),
        ({"to": ["a@example.org"] * 51}, "/args/to"),
        ({"replyTo": "a@example.org\r\nBcc: evil@example.org"}, "/args/replyTo"),
        ({"replyTo": "Na\r\nme <a@example.org>"}, "/args/replyTo"),
        ({"from": "other@example.com"}, "/args/from"),
        ({"headers": {"Bcc": "evil@example.org"}}, "/args/headers"),
        ({"text": ""}, "/args/text"),
        ({"text": {"$ne": ""}}, "/args/text"),
    ],
)
def test_nothing_else_can_be_said(integration, catcher, args, path):
    mail = integration("email", config(catcher))
    before = len(catcher.mails)
    sent = {"to": "a@example.org", "subject": "s", "text": "t", **args}
    refused(mail.live("send", **sent), 400, "VALIDATION", path)
    assert len(catcher.mails) == before


def test_a_text_ends_no_message(integration, catcher):
    mail = integration("email", config(catcher))
    text = "before\r\n.\r\nMAIL FROM:<evil@example.org>\r\nRCPT TO:<evil@example.org>\r\n\rbare\nends"
    mail.result("send", to="smuggled@example.org", subject="s", text=text)
    (got,) = catcher.to("smuggled@example.org")
    assert "MAIL FROM" in got.text
    assert not catcher.mails[-1].envelope_to == ["evil@example.org"]
    assert all("evil@example.org" not in mail.envelope_to for mail in catcher.mails)


@pytest.mark.parametrize("host", ["169.254.169.254", "10.0.0.1", "[::1]", "127.0.0.2", "0x7f000002", "2130706434"])
def test_where_it_may_not_go(integration, host):
    mail = integration("email", {"from": "a@example.com", "host": host, "port": 25})
    error = refused(mail.live("send", to="a@example.org", subject="s", text="t"), 502, "UPSTREAM_FAILED")
    assert error["message"] == "request failed"


@pytest.mark.parametrize(
    "host", ["a b", "user@127.0.0.1", "127.0.0.1/x", "127.0.0.1:25", "a\r\nb", "", "x?y", "#", "\\\\x"]
)
def test_hosts_that_are_none(admin, host):
    body = {"name": "no-host", "provider": "email", "config": {"from": "a@example.com", "host": host}}
    refused(admin.post("/admin/integrations", body), 400, "VALIDATION", "/config/host")


def test_who_does_not_answer(integration):
    mail = integration("email", {"from": "a@example.com", "host": "127.0.0.1", "port": free_port()})
    refused(mail.live("send", to="a@example.org", subject="s", text="t"), 502, "UPSTREAM_FAILED")


def test_a_server_that_knows_no_such_address(integration, tmp_path):
    with MailCatcher(tmp_path, reply="550 5.1.1 no such user secret-of-the-server") as catcher:
        mail = integration("email", config(catcher))
        error = refused(mail.live("send", to="a@example.org", subject="s", text="t"), 502, "UPSTREAM_FAILED")
        assert "secret-of-the-server" not in error["message"]
        assert catcher.attempts == 1


def test_username_and_password_go_together(admin, integration, catcher):
    mail = integration("email", config(catcher))
    refused(admin.patch(mail.route, {"secrets": {"username": "u"}}), 400, "VALIDATION", "/secrets")
    ok(admin.patch(mail.route, {"secrets": {"username": "u", "password": "p"}}), 204)
    ok(admin.patch(mail.route, {"secrets": {"password": "q"}}), 204)
    refused(admin.patch(mail.route, {"secrets": {"password": None}}), 400, "VALIDATION", "/secrets")
    ok(admin.patch(mail.route, {"secrets": {"username": None, "password": None}}), 204)
