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

const dates = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
/** @param {string} at */
export const time = (at) => el("time", { datetime: at }, dates.format(new Date(at)));
