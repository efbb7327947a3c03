// The teams of the user, and a new one.
import { call, mb, memberships, teams } from "./backend.js";
import { el, field, form } from "./ui.js";

export async function teamsView() {
  const [found, mine] = await Promise.all([
    teams.query({ sort: { name: 1 }, limit: 1000 }),
    memberships.query({ filter: { userId: mb.auth.user.id }, limit: 1000 }),
  ]);
  const roles = new Map(mine.documents.map((one) => [one.teamId, one.role]));
  const entries = found.documents.map((team) =>
    el(
      "li",
      { class: "card entry" },
      el("a", { href: `#/teams/${team.id}` }, team.name),
      el("span", { class: "tag" }, roles.get(team.id) ?? ""),
    ),
  );
  const empty = el("p", { class: "empty" }, "You are in no team yet. Create one, or open the link of an invitation.");
  const name = el("input", { name: "name", required: true, maxlength: 80, autocomplete: "off" });
  const create = form([field("Name", name)], "Create team", async (given) => {
    const { id } = await call("/teams", given);
    location.hash = `#/teams/${id}`;
  });
  return {
    title: "Your teams",
    content: [
      entries.length ? el("ul", { class: "entries" }, ...entries) : empty,
      el("section", { class: "card", "aria-labelledby": "new-team" }, el("h2", { id: "new-team" }, "New team"), create),
    ],
  };
}
