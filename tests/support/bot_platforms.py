"""Stand-ins of the three messaging platforms. Each checks requests against the platform's public documentation, and
responds in its form."""

import json
import re

from support.upstream import Asked, Upstream


class Platform(Upstream):
    token = ""

    def __init__(self):
        super().__init__()
        self.messages: list[tuple[str, str]] = []  # channel, text
        self.breaches: list[str] = []

    def expect(self, holds: bool, what: str) -> None:
        if not holds:
            self.breaches.append(what)

    def json_of(self, asked: Asked) -> dict:
        """Returns the JSON body of a call."""
        self.expect(asked.method == "POST", f"{asked.method} with a message")
        self.expect(asked.headers.get("content-type", "").split(";")[0] == "application/json", "no JSON")
        try:
            body = json.loads(asked.raw)
        except ValueError:
            body = None
        self.expect(isinstance(body, dict), f"a body that is not an object: {asked.raw!r}")
        return body if isinstance(body, dict) else {}


class TelegramStandIn(Platform):
    """core.telegram.org/bots/api: /bot<token>/METHOD, GET or POST; {ok, result} or {ok, error_code, description}."""

    token = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw"

    def answer(self, asked: Asked):
        match = re.fullmatch(r"/bot([^/]+)/(\w+)", asked.path)
        if not match or match[1] != self.token:
            return self.failure(401, "Unauthorized")
        if match[2] == "getMe":
            me = {"id": 110201543, "is_bot": True, "first_name": "Shop", "username": "shop_bot"}
            return 200, {}, {"ok": True, "result": me}
        if match[2] != "sendMessage":
            return self.failure(404, "Not Found")
        body = self.json_of(asked)
        chat, text = body.get("chat_id"), body.get("text")
        self.expect(set(body) == {"chat_id", "text"}, f"fields {sorted(body)}")
        if not isinstance(text, str) or not 1 <= len(text) <= 4096:
            return self.failure(400, "Bad Request: message text is empty")
        if str(chat) == "404":
            return self.failure(400, "Bad Request: chat not found")
        self.expect(re.fullmatch(r"-?\d+|@\w+", str(chat)) is not None, f"chat {chat!r}")
        self.messages.append((str(chat), text))
        result = {"message_id": len(self.messages), "date": 1, "chat": {"id": int(chat), "type": "group"}, "text": text}
        return 200, {}, {"ok": True, "result": result}

    def failure(self, code: int, description: str):
        return code, {}, {"ok": False, "error_code": code, "description": description}


class SlackStandIn(Platform):
    """docs.slack.dev/apis/web-api: POST /api/METHOD with a bearer token; JSON with a charset; always status 200."""

    token = "xoxb-123-456-abcDEF"

    def answer(self, asked: Asked):
        self.expect(asked.method == "POST", asked.method)
        if asked.headers.get("authorization") != f"Bearer {self.token}":
            return 200, {}, {"ok": False, "error": "invalid_auth"}
        if asked.path == "/api/auth.test":
            team = {"url": "https://t.slack.com/", "team_id": "T1"}
            return 200, {}, {"ok": True, "user": "shop", "user_id": "U1", **team}
        if asked.path != "/api/chat.postMessage":
            return 200, {}, {"ok": False, "error": "unknown_method"}
        self.expect("charset=utf-8" in asked.headers.get("content-type", ""), "no charset")
        body = self.json_of(asked)
        self.expect(set(body) == {"channel", "text"}, f"fields {sorted(body)}")
        if not body.get("text"):
            return 200, {}, {"ok": False, "error": "no_text"}
        if body.get("channel") == "C404":
            return 200, {}, {"ok": False, "error": "channel_not_found"}
        self.messages.append((body.get("channel"), body["text"]))
        ts = f"1503435956.{len(self.messages):06}"
        return 200, {}, {"ok": True, "channel": body["channel"], "ts": ts, "message": {"text": body["text"]}}


class DiscordStandIn(Platform):
    """discord.com/developers/docs, version 10: a Bot token, a User-Agent that names the library, {content}."""

    token = "MTk4NjIy.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs"

    def answer(self, asked: Asked):
        agent = asked.headers.get("user-agent", "")
        self.expect(re.match(r"DiscordBot \(\S+, \S+\)", agent) is not None, f"user agent {agent!r}")
        if asked.headers.get("authorization") != f"Bot {self.token}":
            return 401, {}, {"message": "401: Unauthorized", "code": 0}
        if asked.path == "/api/v10/users/@me":
            self.expect(asked.method == "GET", asked.method)
            return 200, {}, {"id": "80351110224678912", "username": "shop", "discriminator": "0"}
        match = re.fullmatch(r"/api/v10/channels/(\d+)/messages", asked.path)
        if not match or match[1] == "404":
            return 404, {}, {"message": "Unknown Channel", "code": 10003}
        body = self.json_of(asked)
        self.expect(set(body) == {"content"}, f"fields {sorted(body)}")
        if not 1 <= len(body.get("content", "")) <= 2000:
            return 400, {}, {"message": "Invalid Form Body", "code": 50035}
        self.messages.append((match[1], body["content"]))
        return 200, {}, {"id": str(9000 + len(self.messages)), "channel_id": match[1], "content": body["content"]}


STAND_INS = {"telegram": TelegramStandIn, "slack": SlackStandIn, "discord": DiscordStandIn}
