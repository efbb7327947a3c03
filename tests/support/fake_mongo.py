"""Servers that respond to MongoDB's protocol, or to anything, as no MongoDB does."""

import socket
import struct
import threading


def _document(fields: dict) -> bytes:
    """BSON of booleans, int32, doubles, strings and arrays."""
    out = b""
    for name, value in fields.items():
        key = name.encode() + b"\0"
        if isinstance(value, bool):
            out += b"\x08" + key + bytes([value])
        elif isinstance(value, int):
            out += b"\x10" + key + struct.pack("<i", value)
        elif isinstance(value, list):
            out += b"\x04" + key + _document({str(i): each for i, each in enumerate(value)})
        elif isinstance(value, float):
            out += b"\x01" + key + struct.pack("<d", value)
        else:
            text = value.encode() + b"\0"
            out += b"\x02" + key + struct.pack("<i", len(text)) + text
    return struct.pack("<i", len(out) + 5) + out + b"\0"


class FakeMongo:
    """Sends `hello` as the reply to every command; with `raw`, these bytes; with neither, nothing at all."""

    OP_REPLY, OP_QUERY, OP_MSG = 1, 2004, 2013

    def __init__(self, hello: dict | None = None, raw: bytes | None = None, host: str = "127.0.0.1"):
        self.hello, self.raw = hello, raw
        self.connections = 0
        self._listener = socket.create_server((host, 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            while header := self._read(connection, 16):
                size, request, _, kind = struct.unpack("<iiii", header)
                self._read(connection, size - 16)
                if self.raw is not None:
                    connection.sendall(self.raw)
                elif self.hello is not None:
                    connection.sendall(self._reply(request, kind))

    def _reply(self, request: int, kind: int) -> bytes:
        body = _document({**self.hello, "ok": 1.0})
        if kind == self.OP_QUERY:
            body, opcode = struct.pack("<iqii", 8, 0, 0, 1) + body, self.OP_REPLY
        else:
            body, opcode = struct.pack("<iB", 0, 0) + body, self.OP_MSG
        return struct.pack("<iiii", len(body) + 16, 1, request, opcode) + body

    @staticmethod
    def _read(connection: socket.socket, size: int) -> bytes:
        data = b""
        while len(data) < size:
            try:
                piece = connection.recv(size - len(data))
            except OSError:
                return b""
            if not piece:
                return b""
            data += piece
        return data
