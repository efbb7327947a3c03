// An error page. If a provider redirected here with a reason, the text of that reason replaces the page's own.
import { takeFragment } from "./page.js";
import { reasonWords } from "./words.js";

const { mb_error: reason } = takeFragment();
if (reason) {
  document.querySelector("h1").textContent = "Signing in did not work";
  document.getElementById("problem-text").textContent = reasonWords(reason);
}
