import { Terminal } from "lucide-react";
import { useState } from "react";
import { exactJson } from "../../lib/json";
import { serverUrl } from "../../lib/server";
import { messages } from "../../messages";
import { Button, IconButton } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { Snippet } from "../ui/snippet";

interface Request {
  method: string;
  /** Below /api/v1. */
  path: string;
  body?: unknown;
  /** In place of a body: a file of the terminal's folder, whose bytes are sent. */
  file?: string;
  /** The type of the result, where it is not JSON. */
  accept?: string;
}

export interface Call extends Request {
  title: string;
  /** The same with the SDK. */
  sdk: string;
}

/** In place of a call: what is sent over a WebSocket, after the token. */
export interface SocketCall {
  title: string;
  sdk: string;
  messages: readonly object[];
}

/** The lines of a program that open the administration. */
export const adminSetup = (): string =>
  `import { createAdmin } from "manybase/admin";\n\nconst admin = createAdmin({ url: ${JSON.stringify(serverUrl)}, token: process.env.MANYBASE_KEY });`;

/** A text as one word of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** A call for a terminal; `token` is what stands for the secret. */
export function curlOf({ method, path, body, file, accept }: Request, token = "$TOKEN"): string {
  const lines = [`curl ${method === "GET" ? "" : `-X ${method} `}${quoted(`${serverUrl}/api/v1${path}`)}`];
  lines.push(`  -H "authorization: Bearer ${token}"`);
  if (accept !== undefined) lines.push(`  -H 'accept: ${accept}'`);
  if (body !== undefined) {
    lines.push(`  -H 'content-type: application/json'`, `  -d ${quoted(exactJson.stringify(body)!)}`);
  }
  if (file !== undefined) lines.push(`  -H 'content-type: application/octet-stream'`, `  --data-binary ${quoted(`@${file}`)}`);
  return lines.join(" \\\n");
}

/** The address of a WebSocket, then each message on a line. */
const socketOf = ({ messages: sent }: SocketCall): string =>
  [
    `${serverUrl.replace(/^http/, "ws")}/api/v1/realtime`,
    ...[{ type: "auth", token: "$TOKEN" }, ...sent].map((message) => exactJson.stringify(message)!),
  ].join("\n");

/** A button that shows the calls behind a screen as curl and with the SDK; `small` as an icon, beside another on the page. */
export function ShowCall({ calls, small }: { calls: (Call | SocketCall)[]; small?: boolean }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      {small ? (
        <IconButton label={messages.call.showOf(calls[0]!.title)} onClick={() => setOpen(true)}>
          <Terminal size={16} strokeWidth={1.75} aria-hidden />
        </IconButton>
      ) : (
        <Button look="quiet" shrinks title={messages.call.show} onClick={() => setOpen(true)}>
          <Terminal size={16} strokeWidth={1.75} aria-hidden />
          <span>{messages.call.show}</span>
        </Button>
      )}
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        title={messages.call.title}
        description={messages.call.description}
        wide
      >
        {calls.map((call) => (
          <Snippet
            key={call.title}
            title={call.title}
            titled
            forms={[
              { label: "TypeScript", text: call.sdk },
              "messages" in call ? { label: "WebSocket", text: socketOf(call) } : { label: "curl", text: curlOf(call) },
            ]}
          />
        ))}
      </Dialog>
    </>
  );
}
