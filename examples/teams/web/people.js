// Who is in a team, and how others get in: owners invite by a link, change roles and remove members.
import { call, invitations, mb, membersOf, memberships, teams } from "./backend.js";
import { teamNav } from "./board.js";
import { attempt, button, el, field, form, say, select, time } from "./ui.js";

const roles = [
  ["owner", "Owner"],
  ["editor", "Editor"],
  ["viewer", "Viewer"],
];

export async function peopleView(teamId) {
  const [team, people] = await Promise.all([teams.get(teamId), membersOf(teamId)]);
  const isOwner = people.role === "owner";
  const list = el("ul", { class: "plain-list" }, ...people.members.map((one) => member(one, isOwner)));
  const sections = [
    el("section", { class: "card", "aria-labelledby": "members" }, el("h2", { id: "members" }, "Members"), list),
  ];
  if (isOwner) sections.push(await invitationList(teamId));
  return { title: `People of ${team.name}`, above: teamNav(teamId, "People"), content: sections };
}

/** Shows the view again, after a change that may concern the whole of it. */
const reload = () => dispatchEvent(new Event("app:reload"));

function member({ id, user, name, role }, isOwner) {
  const isSelf = user === mb.auth.user?.id;
  const choice = select("role", roles, role, { "aria-label": `Role of ${name}` });
  choice.addEventListener("change", async () => {
    const changed = await attempt(async () => {
      await memberships.update(id, { role: choice.value });
      say(`${name} is ${choice.value} now.`);
      return true;
    });
    if (!changed) choice.value = role;
    else if (isSelf) reload();
    else role = choice.value;
  });

  async function leave() {
    if (!confirm(isSelf ? "Leave this team?" : `Remove ${name} from this team?`)) return;
    await memberships.delete(id);
    if (isSelf) location.hash = "#/";
    else reload();
    say(isSelf ? "You have left the team." : `${name} is removed.`);
  }

  return el(
    "li",
    { class: "line" },
    el("span", {}, name, isSelf && " (you)"),
    isOwner ? choice : el("span", { class: "tag" }, role),
    (isOwner || isSelf) &&
      button(isSelf ? "Leave" : "Remove", leave, { "aria-label": isSelf ? "Leave the team" : `Remove ${name}` }),
  );
}

async function invitationList(teamId) {
  const list = el("ul", { class: "plain-list" });
  const none = el("p", { class: "empty" }, "No open invitations.");
  const link = el("div", { class: "link", role: "status" });

  async function load() {
    const { documents } = await invitations.query({ filter: { teamId }, sort: { expiresAt: 1 }, limit: 200 });
    const lines = documents.map((one) =>
      el(
        "li",
        { class: "line" },
        el("span", {}, `For one ${one.role}, until `, time(one.expiresAt)),
        button("Withdraw", () => withdraw(one)),
      ),
    );
    list.replaceChildren(...lines);
    none.hidden = lines.length > 0;
  }

  async function withdraw(one) {
    await invitations.delete(one.id);
    link.replaceChildren();
    await load();
    say("The link does not work any more.");
  }

  const create = form(
    [field("Role", select("role", roles.slice(1), "editor"))],
    "Create a link",
    async (given) => {
      const made = await call(`/teams/${encodeURIComponent(teamId)}/invitations`, given);
      const shown = el("input", { readonly: true, value: made.link, onfocus: () => shown.select() });
      const copy = button("Copy", async () => {
        await navigator.clipboard.writeText(made.link);
        say("Copied.");
      });
      const hint = "It is shown only now. One person can join with it, within a week.";
      link.replaceChildren(field("Link of the invitation", shown, hint), el("div", { class: "actions" }, copy));
      await load();
    },
    { class: "inline" },
  );
  await load();
  return el(
    "section",
    { class: "card", "aria-labelledby": "invitations" },
    el("h2", { id: "invitations" }, "Invitations"),
    create,
    link,
    list,
    none,
  );
}
