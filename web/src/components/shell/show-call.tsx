import { Terminal } from "lucide-react";
import { useState } from "react";
import { serverUrl } from "../../lib/server";
import { messages } from "../../messages";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { Snippet } from "../ui/snippet";

export interface Call {
  title: string;
  method: string;
  /** Below /api/v1. */
  path: string;
  body?: unknown;
  /** The same with the SDK. */
  sdk: string;
}

/** A text as one word of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** A call for a terminal; `token` is what stands for the secret. */
export function curlOf({ method, path, body }: Pick<Call, "method" | "path" | "body">, token = "$TOKEN"): string {
  const lines = [`curl ${method === "GET" ? "" : `-X ${method} `}${quoted(`${serverUrl}/api/v1${path}`)}`];
  lines.push(`  -H "authorization: Bearer ${token}"`);
  if (body !== undefined) {
    lines.push(`  -H 'content-type: application/json'`, `  -d ${quoted(JSON.stringify(body))}`);
  }
  return lines.join(" \\\n");
}

/** A button that shows the calls behind a screen as curl and with the SDK. */
export function ShowCall({ calls }: { calls: Call[] }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button look="quiet" onClick={() => setOpen(true)}>
        <Terminal size={16} strokeWidth={1.75} aria-hidden />
        {messages.call.show}
      </Button>
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
              { label: "curl", text: curlOf(call) },
            ]}
          />
        ))}
      </Dialog>
    </>
  );
}
