"""WebSockets by hand, for requests that no library sends: handshakes and frames that break RFC 6455, and any splitting
of bytes."""

import struct
import zlib

import pytest

from support.raw_http import RawConnection
from support.websocket import BINARY, CLOSE, CONTINUATION, PING, TEXT, frame, upgrade

DEFLATE = "permessage-deflate; client_max_window_bits"
TAKEN = "permessage-deflate; server_no_context_takeover; client_no_context_takeover"


def deflated(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return (packer.compress(data) + packer.flush(zlib.Z_SYNC_FLUSH))[:-4]


class Frames(RawConnection):
    """An open socket; read_frame() returns (first byte, payload), None at the end."""

    def __init__(self, server, behind: bytes = b"", **changes):
        super().__init__(server)
        self.send(upgrade(**changes) + behind)
        self.answer = self.read_answer()
        assert self.answer.status == 101

    def _take(self, count: int) -> bytes | None:
        while len(self.buffer) < count:
            if not self._fill():
                return None
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def read_frame(self) -> tuple[int, bytes] | None:
        head = self._take(2)
        if head is None:
            return None
        assert head[1] < 128, "a server does not mask"
        size = head[1]
        if size == 126:
            (size,) = struct.unpack(">H", self._take(2))
        elif size == 127:
            (size,) = struct.unpack(">Q", self._take(8))
        return head[0], self._take(size)

    def close_code(self) -> int:
        """Returns the close code of the next frame, which must be a close frame; then the connection ends."""
        first, payload = self.read_frame()
        assert first == 0x88, (first, payload)
        assert self.read_frame() is None
        return struct.unpack(">H", payload[:2])[0] if payload else 1005


# ---- handshakes


@pytest.mark.parametrize(
    "changes, status",
    [
        ({}, 101),
        ({"upgrade": "WebSocket", "connection": "keep-alive, upgrade"}, 101),
        ({"sec_websocket_extensions": "x-unknown; a=1"}, 101),
        ({"origin": "https://elsewhere.example"}, 101),
        ({"upgrade": None}, 426),
        ({"upgrade": "h2c"}, 426),
        ({"sec_websocket_version": "8"}, 426),
        ({"sec_websocket_version": None}, 426),
        ({"connection": "keep-alive"}, 400),
        ({"sec_websocket_key": None}, 400),
        ({"sec_websocket_key": "c2hvcnQ="}, 400),
        ({"sec_websocket_extensions": "permessage-deflate; ="}, 400),
        ({"host": None}, 400),
    ],
)
def test_handshakes(server, changes, status):
    with RawConnection(server) as connection:
        answer = connection.send(upgrade(**changes)).read_answer()
        assert answer.status == status
        if status == 426:
            assert answer.headers["sec-websocket-version"] == "13"
            assert answer.headers["upgrade"] == "websocket"
        if status == 101:
            # Computed from the key by independent means.
            assert answer.headers["sec-websocket-accept"] == "BACScCJPNqyz+UBoqMH89VmURoA="


@pytest.mark.parametrize(
    "offer, answer",
    [
        (DEFLATE, TAKEN),
        ("permessage-deflate", TAKEN),
        ("permessage-deflate; server_max_window_bits=9, permessage-deflate", TAKEN),
        ("permessage-deflate; server_max_window_bits=15", f"{TAKEN}; server_max_window_bits=15"),
        ("permessage-deflate; server_max_window_bits=9", None),
        ("permessage-deflate; client_max_window_bits=3", None),
        ("permessage-deflate; surprise", None),
    ],
)
def test_offers_of_deflate(server, offer, answer):
    with Frames(server, sec_websocket_extensions=offer) as frames:
        assert frames.answer.headers.get("sec-websocket-extensions") == answer


def test_requests_before_and_frames_right_behind(server):
    with RawConnection(server) as connection:
        before = b"GET /api/v1/health HTTP/1.1\r\nhost: x\r\n\r\n"
        connection.send(before + before + upgrade() + frame(PING, b"early"))
        assert connection.read_answer().status == 200
        assert connection.read_answer().status == 200
        assert connection.read_answer().status == 101
        while len(connection.buffer) < 7:
            assert connection._fill()
        assert connection.buffer == b"\x8a\x05early"


# ---- frames


@pytest.mark.parametrize(
    "sent, code",
    [
        (b"\x81\x02hi", 1002),  # no mask
        (frame(TEXT, b"hi", reserved=0x40), 1002),  # compressed without an agreement
        (frame(TEXT, b"hi", reserved=0x20), 1002),
        (frame(3), 1002),
        (frame(11), 1002),
        (frame(CONTINUATION, b"of nothing"), 1002),
        (frame(TEXT, b"one", final=False) + frame(TEXT, b"two"), 1002),
        (frame(PING, b"p", final=False), 1002),
        (frame(PING, b"p" * 126), 1002),
        (b"\x81\xfe\x00\x05mask12345", 1002),  # a length in too many bytes
        (b"\x81\xff\xff\xff\xff\xff\xff\xff\xff\xffmask", 1002),
        (frame(CLOSE, b"\x03"), 1002),
        (frame(CLOSE, struct.pack(">H", 1005)), 1002),
        (frame(CLOSE, struct.pack(">H", 1006)), 1002),
        (frame(CLOSE, struct.pack(">H", 1000) + b"\xff"), 1007),
        (frame(BINARY, b"hi"), 1003),
        (frame(TEXT, b"\xc0\x80"), 1007),
        (frame(TEXT, b"\xed\xa0\x80"), 1007),
        (frame(TEXT, b"\xe2\x82", final=False) + frame(CONTINUATION, b"("), 1007),
        (frame(TEXT, "€".encode()[:2]), 1007),
        (b"\x81\xff\x00\x00\x00\x00\x00\x01\x00\x01mask", 1009),  # a length of 65,537 bytes
        (frame(CLOSE), 1005),
        (frame(CLOSE, struct.pack(">H", 1000) + b"bye"), 1000),
        (frame(CLOSE, struct.pack(">H", 4999)), 4999),
    ],
    ids=lambda value: value if isinstance(value, int) else f"{len(value)} bytes",
)
def test_rules_and_the_codes_of_their_breach(server, sent, code):
    with Frames(server) as frames:
        assert frames.send(sent).close_code() == code
    with Frames(server) as frames:
        for byte in sent:
            frames.send(bytes([byte]))
        assert frames.close_code() == code


@pytest.mark.parametrize(
    "payload, code",
    [
        (deflated(b"a" * (64 * 1024 + 1)), 1009),
        (deflated(b"a" * (8 << 20)), 1009),
        (deflated(b"\xff\xfe"), 1007),
        (b"\xff\xff\xff", 1007),
        (deflated(b"cut off in the middle of it all")[:-3], 1007),
    ],
)
def test_compressed_messages_that_are_none(server, payload, code):
    with Frames(server, sec_websocket_extensions=DEFLATE) as frames:
        assert frames.send(frame(TEXT, payload, reserved=0x40)).close_code() == code


def test_a_text_that_cannot_be_utf8_fails_before_its_frame_has_come(server):
    with Frames(server) as frames:
        whole = frame(TEXT, b"\xff" + b"x" * 1000)
        assert frames.send(whole[:100]).close_code() == 1007


def test_pings_are_answered_with_what_they_hold(server):
    with Frames(server) as frames:
        frames.send(frame(TEXT, b'{"type":', final=False) + frame(PING, b"p" * 125) + frame(CONTINUATION, b'"hello"}'))
        assert frames.read_frame() == (0x8A, b"p" * 125)
        first, payload = frames.read_frame()
        assert first == 0x81 and b'"error"' in payload
        frames.send(frame(PING))
        assert frames.read_frame() == (0x8A, b"")


def test_sockets_that_just_leave_harm_nobody(server):
    for behind in (b"", b"\x81", frame(TEXT, b"begun", final=False), frame(TEXT, b'{"type":"hello"}') * 100):
        for _ in range(20):
            Frames(server, behind).socket.close()
    with Frames(server) as frames:
        frames.send(frame(PING, b"well"))
        assert frames.read_frame() == (0x8A, b"well")
