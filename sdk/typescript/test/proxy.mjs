// A proxy in front of the server that fails in chosen ways. Not in pages.
import http from "node:http";
import net from "node:net";

/** A proxy in front of the scenario's server until the scenario ends. */
export async function proxied(t) {
  const proxy = await Proxy.start(t.url);
  t.onEnd(() => proxy.stop());
  return proxy;
}

export class Proxy {
  /** Per request: gives undefined to pass it on, or a mode: "refuse", "lose" (done, its response is lost), "cut" (half of its body is sent), "hang", a response. */
  mode = () => undefined;
  /** Per message of the server on a WebSocket, as bytes that arrived together: true closes the socket. */
  cut = () => false;
  requests = [];
  sockets = new Set();
  opened = 0;
  /** Sockets that were cut. */
  cuts = 0;

  static async start(target) {
    const proxy = new Proxy();
    const { hostname, port } = new URL(target);
    proxy.target = { hostname, port };
    proxy.server = http.createServer((request, response) => proxy.#pass(request, response));
    proxy.server.on("upgrade", (request, socket, head) => proxy.#upgrade(request, socket, head));
    await new Promise((resolve) => proxy.server.listen(0, "127.0.0.1", resolve));
    proxy.port = proxy.server.address().port;
    proxy.url = `http://127.0.0.1:${proxy.port}`;
    return proxy;
  }

  /** Ends all WebSockets without a goodbye. */
  cutSockets() {
    this.cuts += this.sockets.size;
    for (const socket of this.sockets) socket.destroy();
  }

  async stop() {
    for (const socket of this.sockets) socket.destroy();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Accepts connections again at the same address. */
  async restart() {
    await new Promise((resolve) => this.server.listen(this.port, "127.0.0.1", resolve));
  }

  async #pass(request, response) {
    const chunks = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      return;
    }
    this.requests.push(`${request.method} ${request.url}`);
    const mode = this.mode(request);
    if (mode === "refuse") return request.socket.destroy();
    if (mode === "hang") return;
    if (typeof mode === "object") {
      response.writeHead(mode.status, mode.headers);
      return response.end(mode.body);
    }
    const onward = http.request({
      ...this.target,
      method: request.method,
      path: request.url,
      headers: request.headers,
    });
    onward.on("error", () => request.socket.destroy());
    onward.on("response", (given) => {
      if (mode === "lose") {
        given.resume();
        return given.on("end", () => request.socket.destroy());
      }
      response.writeHead(given.statusCode, given.headers);
      if (mode === "cut") {
        return given.once("data", (data) => {
          given.resume();
          response.write(data.subarray(0, data.length >> 1), () => request.socket.destroy());
        });
      }
      given.pipe(response);
    });
    onward.end(Buffer.concat(chunks));
  }

  #upgrade(request, socket, head) {
    ++this.opened;
    this.sockets.add(socket);
    const onward = net.connect(this.target.port, this.target.hostname, () => {
      const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}\r\n`);
      onward.write(`${request.method} ${request.url} HTTP/1.1\r\n${headers.join("")}\r\n`);
      onward.write(head);
      socket.on("data", (data) => onward.write(data));
      onward.on("data", (data) => (this.cut(data) ? socket.destroy() : socket.write(data)));
    });
    socket.on("error", () => {});
    onward.on("error", () => {});
    socket.on("close", () => (this.sockets.delete(socket), onward.destroy()));
    onward.on("close", () => socket.destroy());
  }
}
