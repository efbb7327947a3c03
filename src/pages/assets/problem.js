// A page that could not be made. Where a provider sent somebody here with a reason, that is the better text.
import { takeFragment } from "./page.js";
import { reasonWords } from "./words.js";

const { mb_error: reason } = takeFragment();
if (reason) {
  document.querySelector("h1").textContent = "Signing in did not work";
  document.getElementById("problem-text").textContent = reasonWords(reason);
}
