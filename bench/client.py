"""A small keep-alive JSON client for preparing a server, and the file format of prepared requests for loadgen."""

import concurrent.futures
import http.client
import json
import struct
import threading


class Client:
    """A client of one server on 127.0.0.1; one connection per thread."""

    def __init__(self, port):
        self.port = port
        self._local = threading.local()

    def call(self, method, path, body=None, token=None, headers=None):
        """Returns the decoded response (None without a body); raises for a status of 400 or above."""
        sent = {"content-type": "application/json", **(headers or {})}
        if token:
            sent["authorization"] = f"Bearer {token}"
        data = None if body is None else json.dumps(body)
        for attempt in (1, 2):
            connection = getattr(self._local, "connection", None)
            if connection is None:
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
                self._local.connection = connection
            try:
                connection.request(method, path, data, sent)
                response = connection.getresponse()
                text = response.read()
                break
            except (http.client.HTTPException, ConnectionError):
                connection.close()
                self._local.connection = None
                if attempt == 2:
                    raise
        if response.status >= 400:
            raise RuntimeError(f"{method} {path}: {response.status} {text[:300]!r}")
        return json.loads(text) if text else None


def in_parallel(function, items, workers=16):
    """Applies function to the items on several threads; returns the results in order."""
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        return list(pool.map(function, items))


def raw_request(method, path, token=None, body=None, headers=None):
    """Returns the bytes of one HTTP/1.1 request."""
    lines = [f"{method} {path} HTTP/1.1", "host: localhost"]
    if token:
        lines.append(f"authorization: Bearer {token}")
    for name, value in (headers or {}).items():
        lines.append(f"{name}: {value}")
    data = b""
    if body is not None:
        data = json.dumps(body, separators=(",", ":")).encode()
        lines += ["content-type: application/json", f"content-length: {len(data)}"]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + data


def whole_response(data):
    """Returns (status, length) of the response at the start of `data`, None while it is incomplete. No chunks."""
    head = data.find(b"\r\n\r\n")
    if head < 0:
        return None
    length = 0
    for line in data[:head].lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            length = int(line[15:])
    whole = head + 4 + length
    return (int(data[9:12]), whole) if len(data) >= whole else None


def write_requests(path, requests):
    with open(path, "wb") as out:
        for request in requests:
            out.write(struct.pack("<I", len(request)))
            out.write(request)
