#!/usr/bin/env python3
"""Stand-ins for the services that the shop calls: services.py NAME TOKEN STOCK_PORT MAIL_PORT

The stock service reserves the items of an order (POST /v1/reservations), for callers that send the token; items with
the sku `sold-out` are refused. The mail server accepts every mail. Both print what they get.
"""

import json
import socketserver
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

NAME, TOKEN = sys.argv[1:3]
STOCK_PORT, MAIL_PORT = map(int, sys.argv[3:])


def show(text: str) -> None:
    print(f"[{NAME}] {text}", flush=True)


class Stock(BaseHTTPRequestHandler):
    def do_POST(self):
        order = self.headers.get("idempotency-key")
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
        if self.headers.get("authorization") != f"Bearer {TOKEN}":
            self.respond(401, {})
        elif any(item["sku"] == "sold-out" for item in body["items"]):
            self.respond(409, {})
        else:
            self.respond(201, {"id": f"r-{order}"})  # the same one for a repeated order

    def respond(self, status: int, body: dict) -> None:
        show(f"reservation of {self.headers.get('idempotency-key')}: {status}")
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


class Mail(socketserver.StreamRequestHandler):
    """As much of SMTP as one mail needs."""

    def handle(self):
        self.reply("220 ready")
        while line := self.rfile.readline():
            verb = line[:4].strip().upper()
            if verb == b"DATA":
                self.reply("354 go ahead")
                for line in iter(self.rfile.readline, b".\r\n"):
                    if line.lower().startswith(b"subject:"):
                        show(f"mail {line.decode().strip()}")
            elif verb in (b"MAIL", b"RCPT"):
                show(line.decode().strip())
            self.reply("221 bye" if verb == b"QUIT" else "250 ok")

    def reply(self, text: str) -> None:
        self.wfile.write(f"{text}\r\n".encode())


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


mail = Server(("127.0.0.1", MAIL_PORT), Mail)
threading.Thread(target=mail.serve_forever, daemon=True).start()
show(f"stock on port {STOCK_PORT}, mail on port {MAIL_PORT}")
ThreadingHTTPServer(("127.0.0.1", STOCK_PORT), Stock).serve_forever()
