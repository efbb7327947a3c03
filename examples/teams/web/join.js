// An invitation that someone has opened. Joining is a decision, so it takes a click.
import { call } from "./backend.js";
import { button, el, say } from "./ui.js";

export function joinView(token) {
  const join = async () => {
    const { teamId, role } = await call("/join", { token });
    // Replaced, since the link has been used up.
    location.replace(`#/teams/${teamId}`);
    say(`You have joined the team. Your role: ${role}.`);
  };
  return {
    title: "Join a team",
    content: [
      el("p", { class: "lead" }, "You were invited to a team. Its members will see your name."),
      el(
        "div",
        { class: "actions" },
        button("Join the team", join, { class: "primary" }),
        el("a", { href: "#/" }, "Not now"),
      ),
    ],
  };
}
