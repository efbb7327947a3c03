"""WebSockets without the `websockets` library: wsproto over a plain connection, and bytes by hand."""

import json
import os
import socket
import struct

from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, CloseConnection, Ping, Pong, Request, TextMessage
from wsproto.extensions import PerMessageDeflate

from support.waiting import SLOW

PATH = "/api/v1/realtime"
KEY = "MDEyMzQ1Njc4OWFiY2RlZg=="
TEXT, CONTINUATION, BINARY, CLOSE, PING = 1, 0, 2, 8, 9


def upgrade(**changes) -> bytes:
    """Returns the request of a handshake; `changes` by header name, `_` for `-`, None omits a header."""
    headers = {
        "host": "x",
        "upgrade": "websocket",
        "connection": "Upgrade",
        "sec-websocket-version": "13",
        "sec-websocket-key": KEY,
    }
    headers.update({name.replace("_", "-"): value for name, value in changes.items()})
    lines = [f"{name}: {value}" for name, value in headers.items() if value is not None]
    return "\r\n".join([f"GET {PATH} HTTP/1.1", *lines, "", ""]).encode()


def frame(opcode: int, payload: bytes = b"", final: bool = True, reserved: int = 0, mask: bytes | None = None) -> bytes:
    """Returns a client's frame."""
    mask = os.urandom(4) if mask is None else mask
    size = len(payload)
    if size < 126:
        length = bytes([0x80 | size])
    else:
        length = struct.pack(">BH", 254, size) if size < 65536 else struct.pack(">BQ", 255, size)
    masked = bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))
    return bytes([(0x80 if final else 0) | reserved | opcode]) + length + mask + masked


class WsprotoClient:
    """Sends and receives text messages. `piece`: how many bytes are sent at a time."""

    def __init__(self, server, deflate: bool = True, piece: int = 1 << 20):
        self.piece = piece
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=20 * SLOW)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.protocol = WSConnection(ConnectionType.CLIENT)
        self.waiting = []
        self.pongs = []
        offers = [PerMessageDeflate()] if deflate else []
        self.send(Request(host="x", target=PATH, extensions=offers))
        accepted = self.event()
        assert isinstance(accepted, AcceptConnection), accepted
        self.extensions = accepted.extensions

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, event) -> None:
        data = self.protocol.send(event)
        for at in range(0, len(data), self.piece):
            self.socket.sendall(data[at : at + self.piece])

    def event(self):
        """Returns the next event except pings and pongs; a CloseConnection with code 1006 if the server closes without
        one."""
        while True:
            while self.waiting:
                event = self.waiting.pop(0)
                if isinstance(event, Ping):
                    self.send(event.response())
                elif isinstance(event, Pong):
                    self.pongs.append(bytes(event.payload))
                else:
                    return event
            data = self.socket.recv(65536)
            if not data:
                return CloseConnection(code=1006)
            self.protocol.receive_data(data)
            self.waiting.extend(self.protocol.events())

    def say(self, message, pieces: int = 1) -> None:
        """Sends one message in that many frames."""
        text = message if isinstance(message, str) else json.dumps(message)
        step = max(1, -(-len(text) // pieces))
        parts = [text[at : at + step] for at in range(0, len(text), step)] or [""]
        for number, part in enumerate(parts, 1):
            self.send(TextMessage(data=part, message_finished=number == len(parts)))

    def next(self) -> dict:
        text = ""
        while True:
            event = self.event()
            assert isinstance(event, TextMessage), event
            text += event.data
            if event.message_finished:
                return json.loads(text)

    def ask(self, message, pieces: int = 1) -> dict:
        self.say(message, pieces)
        return self.next()

    def close(self, code: int = 1000, reason: str | None = None) -> CloseConnection:
        """Sends a close frame; returns the server's."""
        self.send(CloseConnection(code=code, reason=reason))
        return self.event()

    def left(self) -> bool:
        """Returns whether the server has ended the connection."""
        return self.socket.recv(1) == b""
