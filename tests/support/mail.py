"""A mail server that stores its mails, and the outbox of a server without one."""

import email
import email.policy
import re
import ssl
import threading
from dataclasses import dataclass, field
from pathlib import Path

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword

from support.certificates import certificate
from support.ports import free_port
from support.waiting import wait_until

LINK = re.compile(r"https?://\S+")


@dataclass
class Mail:
    to: str
    sender: str
    subject: str
    text: str
    html: str
    headers: dict = field(default_factory=dict)
    envelope_from: str = ""
    envelope_to: list = field(default_factory=list)
    encrypted: bool = False
    login: str = ""

    @property
    def link(self) -> str:
        found = LINK.findall(self.text)
        assert len(found) == 1, f"{len(found)} links in {self.text!r}"
        return found[0]

    @staticmethod
    def parse(data: bytes) -> "Mail":
        message = email.message_from_bytes(data, policy=email.policy.default)
        assert not message.defects, message.defects
        plain, html = message.get_body(("plain",)), message.get_body(("html",))
        return Mail(
            to=message["to"].addresses[0].addr_spec,
            sender=str(message["from"]),
            subject=str(message["subject"]),
            text=plain.get_content() if plain else "",
            html=html.get_content() if html else "",
            headers={name.lower(): str(value) for name, value in message.items()},
        )


class Mailbox:
    """The mails, oldest first. Mails that were requested right after each other may arrive in either order."""

    @property
    def mails(self) -> list[Mail]:
        raise NotImplementedError

    def to(self, address: str, count: int = 1) -> list[Mail]:
        """Waits for at least `count` mails to the address; returns them."""

        def look():
            found = [mail for mail in self.mails if mail.to == address]
            return found if len(found) >= count else None

        return wait_until(look, 20, f"there is no mail to {address}")

    def leading_to(self, page: str, address: str, count: int = 1) -> Mail:
        """Waits for at least `count` mails to the address; returns the last of them whose link leads to the page."""
        found = [mail for mail in self.to(address, count) if f"{page}?" in mail.text]
        assert found, f"no mail to {address} leads to {page}"
        return found[-1]


class Outbox(Mailbox):
    """The mails in a data directory's outbox."""

    def __init__(self, data: Path):
        self.folder = data / "outbox"

    @property
    def files(self) -> list[bytes]:
        """The mails as they stand in it, without those that the server deletes at that moment: it keeps the newest."""
        found = []
        for path in sorted(self.folder.glob("*.eml")):
            try:
                found.append(path.read_bytes())
            except FileNotFoundError:
                pass
        return found

    @property
    def mails(self) -> list[Mail]:
        return [Mail.parse(mail) for mail in self.files]


class MailCatcher(Mailbox):
    """tls: "none", "starttls" (offered) or "implicit". With a login, only an authenticated client may send. `reply`:
    the reply to RCPT instead of "250 OK"."""

    def __init__(self, folder: Path, tls: str = "none", login: tuple[str, str] | None = None, reply: str | None = None):
        self.tls, self.login, self.reply = tls, login, reply
        self.received: list[Mail] = []
        self.attempts = 0
        self._lock = threading.Lock()
        context = self._certificate(folder) if tls != "none" else None
        self.port = free_port()
        self._controller = Controller(
            self,
            hostname="127.0.0.1",
            port=self.port,
            ssl_context=context if tls == "implicit" else None,
            tls_context=context if tls == "starttls" else None,
            require_starttls=tls == "starttls",
            authenticator=self._authenticate if login else None,
            auth_required=login is not None,
            auth_require_tls=tls == "starttls",
        )

    def __enter__(self) -> "MailCatcher":
        self._controller.start()
        return self

    def __exit__(self, *_) -> None:
        self._controller.stop()

    @property
    def settings(self) -> dict:
        """The settings of a server that sends here."""
        scheme = "smtps" if self.tls == "implicit" else "smtp"
        user = f"{self.login[0]}:{self.login[1]}@" if self.login else ""
        found = {"SERVICE_SMTP_URL": f"{scheme}://{user}127.0.0.1:{self.port}"}
        if self.tls != "none":
            found["SSL_CERT_FILE"] = str(self.ca_file)
        return found

    @property
    def mails(self) -> list[Mail]:
        with self._lock:
            return list(self.received)

    def _authenticate(self, _server, session, _envelope, _mechanism, data) -> AuthResult:
        given = data.login.decode(), data.password.decode()
        session.login_name = given[0]
        # handled=False, so that aiosmtpd sends the reply to a refused login.
        return AuthResult(success=isinstance(data, LoginPassword) and given == self.login, handled=False)

    async def handle_RCPT(self, _server, _session, envelope, address, options) -> str:
        with self._lock:
            self.attempts += 1
        if self.reply:
            return self.reply
        envelope.rcpt_tos.append(address)
        envelope.rcpt_options.extend(options)
        return "250 OK"

    async def handle_DATA(self, _server, session, envelope) -> str:
        mail = Mail.parse(envelope.original_content)
        mail.envelope_from, mail.envelope_to = envelope.mail_from, list(envelope.rcpt_tos)
        mail.encrypted = session.ssl is not None or self.tls == "implicit"
        mail.login = getattr(session, "login_name", "")
        with self._lock:
            self.received.append(mail)
        return "250 OK"

    def _certificate(self, folder: Path) -> ssl.SSLContext:
        self.ca_file, key_file = certificate(folder, "mail")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.ca_file, key_file)
        return context
