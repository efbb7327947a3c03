import { Activity as Icon } from "lucide-react";
import { useState, useSyncExternalStore } from "react";
import { callLog } from "../../lib/call-log";
import { messages } from "../../messages";
import { Badge, type Tone } from "../ui/badge";
import { IconButton } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { Table } from "../ui/table";

const words = messages.activity;
const toneOf = (status: number): Tone => (status === 0 || status >= 500 ? "bad" : status >= 400 ? "warn" : "good");
const clock = new Intl.DateTimeFormat("en", { timeStyle: "medium" });

function Calls() {
  const calls = useSyncExternalStore(callLog.subscribe, callLog.get);
  if (calls.length === 0) return <p>{words.none}</p>;
  return (
    <Table
      label={words.title}
      columns={[words.call, words.status, words.ms, words.time, words.request]}
      figures={[words.ms]}
      rows={calls.map((call) => ({
        key: String(call.number),
        cells: [
          <code>
            {call.method} <bdi>{call.path.replace("/api/v1", "")}</bdi>
          </code>,
          <Badge tone={toneOf(call.status)}>{call.status || words.noResponse}</Badge>,
          `${call.ms} ms`,
          clock.format(call.at),
          <code>{call.requestId}</code>,
        ],
      }))}
    />
  );
}

/** The calls that this page has made. */
export function Activity() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <IconButton label={messages.shell.activity} onClick={() => setOpen(true)}>
        <Icon size={16} strokeWidth={1.75} aria-hidden />
      </IconButton>
      <Dialog open={open} onClose={() => setOpen(false)} title={words.title} description={words.description} wide>
        <Calls />
      </Dialog>
    </>
  );
}
