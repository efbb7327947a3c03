import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { isError } from "manybase";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queryClient, setupStatus } from "./app/queries";
import { router } from "./app/router";
import { ToastArea } from "./components/ui/toast";
import { watchScheme } from "./lib/scheme";
import "./styles/fonts.css";
import "./styles/tokens.css";
import "./styles/base.css";

watchScheme();

// A page of an older build misses its chunks after the server was replaced. Once, so that an outage does not reload for ever.
addEventListener("vite:preloadError", (event) => {
  const key = "manybase.reloaded";
  if (sessionStorage.getItem(key)) return;
  sessionStorage.setItem(key, "1");
  event.preventDefault();
  location.reload();
});

// What every first screen needs is read before its routes run.
void queryClient.prefetchQuery(setupStatus);

// Another screen starts at its title, for readers of the screen and the keyboard alike.
let shown: string | undefined;
router.subscribe("onRendered", ({ toLocation }) => {
  const focused = document.activeElement;
  // A form or a dialog of the new screen has taken the focus already.
  const taken = focused?.matches("input, textarea") || focused?.closest("[role=dialog]");
  if (shown !== undefined && shown !== toLocation.pathname && !taken && !document.querySelector("[role=dialog]")) {
    document.querySelector<HTMLElement>("h1[tabindex]")?.focus({ preventScroll: true });
    document.getElementById("content")?.scrollTo(0, 0);
  }
  shown = toLocation.pathname;
});

// What the server refused is shown in its place; only mistakes of this program are logged.
const onCaughtError = (error: unknown) => {
  if (!isError(error)) console.error(error);
};

createRoot(document.getElementById("root")!, { onCaughtError }).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <ToastArea />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
