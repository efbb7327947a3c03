// The client of the control plane, with the session of the person at the dashboard: the SDK keeps it in a cookie for all tabs.
import { createControl } from "manybase/control";
import { loggedFetch } from "./lib/call-log";
import { exactJson } from "./lib/json";
import { serverUrl } from "./lib/server";

export const control = createControl({
  url: serverUrl,
  session: "cookie",
  fetch: loggedFetch,
  json: exactJson,
  onSession(event, elsewhere) {
    // All that this page shows and keeps belongs to another person, or to none. The router then finds the screen.
    if (event !== "login" || elsewhere) location.reload();
  },
});
