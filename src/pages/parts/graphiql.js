import "graphiql/style.css";

import { GraphiQL } from "graphiql";
import { createElement } from "react";
import { createRoot } from "react-dom/client";

// Puts GraphiQL into an element. Gives a function that shows it with a `fetcher`; where `introspects` is false it asks for
// no schema. Another `generation` starts it anew, with the tabs and queries that its storage kept.
export function mount(element, { storage, defaultQuery }) {
  const root = createRoot(element);
  return ({ generation, fetcher, introspects }) =>
    root.render(
      createElement(GraphiQL, {
        key: generation,
        fetcher,
        storage,
        defaultQuery,
        schema: introspects ? undefined : null,
        forcedTheme: "system",
        isHeadersEditorEnabled: false,
        shouldPersistHeaders: false,
      }),
    );
}
