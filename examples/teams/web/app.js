// The app: its routes, the session, and one view at a time.
import { isError } from "manybase";
import { mb } from "./backend.js";
import { boardView } from "./board.js";
import { joinView } from "./join.js";
import { peopleView } from "./people.js";
import { signInView } from "./signin.js";
import { taskView } from "./task.js";
import { teamsView } from "./teams.js";
import { button, el, say, showError, textOf } from "./ui.js";

/** A view gives its title, its content, and perhaps how to close it. */
const routes = [
  [/^#\/teams\/([^/]+)\/people$/, peopleView],
  [/^#\/teams\/([^/]+)\/tasks\/([^/]+)$/, taskView],
  [/^#\/teams\/([^/]+)$/, boardView],
  [/^#\/join\/([^/]+)$/, joinView],
  [/./, teamsView],
];

const main = document.getElementById("main");
let close = () => {};
let shown = 0;

async function show() {
  // A view that was left while it loaded is not shown.
  const turn = ++shown;
  close();
  close = () => {};
  showError(null);
  main.setAttribute("aria-busy", "true");
  const [pattern, view] = routes.find(([pattern]) => pattern.test(location.hash || "#/"));
  const given = (location.hash.match(pattern) ?? []).slice(1).map(decodeURIComponent);
  let made;
  try {
    made = mb.auth.user ? await view(...given) : signInView(view === joinView);
  } catch (error) {
    const gone = isError(error, "NOT_FOUND");
    made = {
      title: gone ? "Not found" : "Something went wrong",
      content: [
        el("p", {}, gone ? "It was deleted, or you are not a member of its team." : textOf(error)),
        el("p", {}, gone ? el("a", { href: "#/" }, "Your teams") : button("Try again", show)),
      ],
    };
  }
  if (turn !== shown) {
    made.close?.();
    return;
  }
  close = made.close ?? close;
  document.title = `${made.title} – Teams`;
  const heading = el("h1", { tabindex: "-1" }, made.title);
  main.replaceChildren(made.above ?? "", heading, ...made.content);
  main.removeAttribute("aria-busy");
  heading.focus({ preventScroll: true });
  scrollTo(0, 0);
}

function showAccount() {
  const { user } = mb.auth;
  const parts = user
    ? [el("span", { class: "who" }, user.name ?? user.email ?? ""), button("Sign out", () => mb.auth.logout())]
    : [];
  document.getElementById("account").replaceChildren(...parts);
}

let userId;
mb.auth.onChange((user, event) => {
  showAccount();
  if (user?.id === userId) return;
  userId = user?.id;
  void show();
  if (event === "revoked") say("Your session was ended. Please sign in again.");
  if (event === "logout") say("You are signed out.");
});

addEventListener("hashchange", () => {
  // The link to the content is no view.
  if (location.hash !== "#main") void show();
});
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener("app:reload", show);

userId = (await mb.auth.ready)?.id;
showAccount();
await show();
