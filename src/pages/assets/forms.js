// Forms that call the API: one submission at a time, errors next to their fields and in the alert.
import { Failure } from "./api.js";
import { say } from "./page.js";
import { failureWords } from "./words.js";

const missing = {
  email: "Enter your e-mail address.",
  password: "Enter a password.",
  code: "Enter the code.",
  setupCode: "Enter the set-up code.",
};

function errorOf(input) {
  return input.parentElement.querySelector(".error");
}

function mark(input, text) {
  const id = `${input.id}-error`;
  const error = document.createElement("span");
  error.className = "error";
  error.id = id;
  error.textContent = text;
  input.after(error);
  input.setAttribute("aria-invalid", "true");
  input.setAttribute("aria-describedby", [input.dataset.hint, id].filter(Boolean).join(" "));
}

function clear(form) {
  say("");
  for (const input of form.querySelectorAll("input")) {
    errorOf(input)?.remove();
    input.removeAttribute("aria-invalid");
    if (input.dataset.hint) input.setAttribute("aria-describedby", input.dataset.hint);
    else input.removeAttribute("aria-describedby");
  }
}

// Marks the fields that `problems` ({name: text}) names and moves the focus to the first; returns whether there is one.
function markAll(form, problems) {
  let first = null;
  for (const input of form.querySelectorAll("input")) {
    if (!(input.name in problems)) continue;
    mark(input, problems[input.name]);
    first ??= input;
  }
  first?.focus();
  return first !== null;
}

function emptyFields(form) {
  const problems = {};
  for (const input of form.querySelectorAll("input[required]")) {
    if (!input.value.trim()) problems[input.name] = missing[input.name] ?? "This is needed.";
  }
  return problems;
}

function fieldProblems(failure) {
  const problems = {};
  for (const { path, message } of failure.details) {
    const text = message.charAt(0).toUpperCase() + message.slice(1);
    problems[path.replace(/^\//, "")] ??= /[.!?]$/.test(text) ? text : `${text}.`;
  }
  return problems;
}

// Shows the failure: next to the fields that it names, else in the alert.
function showFailure(form, failure) {
  if (!markAll(form, fieldProblems(failure))) say(failureWords(failure));
}

// `submit` gets the values of the fields; a Failure that it throws is shown. `refused` may handle a Failure first: it
// returns true if it has.
export function onSubmit(form, submit, refused = () => false) {
  const button = form.querySelector("button[type=submit]");
  let busy = false;
  for (const input of form.querySelectorAll("input")) {
    input.dataset.hint = input.getAttribute("aria-describedby") ?? "";
  }
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (busy) return;
    clear(form);
    if (markAll(form, emptyFields(form))) return;
    busy = true;
    button.setAttribute("aria-disabled", "true");
    try {
      await submit(Object.fromEntries(new FormData(form)));
    } catch (failure) {
      if (!(failure instanceof Failure)) throw failure;
      if (!refused(failure)) showFailure(form, failure);
    } finally {
      busy = false;
      button.removeAttribute("aria-disabled");
    }
  });
}
