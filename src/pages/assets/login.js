// /auth/login: password, second factor, registration, invitation, forgotten password; then back to the app.
import { post } from "./api.js";
import { onSubmit } from "./forms.js";
import { page, rememberRedirect, say, show, takeFragment, takeQuery } from "./page.js";
import { isAboutTheLink, reasonWords } from "./words.js";

// Views with an address of their own; the others follow from user actions.
const addressed = ["sign-in", "register", "forgot", "accept"];
const formOf = (view) => document.querySelector(`#${view} form`);
const providers = document.getElementById("providers");

let mfaToken = "";
let refreshToken = "";
const invite = takeQuery("invite"); // token from a mail; verifies the address of that mail
let registered = null; // {email, password} between registering and signing in

function go(view, first = false) {
  if (providers) providers.hidden = !["sign-in", "register"].includes(view);
  show(view, first);
}

function showAddressed(first = false) {
  const view = location.hash.slice(1);
  go(addressed.includes(view) && (view !== "accept" || invite) ? view : "sign-in", first);
}

// Passes tokens to the redirect in the same format as a provider's callback.
function finish(tokens) {
  refreshToken = tokens.refreshToken;
  if (page.redirect) location.replace(`${page.redirect}#mb_refresh=${encodeURIComponent(refreshToken)}`);
  else go("signed-in");
}

function continueSignIn(response) {
  if (!response.mfaRequired) return finish(response);
  requireSecondFactor(response.mfaToken);
}

async function signIn(email, password) {
  continueSignIn(await post("/login", { email, password }));
}

function requireSecondFactor(token) {
  mfaToken = token;
  formOf("second-factor").reset();
  go("second-factor", true);
}

function backToSignIn(text) {
  history.replaceState(null, "", location.pathname + location.search);
  go("sign-in");
  say(text);
}

function nameAddress(view, email) {
  document.querySelector(`#${view} .address`).textContent = email;
}

onSubmit(formOf("sign-in"), ({ email, password }) => signIn(email, password));

onSubmit(
  formOf("second-factor"),
  async ({ code }) => finish(await post("/mfa/verify", { mfaToken, code: code.trim() })),
  (failure) => {
    if (failure.code === "INVALID_CREDENTIALS") {
      say("This code is not right. Codes change every half minute, and each one counts once.");
      return true;
    }
    if (failure.code !== "UNAUTHENTICATED") return false;
    backToSignIn("Signing in took too long or had too many wrong codes. Please start again.");
    return true;
  },
);

document.getElementById("use-recovery").addEventListener("click", ({ currentTarget: button }) => {
  const recovery = button.getAttribute("aria-pressed") !== "true";
  const input = document.getElementById("second-factor-code");
  button.setAttribute("aria-pressed", String(recovery));
  document.querySelector("label[for=second-factor-code]").textContent = recovery
    ? "Recovery code"
    : "Code from your authenticator app";
  input.inputMode = recovery ? "text" : "numeric";
  input.autocomplete = recovery ? "off" : "one-time-code";
  input.focus();
});

onSubmit(
  formOf("register"),
  async ({ name, email, password, setupCode }) => {
    const body = { email, password };
    if (name.trim()) body.name = name;
    if (setupCode) body.setupCode = setupCode.trim();
    await post("/register", body);
    registered = { email, password };
    rememberRedirect();
    nameAddress("registered", email);
    go("registered");
  },
  (failure) => {
    // A failure of the set-up code is shown at its field.
    if (failure.code !== "FORBIDDEN" || failure.details.length) return false;
    say("Registration is by invitation only. Use the address that was invited, or ask for an invitation.");
    return true;
  },
);

onSubmit(
  formOf("accept"),
  async ({ name, password }) => {
    const body = { token: invite, password };
    if (name.trim()) body.name = name;
    continueSignIn(await post("/invites/accept", body));
  },
  (failure) => {
    if (!isAboutTheLink(failure)) return false;
    backToSignIn(
      "This invitation was used, taken back, or is older than a week. If your account is confirmed, just sign in: what you were invited to is there. Otherwise ask for a new invitation.",
    );
    return true;
  },
);

// Signs in with the password that was just registered. If it is wrong, the address had an account before.
onSubmit(
  formOf("registered"),
  () => signIn(registered.email, registered.password),
  (failure) => {
    if (failure.code !== "INVALID_CREDENTIALS") return false;
    backToSignIn("Look into your mail first: the message describes how to continue.");
    return true;
  },
);

onSubmit(formOf("forgot"), async ({ email }) => {
  await post("/password-reset/request", { email });
  rememberRedirect();
  nameAddress("forgot-sent", email);
  go("forgot-sent");
});

document.getElementById("sign-out").addEventListener("click", async () => {
  await post("/logout", { refreshToken }).catch(() => {});
  refreshToken = "";
  backToSignIn("You are signed out.");
});

// Copies an entered address to the other views.
for (const input of document.querySelectorAll("input[name=email]")) {
  input.addEventListener("input", () => {
    for (const other of document.querySelectorAll("input[name=email]")) other.value = input.value;
  });
}

// A click on a link to the current address does not change the fragment.
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href^='#']");
  if (link && link.hash === location.hash) showAddressed();
});
addEventListener("hashchange", () => showAddressed());

const arrived = takeFragment();
if (invite && !location.hash) history.replaceState(null, "", "#accept");
if (arrived.mb_mfa) {
  requireSecondFactor(arrived.mb_mfa);
} else if (arrived.mb_refresh) {
  refreshToken = arrived.mb_refresh;
  go("signed-in");
} else {
  showAddressed(true);
  if (arrived.mb_error) say(reasonWords(arrived.mb_error, page.plane));
}
