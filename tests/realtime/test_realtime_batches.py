"""Sockets that take several messages as one array."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from support.client import ok
from support.realtime import PATIENCE, Live, is_error
from support.waiting import SLOW

WRITES = 400


def test_batches_hold_the_same_changes_in_the_same_order(server, project, admin, alice):
    notes = project.collection()
    with Live(server, alice.token) as plain, Live(server) as joining:
        assert joining.ask({"type": "auth", "token": alice.token, "batch": True}) == {"type": "auth_ok"}
        plain.follow(notes)
        joining.follow(notes)

        def write(n):
            return ok(admin.post(f"/admin/collections/{notes}/documents", {"n": n}), 201)["document"]["id"]

        with ThreadPoolExecutor(16) as threads:
            written = list(threads.map(write, range(WRITES)))
        single = [plain.event() for _ in range(WRITES)]
        messages, joined = [], []
        while len(joined) < WRITES:
            message = json.loads(joining.socket.recv(timeout=PATIENCE * SLOW))
            messages.append(message)
            joined += message if isinstance(message, list) else [message]
        assert all(message["type"] == "event" and message["subscription"] == "s" for message in joined)
        assert [{**message["event"], "position": message["position"]} for message in joined] == single
        assert {event["documentId"] for event in single} == set(written)
        assert all(len(message) > 1 for message in messages if isinstance(message, list))
        # A message alone is as it is elsewhere.
        assert joining.ask({"type": "unsubscribe", "id": "s"}) == {"type": "unsubscribed", "id": "s"}


@pytest.mark.parametrize("batch", [False, 1, "true", None, []])
def test_other_values_are_refused(server, alice, batch):
    with Live(server) as live:
        is_error(live.ask({"type": "auth", "token": alice.token, "batch": batch}), "INVALID_MESSAGE")
        live.auth(alice.token)
        is_error(live.ask({"type": "subscribe", "id": "s", "collection": "c", "batch": True}), "INVALID_MESSAGE", "s")
