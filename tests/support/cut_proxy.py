"""A TCP proxy on this machine that ends connections when a test says so."""

import contextlib
import select
import socket
import threading


class CutProxy:
    """Passes connections on to (host, port) until close(); `port` is its own."""

    def __init__(self, target: tuple[str, int]):
        self.target = target
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.open: set[socket.socket] = set()
        self.commits = 0  # to lose
        self.lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Ends all connections; new ones are passed on."""
        with self.lock:
            for client in self.open:
                # Its thread closes it.
                with contextlib.suppress(OSError):
                    client.shutdown(socket.SHUT_RDWR)

    def lose_commits(self, count: int) -> None:
        """Ends connections in place of passing the next commits on, or, by turns, in place of passing on their
        responses."""
        with self.lock:
            self.commits = count

    def close(self) -> None:
        self.listener.close()
        self.cut()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                threading.Thread(target=self._pass, args=(client,), daemon=True).start()

    def _takes(self, data: bytes) -> int:
        """Returns the number of a commit that is to be lost, counted down; 0 for other data."""
        with self.lock:
            if self.commits == 0 or b"commitTransaction" not in data:
                return 0
            self.commits -= 1
            return self.commits + 1

    def _pass(self, client: socket.socket) -> None:
        with contextlib.suppress(OSError), client, socket.create_connection(self.target) as server:
            with self.lock:
                self.open.add(client)
            try:
                lost = 0
                while True:
                    for readable in select.select([client, server], [], [])[0]:
                        data = readable.recv(1 << 16)
                        if not data or (readable is server and lost):
                            return
                        if readable is client:
                            lost = self._takes(data)
                            if lost % 2 == 1:
                                return
                        (server if readable is client else client).sendall(data)
            finally:
                with self.lock:
                    self.open.discard(client)
