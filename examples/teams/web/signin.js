// Sign-in and sign-up, with the second factor where the account has one.
import { mb } from "./backend.js";
import { button, el, field, form } from "./ui.js";

/** @param {boolean} invited whether the person has opened an invitation */
export function signInView(invited) {
  const place = el("div", { class: "card narrow" });
  const email = (value = "") =>
    field("Email", el("input", { name: "email", type: "email", autocomplete: "email", required: true, value }));
  const password = (autocomplete, hint) =>
    field("Password", el("input", { name: "password", type: "password", autocomplete, required: true }), hint);

  const put = (title, ...content) => {
    place.replaceChildren(el("h2", { tabindex: "-1" }, title), ...content);
    // At first the heading of the page has the focus.
    if (place.isConnected) place.querySelector("h2").focus();
  };

  // Once someone is signed in, app.js shows the view of the address.
  async function signIn({ email, password }) {
    const signedIn = await mb.auth.login({ email, password });
    if (signedIn.mfa) askCode(signedIn.mfa);
  }

  function askCode(mfa) {
    const code = el("input", { name: "code", autocomplete: "one-time-code", autocapitalize: "off", required: true });
    const hint = "Of your authenticator app, or one of your recovery codes.";
    put(
      "Second factor",
      form([field("Code", code, hint)], "Continue", ({ code }) => mfa.verify(code.trim())),
      back(),
    );
  }

  const back = () => el("p", {}, button("Back to sign-in", showSignIn, { class: "plain" }));

  function showSignIn() {
    put(
      "Sign in",
      form([email(), password("current-password")], "Sign in", signIn),
      el("p", {}, "No account yet? ", button("Create an account", showSignUp, { class: "plain" })),
    );
  }

  function showSignUp() {
    const name = el("input", { name: "name", autocomplete: "name", required: true, maxlength: 80 });
    const send = async (account) => {
      await mb.auth.register(account);
      await signIn(account);
    };
    const fields = [field("Name", name, "Members of your teams see it."), email(), password("new-password")];
    put("Create an account", form(fields, "Create account", send), back());
  }

  showSignIn();
  const intro = invited
    ? "You were invited to a team. Sign in or create an account to join it."
    : "Tasks of your teams, as they change.";
  return { title: "Welcome", content: [el("p", { class: "lead" }, intro), place] };
}
