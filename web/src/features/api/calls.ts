// The subscription of the inspector by a program, and as messages.
import type { SocketCall } from "../../components/shell/show-call";
import { inlineJson } from "../../lib/json";
import { serverUrl } from "../../lib/server";
import { apiMessages } from "../../messages/api";
import { optionsOf, type Selection } from "./subscription";

const words = apiMessages.realtime;

export function callOf(slug: string, collection: string, selection: Selection): SocketCall {
  const options = Object.entries(optionsOf(selection)).map(([name, value]) => `  ${name}: ${inlineJson(value)},`);
  return {
    title: words.call,
    sdk: [
      'import { createClient } from "manybase";',
      "",
      `const mb = createClient({ url: ${JSON.stringify(serverUrl)}, project: ${JSON.stringify(slug)}, apiKey: process.env.MANYBASE_KEY });`,
      `const end = mb.collection(${JSON.stringify(collection)}).subscribe((change) => console.log(change.type, change.documentId, change.document), {`,
      ...options,
      "  onStatus: (status) => console.log(status),",
      '  onGap: () => console.log("changes may be missing"),',
      "});",
    ].join("\n"),
    messages: [{ type: "subscribe", id: "1", collection, ...optionsOf(selection), caughtUp: true }],
  };
}
