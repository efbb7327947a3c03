// What all views share: elements, forms, lists, messages. Text of users goes into text nodes alone, never into HTML.
import { isError } from "manybase";

/**
 * Makes an element. Properties that begin with "on" are listeners; the others are attributes, left out if null or false.
 * @param {string} tag
 * @param {Record<string, any>} [properties]
 * @param {...(Node | string | null | undefined | false)} children
 */
export function el(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false)
      made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

/** The text of an error for the person who sees the page. */
export function textOf(error) {
  if (!isError(error)) return String(error.message ?? error);
  if (error.code === "NETWORK" || error.code === "TIMEOUT") return "The server cannot be reached. Please try again.";
  const details = error.details.map((one) => `${one.path}: ${one.message}`);
  return [error.message, ...details].join("\n");
}

/** Shows an error at the top of the page, until the next view or action. */
export function showError(error) {
  document.getElementById("error").textContent = error ? textOf(error) : "";
}

let toastTimer;
/** Says what has happened: seen for some seconds, and read by screen readers. */
export function say(text) {
  const status = document.getElementById("status");
  status.textContent = text;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => (status.textContent = ""), 5000);
}

/** Runs what a button or a form does; an error is shown, and then the result is undefined. */
export async function attempt(work) {
  showError(null);
  try {
    return await work();
  } catch (error) {
    showError(error);
    return undefined;
  }
}

/** A button that is disabled while its action runs. */
export function button(text, action, properties = {}) {
  const made = el("button", { type: "button", ...properties }, text);
  made.addEventListener("click", async () => {
    made.disabled = true;
    await attempt(action);
    made.disabled = false;
  });
  return made;
}

let fields = 0;
/** A control with its label, and perhaps a hint. */
export function field(label, control, hint) {
  control.id ||= `field-${++fields}`;
  if (hint) control.setAttribute("aria-describedby", `${control.id}-hint`);
  return el(
    "div",
    { class: "field" },
    el("label", { for: control.id }, label),
    control,
    hint && el("small", { id: `${control.id}-hint` }, hint),
  );
}

export function select(name, options, chosen, properties = {}) {
  const entries = options.map(([value, text]) => el("option", { value, selected: value === chosen }, text));
  return el("select", { name, ...properties }, ...entries);
}

/**
 * A form whose `send` gets the values of its controls by name. Errors are shown in it; it stays filled in until `send`
 * has succeeded.
 */
export function form(controls, submit, send, properties = {}) {
  const alert = el("p", { role: "alert", class: "error" });
  const go = el("button", { class: "primary" }, submit);
  const made = el("form", properties, ...controls, alert, el("div", { class: "actions" }, go));
  made.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (go.disabled) return;
    go.disabled = true;
    alert.textContent = "";
    try {
      await send(Object.fromEntries(new FormData(made)), made);
    } catch (error) {
      alert.textContent = textOf(error);
    }
    go.disabled = false;
  });
  return made;
}

/** The texts that the nodes of lists were made from. */
const madeFrom = new WeakMap();

/**
 * Makes the children of `list` those of `items`, by their `id`. Nodes of unchanged items are kept, so that a list can be
 * shown again and again without losing the focus.
 */
export function showList(list, items, make) {
  const before = new Map([...list.children].map((node) => [node.dataset.id, node]));
  const nodes = items.map((item) => {
    const text = JSON.stringify(item);
    const old = before.get(item.id);
    if (old && madeFrom.get(old) === text) return old;
    const node = make(item);
    node.dataset.id = item.id;
    madeFrom.set(node, text);
    return node;
  });
  const kept = new Set(nodes);
  for (const node of before.values()) if (!kept.has(node)) node.remove();
  nodes.forEach((node, place) => {
    if (list.children[place] !== node) list.insertBefore(node, list.children[place] ?? null);
  });
}

/** Keeps the focus on the same control of the same item while `render` replaces nodes. */
export function keepingFocus(render) {
  const active = document.activeElement;
  const { id } = active?.closest("[data-id]")?.dataset ?? {};
  const control = active?.dataset?.control;
  render();
  if (id && control && !active.isConnected) {
    document.querySelector(`[data-id="${CSS.escape(id)}"] [data-control="${control}"]`)?.focus();
  }
}

const dates = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
/** @param {string} at */
export const time = (at) => el("time", { datetime: at }, dates.format(new Date(at)));

const units = ["bytes", "kB", "MB", "GB"];
export function size(bytes) {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1);
  return `${Number((bytes / 1000 ** power).toFixed(power ? 1 : 0))} ${units[power]}`;
}

/** How true a live list is, in words. */
export const statusText = (status) =>
  ({ live: "Live", "catching-up": "Updating …", offline: "Offline: trying to connect …", ended: "Not live any more" })[
    status
  ];
