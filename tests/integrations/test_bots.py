"""Bots of messaging platforms, with stand-ins that check requests against the public documentation."""

import pytest

from support.client import ok, refused

CHANNELS = {"telegram": "-1001234567890", "slack": "C0123456", "discord": "155101607195836416"}
NAMES = list(CHANNELS)


@pytest.fixture(params=NAMES)
def name(request):
    return request.param


@pytest.fixture
def platform(platforms, name):
    platform = platforms[name]
    platform.messages.clear()
    platform.breaches.clear()
    platform.asked.clear()
    yield platform
    assert platform.breaches == []


@pytest.fixture
def bot(integration, platform, name):
    config = {"platform": name, "defaultChannel": CHANNELS[name]}
    return integration("bot", config, {"token": platform.token})


def test_messages(bot, platform, name):
    first = bot.result("sendMessage", text="Hello – 'you' & <all>\nsecond line 🎉")
    other = {"telegram": "42", "slack": "U42", "discord": "42"}[name]
    second = bot.result("sendMessage", text="there", channel=other)
    assert platform.messages == [(CHANNELS[name], "Hello – 'you' & <all>\nsecond line 🎉"), (other, "there")]
    assert set(first) == {"id", "channel"} and first["channel"] == CHANNELS[name]
    assert first["id"] and second["id"] != first["id"] and second["channel"] == other


def test_numbers_are_channels_too(bot, platform, name):
    if name != "slack":
        bot.result("sendMessage", text="x", channel=42)
        assert platform.messages == [("42", "x")]


def test_who_it_is(bot, platform):
    me = bot.result("getMe")
    assert set(me) == {"id", "name"} and me["id"] and me["name"].startswith("shop")
    assert platform.messages == []


def test_what_it_refuses(bot, platform, name):
    channel = {"telegram": "404", "slack": "C404", "discord": "404"}[name]
    words = {"telegram": "chat not found", "slack": "channel_not_found", "discord": "Unknown Channel"}[name]
    error = refused(bot.live("sendMessage", text="x", channel=channel), 502, "UPSTREAM_FAILED")
    assert error["message"] == f"the platform rejected the call: {words}"


def test_a_wrong_token(integration, platform, name):
    bot = integration("bot", {"platform": name, "defaultChannel": CHANNELS[name]}, {"token": "999:wrong"})
    error = refused(bot.live("sendMessage", text="x"), 502, "UPSTREAM_FAILED")
    assert "999:wrong" not in error["message"] and platform.messages == []


def test_without_a_token(admin, integration, platform, name):
    bot = integration("bot", {"platform": name, "defaultChannel": CHANNELS[name]})
    refused(bot.live("sendMessage", text="x"), 409, "CONFLICT")
    ok(admin.patch(bot.route, {"secrets": {"token": platform.token}}), 204)
    bot.result("sendMessage", text="x")
    ok(admin.patch(bot.route, {"secrets": {"token": None}}), 204)
    refused(bot.live("getMe"), 409, "CONFLICT")


@pytest.mark.parametrize(
    "answer",
    [b"", b"HTTP/1.1 200 OK\r\n\r\n", (200, {}, b"<html>"), (200, {}, []), (500, {}, b"x"), (200, {}, b"{" * 300_000)],
)
def test_answers_that_are_none(bot, platform, monkeypatch, answer):
    monkeypatch.setattr(platform, "answer", lambda asked: answer)
    error = refused(bot.live("getMe"), 502, "UPSTREAM_FAILED")
    assert "127.0.0.1" not in error["message"]


def test_a_redirect_is_not_followed(bot, platform, upstream, monkeypatch):
    upstream.asked.clear()
    monkeypatch.setattr(platform, "answer", lambda asked: (307, {"location": upstream.url + "/caught"}, {"ok": False}))
    refused(bot.live("getMe"), 502, "UPSTREAM_FAILED")
    assert upstream.asked == []


@pytest.mark.parametrize("platform_name", ["irc", "", None, 7])
def test_platforms_that_are_none(admin, platform_name):
    body = {"name": "no-bot", "provider": "bot", "config": {"platform": platform_name}}
    refused(admin.post("/admin/integrations", body), 400, "VALIDATION", "/config/platform")


@pytest.mark.parametrize(
    "args, path",
    [
        ({"text": ""}, "/args/text"),
        ({}, "/args/text"),
        ({"text": "x" * 40_001}, "/args/text"),
        ({"text": "x", "chat_id": 1}, "/args/chat_id"),
        ({"text": "x", "channel": ["C1"]}, "/args/channel"),
    ],
)
def test_messages_that_are_none(bot, platform, args, path):
    refused(bot.live("sendMessage", **args), 400, "VALIDATION", path)
    assert platform.asked == []


@pytest.mark.parametrize("channel", ["../../users/@me", "1/2", "1%2f2", "1?x", "1#", "@me", "-1", "1 2", "1\r\nx"])
def test_a_channel_stays_in_its_place(integration, platforms, channel):
    discord = platforms["discord"]
    discord.asked.clear()
    bot = integration("bot", {"platform": "discord"}, {"token": discord.token})
    refused(bot.live("sendMessage", text="x", channel=channel), 400, "VALIDATION", "/args/channel")
    assert discord.asked == []
