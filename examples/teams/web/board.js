// The board of a team: its tasks in two columns, live. A move shows at once and is taken back if the server refuses it.
import { live } from "manybase";
import { activity, membersOf, tasks, teams } from "./backend.js";
import { attempt, el, field, form, keepingFocus, say, showError, showList, statusText, time } from "./ui.js";

const limit = 500;
const columns = [
  { state: "open", title: "Open", move: "Mark done", empty: "Nothing to do." },
  { state: "done", title: "Done", move: "Reopen", empty: "Nothing is done yet." },
];

/** The navigation within a team. */
export function teamNav(team, current) {
  const link = (href, text) => el("a", { href, "aria-current": current === text && "page" }, text);
  const items = [link("#/", "All teams"), link(`#/teams/${team}`, "Board"), link(`#/teams/${team}/people`, "People")];
  return el("nav", { "aria-label": "Team" }, ...items);
}

export async function boardView(teamId) {
  const [team, people] = await Promise.all([teams.get(teamId), membersOf(teamId)]);
  const mayEdit = people.role !== "viewer";
  const board = live(tasks.query({ filter: { teamId }, sort: { createdAt: 1 }, limit }));
  const news = live(activity.query({ filter: { teamId }, sort: { at: -1 }, limit: 10 }));

  const status = el("p", { class: "live", role: "status" });
  const more = el("p", { class: "notice", hidden: true }, `The first ${limit} tasks are shown.`);

  async function move(task, state) {
    await attempt(async () => {
      await board.update(task.id, { state });
      say(`“${task.title}” is ${state}.`);
    });
  }

  const parts = columns.map(({ state, title, empty }) => ({
    state,
    list: el("ul", { class: "entries", "aria-labelledby": `column-${state}` }),
    count: el("span", { class: "count" }),
    none: el("p", { class: "empty" }, empty),
    title,
  }));

  function card(task) {
    const { state, move: label } = columns.find((one) => one.state === task.state) ?? columns[0];
    const target = state === "open" ? "done" : "open";
    const made = el(
      "li",
      { class: `card task${task.pending ? " pending" : ""}`, draggable: mayEdit && "true" },
      el("a", { href: `#/teams/${teamId}/tasks/${task.id}`, "data-control": "open", draggable: "false" }, task.title),
      el("span", { class: "muted" }, task.assignee ? people.nameOf(task.assignee) : "Nobody assigned"),
      mayEdit &&
        el(
          "button",
          { type: "button", "data-control": "move", onclick: () => move(task, target) },
          label,
          el("span", { class: "hidden" }, `: ${task.title}`),
        ),
    );
    made.addEventListener("dragstart", (event) => event.dataTransfer.setData("text/plain", task.id));
    return made;
  }

  /** Takes cards that are dropped on a column. The buttons do the same for keyboards and fingers. */
  function dropping(column, state) {
    column.addEventListener("dragover", (event) => event.preventDefault());
    column.addEventListener("drop", (event) => {
      event.preventDefault();
      const id = event.dataTransfer.getData("text/plain");
      const task = board.state.documents.find((one) => one.id === id);
      if (mayEdit && task && task.state !== state) void move(task, state);
    });
    return column;
  }

  function render({ documents, pending, hasMore, status: now, error }) {
    status.textContent = statusText(now);
    status.dataset.status = now;
    more.hidden = !hasMore;
    if (error) showError(error);
    keepingFocus(() => {
      for (const part of parts) {
        const shown = documents.filter((one) => (one.state ?? "open") === part.state);
        showList(
          part.list,
          shown.map(({ id, title, state, assignee }) => ({ id, title, state, assignee, pending: pending.has(id) })),
          card,
        );
        part.count.textContent = String(shown.length);
        part.none.hidden = shown.length > 0 || now === "catching-up";
      }
    });
  }

  const newsList = el("ul", { class: "plain-list" });
  const noNews = el("p", { class: "empty" }, "Nothing has happened yet.");
  function renderNews({ documents }) {
    showList(newsList, documents, ({ what, title, who, at }) => {
      const subject = what === "commented" ? "commented on a task" : `${what} “${title}”`;
      const text = who ? `${people.nameOf(who)} ${subject}` : `${subject[0].toUpperCase()}${subject.slice(1)}`;
      return el("li", {}, el("span", {}, text), " ", time(at));
    });
    noNews.hidden = documents.length > 0;
  }

  const title = el("input", { name: "title", required: true, maxlength: 200, autocomplete: "off" });
  const create = form(
    [field("New task", title)],
    "Add",
    async (given, made) => {
      const created = board.create({ teamId, title: given.title, state: "open" });
      made.reset();
      title.focus();
      try {
        await created;
      } catch (error) {
        title.value ||= given.title;
        throw error;
      }
    },
    { class: "inline" },
  );

  const stops = [board.subscribe(render), news.subscribe(renderNews)];
  return {
    title: team.name,
    above: teamNav(teamId, "Board"),
    content: [
      status,
      mayEdit ? create : el("p", { class: "notice" }, "You are a viewer of this team: you read and comment."),
      more,
      el(
        "div",
        { class: "columns" },
        ...parts.map(({ state, title, list, count, none }) =>
          dropping(
            el(
              "section",
              { class: "column", "aria-labelledby": `column-${state}` },
              el("h2", {}, el("span", { id: `column-${state}` }, title), " ", count),
              list,
              none,
            ),
            state,
          ),
        ),
      ),
      el("section", { "aria-labelledby": "activity" }, el("h2", { id: "activity" }, "Activity"), newsList, noNews),
    ],
    close() {
      for (const stop of stops) stop();
      board.close();
      news.close();
    },
  };
}
