"""What stand-ins for other services share: an HTTP server on 127.0.0.1 that logs nothing and outlives its clients."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class StandInHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("content-length") or 0))

    def lower_headers(self) -> dict[str, str]:
        """The headers by their names in lower case."""
        return {name.lower(): value for name, value in self.headers.items()}

    def reply(self, status: int, body: bytes | dict | list = b"", headers: dict | None = None) -> None:
        """Sends bytes as they are, anything else as JSON."""
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        if not isinstance(body, bytes):
            self.send_header("content-type", "application/json")
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_):
        pass


class StandInServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self, handler: type[StandInHandler], port: int = 0):
        super().__init__(("127.0.0.1", port), handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    # The client may close its connection.
    def handle_error(self, request, client_address):
        pass

    def close(self) -> None:
        self.shutdown()
        self.server_close()
