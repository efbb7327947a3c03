// A task: its fields, files and comments.
import { isError, live } from "manybase";
import { attachments, comments, mb, membersOf, tasks } from "./backend.js";
import { teamNav } from "./board.js";
import { attempt, button, el, field, form, keepingFocus, say, select, showError, showList, size, time } from "./ui.js";

const states = [
  ["open", "Open"],
  ["done", "Done"],
];

export async function taskView(teamId, id) {
  const [task, people] = await Promise.all([tasks.get(id), membersOf(teamId)]);
  const mayEdit = people.role !== "viewer";
  const files = fileList(teamId, id, mayEdit);
  const talk = commentList(teamId, id, people);
  await files.load();
  return {
    title: task.title,
    above: teamNav(teamId),
    content: [mayEdit ? editor(teamId, task, people) : summary(task, people), files.section, talk.section],
    close() {
      files.close();
      talk.close();
    },
  };
}

function summary(task, people) {
  const rows = [
    ["State", task.state],
    ["Assigned to", task.assignee ? people.nameOf(task.assignee) : "Nobody"],
  ];
  return el("dl", { class: "card" }, ...rows.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
}

/** The form of a task. A task that someone else has changed since it was read is not overwritten unasked. */
function editor(teamId, read, people) {
  let task = read;
  const title = el("input", { name: "title", required: true, maxlength: 200, autocomplete: "off" });
  const state = select("state", states, "");
  const choices = [["", "Nobody"], ...people.members.map((one) => [one.user, one.name])];
  if (task.assignee && !choices.some(([user]) => user === task.assignee))
    choices.push([task.assignee, people.nameOf(task.assignee)]);
  const assignee = select("assignee", choices, "");
  const conflict = el("div", { class: "notice", role: "alert" });

  function fill() {
    title.value = task.title;
    state.value = task.state ?? "open";
    assignee.value = task.assignee ?? "";
    // At first the view is not shown yet, and a save may end after it was left.
    if (!title.isConnected) return;
    document.querySelector("main h1").replaceChildren(task.title);
    document.title = `${task.title} – Teams`;
  }

  async function save(given) {
    const set = { title: given.title, state: given.state, ...(given.assignee && { assignee: given.assignee }) };
    const change = given.assignee ? { $set: set } : { $set: set, $unset: { assignee: true } };
    conflict.replaceChildren();
    try {
      task = (await tasks.update(task.id, change, { ifMatch: task, returning: true })) ?? (await tasks.get(task.id));
    } catch (error) {
      if (!isError(error, "PRECONDITION_FAILED")) throw error;
      await tellConflict(given);
      return;
    }
    fill();
    say("Saved.");
  }

  async function tellConflict(mine) {
    const theirs = await tasks.get(task.id);
    const who = theirs.assignee ? people.nameOf(theirs.assignee) : "nobody";
    const take = () => {
      task = theirs;
      conflict.replaceChildren();
      fill();
      title.focus();
    };
    const overwrite = async () => {
      task = theirs;
      await save(mine);
    };
    conflict.replaceChildren(
      el(
        "p",
        {},
        `${people.nameOf(theirs.changedBy)} has changed this task since you opened it. It is now “${theirs.title}”, ${theirs.state}, assigned to ${who}.`,
      ),
      el("div", { class: "actions" }, button("Use their version", take), button("Save mine", overwrite)),
    );
  }

  const fields = [
    field("Title", title),
    el("div", { class: "row" }, field("State", state), field("Assigned to", assignee)),
  ];
  const made = form(fields, "Save", save);
  const remove = button(
    "Delete task",
    async () => {
      if (!confirm(`Delete “${task.title}” with its comments and files?`)) return;
      await tasks.delete(task.id);
      location.hash = `#/teams/${teamId}`;
      say("The task is deleted.");
    },
    { class: "danger" },
  );
  made.querySelector(".actions").append(remove);
  fill();
  return el("section", { class: "card", "aria-label": "Task" }, made, conflict);
}

function fileList(teamId, id, mayEdit) {
  const prefix = `${teamId}/${id}/`;
  const list = el("ul", { class: "plain-list" });
  const none = el("p", { class: "empty" }, "No files yet.");
  const running = new Set();

  async function open(file) {
    // The link opens the file for a minute, without the session.
    const { url } = await attachments.sign(file.path, { seconds: 60 });
    el("a", { href: url, target: "_blank", rel: "noopener noreferrer" }).click();
  }

  async function remove(file) {
    if (!confirm(`Delete ${file.path.slice(prefix.length)}?`)) return;
    await attachments.delete(file.path);
    await load();
    say("The file is deleted.");
  }

  async function load() {
    const { files } = await attachments.list({ prefix, limit: 1000 });
    const items = files.map((file) => ({ id: file.path, ...file }));
    showList(list, items, (file) => {
      const name = file.path.slice(prefix.length);
      return el(
        "li",
        { class: "line" },
        button(name, () => open(file), { class: "plain", "aria-label": `Open ${name}` }),
        el("span", { class: "muted" }, size(file.size)),
        mayEdit && button("Delete", () => remove(file), { "aria-label": `Delete ${name}` }),
      );
    });
    none.hidden = items.length > 0;
  }

  const bars = el("div");
  async function upload(file) {
    const bar = el("progress", { max: 100, value: 0, "aria-label": `Upload of ${file.name}` });
    const cancel = button("Cancel", () => sending.cancel(), { "aria-label": `Cancel the upload of ${file.name}` });
    const line = el("p", { class: "line" }, el("span", {}, file.name), bar, cancel);
    bars.append(line);
    const sending = attachments.upload(prefix + file.name, file, {
      metadata: { team: teamId },
      onProgress: ({ sent, total }) => (bar.value = total ? (100 * sent) / total : 100),
    });
    running.add(sending);
    try {
      await sending;
      say(`${file.name} is uploaded.`);
    } catch (error) {
      if (!isError(error, "ABORTED")) throw error;
    } finally {
      running.delete(sending);
      line.remove();
    }
  }

  const input = el("input", { type: "file", multiple: true });
  input.addEventListener("change", async () => {
    const chosen = [...input.files];
    input.value = "";
    for (const file of chosen) await attempt(() => upload(file));
    await attempt(load);
  });
  const hint = "At most 20 MB each. A file replaces one of the same name.";
  return {
    section: el(
      "section",
      { class: "card", "aria-labelledby": "files" },
      el("h2", { id: "files" }, "Files"),
      list,
      none,
      bars,
      mayEdit && field("Add files", input, hint),
    ),
    load,
    close() {
      for (const one of running) void one.cancel();
    },
  };
}

function commentList(teamId, id, people) {
  const talk = live(comments.query({ filter: { task: id, teamId }, sort: { createdAt: 1 }, limit: 500 }));
  const list = el("ul", { class: "plain-list" });
  const none = el("p", { class: "empty", hidden: true }, "No comments yet.");

  async function remove(comment) {
    await talk.delete(comment.id);
    say("The comment is deleted.");
  }

  function line(comment) {
    const mayDelete = comment.ownerId === mb.auth.user?.id || people.role === "owner";
    const who = comment.ownerId ? people.nameOf(comment.ownerId) : "";
    return el(
      "li",
      {},
      el("p", { class: "muted" }, el("strong", {}, who), " ", comment.createdAt && time(comment.createdAt)),
      el("p", { class: "text" }, comment.text),
      mayDelete &&
        button("Delete", () => remove(comment), {
          "data-control": "delete",
          "aria-label": `Delete the comment: ${comment.text.slice(0, 40)}`,
        }),
    );
  }

  const stop = talk.subscribe(({ documents, status, error }) => {
    if (error) showError(error);
    keepingFocus(() => showList(list, documents, line));
    none.hidden = documents.length > 0 || status === "catching-up";
  });

  const text = el("textarea", { name: "text", required: true, maxlength: 5000, rows: 3 });
  const write = form([field("Comment", text)], "Send", async (given, made) => {
    await talk.create({ task: id, teamId, text: given.text });
    made.reset();
  });
  return {
    section: el(
      "section",
      { class: "card", "aria-labelledby": "comments" },
      el("h2", { id: "comments" }, "Comments"),
      list,
      none,
      write,
    ),
    close() {
      stop();
      talk.close();
    },
  };
}
