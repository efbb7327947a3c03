// /verify-email: confirms an address by the token of a mail. Requires a click, since mail scanners open links too.
import { post } from "./api.js";
import { onSubmit } from "./forms.js";
import { show, takeQuery } from "./page.js";
import { isAboutTheLink } from "./words.js";

const token = takeQuery("token");

onSubmit(
  document.querySelector("#confirm form"),
  async () => {
    await post("/verify-email", { token });
    show("done");
  },
  (failure) => {
    if (!isAboutTheLink(failure)) return false;
    show("unusable");
    return true;
  },
);

onSubmit(document.querySelector("#unusable form"), async ({ email }) => {
  await post("/verify-email/request", { email });
  document.querySelector("#sent .address").textContent = email;
  show("sent");
});

show(token ? "confirm" : "unusable", true);
