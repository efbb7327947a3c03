// A stand-in for the server that makes changes faster than one server would: node test/changes.mjs CHANGES_A_SECOND
// It prints its address. It answers the query of one list, and sends what it changes to the page's one subscription.
import { createHash } from "node:crypto";
import http from "node:http";

const rate = Number(process.argv[2]);
const documents = new Map();
let made = 0;
const add = () => {
  const id = `d${made++}`;
  documents.set(id, { id, n: Math.floor(Math.random() * 1e6), title: `Document ${made}` });
  return documents.get(id);
};
for (let n = 0; n < 300; ++n) add();

/** A change to a random document: eight of ten are updates that move it, the others inserts and deletions. */
function change() {
  const kind = Math.random();
  if (kind < 0.1) {
    const document = add();
    return { type: "insert", documentId: document.id, document };
  }
  const ids = change.ids?.length === documents.size ? change.ids : (change.ids = [...documents.keys()]);
  const id = ids[Math.floor(Math.random() * ids.length)];
  if (kind < 0.2 && documents.size > 200) {
    documents.delete(id);
    change.ids = undefined;
    return { type: "delete", documentId: id };
  }
  if (!documents.has(id)) return change();
  const document = { ...documents.get(id), n: Math.floor(Math.random() * 1e6) };
  documents.set(id, document);
  return { type: "update", documentId: id, document };
}

function top(limit) {
  const sorted = [...documents.values()].sort((a, b) => b.n - a.n || (a.id < b.id ? -1 : 1));
  return { documents: sorted.slice(0, limit), ...(sorted.length > limit ? { next: "more" } : {}) };
}

const cors = { "access-control-allow-origin": "*", "access-control-allow-headers": "*", "access-control-max-age": "600" };
const server = http.createServer(async (request, response) => {
  let text = "";
  for await (const part of request) text += part;
  response.writeHead(200, { "content-type": "application/json", ...cors });
  response.end(request.method === "POST" ? JSON.stringify(top(JSON.parse(text).limit)) : "{}");
});

/** One frame with a text, as servers send it. */
function frame(text) {
  const data = Buffer.from(text);
  const head = data.length < 126 ? Buffer.from([0x81, data.length]) : Buffer.from([0x81, 126, data.length >> 8, data.length & 255]);
  return Buffer.concat([head, data]);
}

server.on("upgrade", (request, socket) => {
  const accept = createHash("sha1").update(request.headers["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11");
  socket.write(
    "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n" +
      `sec-websocket-accept: ${accept.digest("base64")}\r\n\r\n`,
  );
  let timer;
  let batch = false;
  let rest = Buffer.alloc(0);
  socket.on("error", () => {});
  socket.on("close", () => clearInterval(timer));
  socket.on("data", (data) => {
    rest = Buffer.concat([rest, data]);
    // Messages of this page are masked and short.
    while (rest.length >= 2) {
      const long = (rest[1] & 127) === 126;
      const at = long ? 4 : 2;
      if (rest.length < at) return;
      const length = long ? rest.readUInt16BE(2) : rest[1] & 127;
      if (rest.length < at + 4 + length) return;
      const mask = rest.subarray(at, at + 4);
      const text = rest.subarray(at + 4, at + 4 + length).map((byte, n) => byte ^ mask[n % 4]);
      const isText = (rest[0] & 15) === 1;
      rest = rest.subarray(at + 4 + length);
      if (isText) answer(JSON.parse(Buffer.from(text).toString()));
    }
  });
  function answer(message) {
    if (message.type === "auth") batch = message.batch;
    if (message.type === "auth") socket.write(frame('{"type":"auth_ok"}'));
    if (message.type !== "subscribe") return;
    socket.write(frame(JSON.stringify({ type: "subscribed", id: message.id })));
    socket.write(frame(JSON.stringify({ type: "caught-up", id: message.id, position: "begin" })));
    const began = Date.now();
    let sent = 0;
    timer = setInterval(() => {
      const due = Math.floor(((Date.now() - began) * rate) / 1000);
      const texts = [];
      for (; sent < due; ++sent) {
        const event = { collection: message.collection, ...change() };
        texts.push(JSON.stringify({ type: "event", subscription: message.id, event, position: String(sent) }));
      }
      const frames = [];
      if (!batch) frames.push(...texts.map(frame));
      // As the server does: an array every eight milliseconds, of at most 64 KiB.
      else for (let at = 0; at < texts.length; at += 200) frames.push(frame(`[${texts.slice(at, at + 200).join()}]`));
      socket.write(Buffer.concat(frames));
    }, 8);
    process.once("SIGUSR1", () => clearInterval(timer));
  }
});

server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
