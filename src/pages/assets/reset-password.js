// /reset-password: a new password for the token of a mail.
import { post } from "./api.js";
import { onSubmit } from "./forms.js";
import { show, takeQuery } from "./page.js";
import { isAboutTheLink } from "./words.js";

const token = takeQuery("token");

onSubmit(
  document.querySelector("#choose form"),
  async ({ password }) => {
    await post("/password-reset", { token, password });
    show("done");
  },
  (failure) => {
    if (!isAboutTheLink(failure)) return false;
    show("unusable");
    return true;
  },
);

show(token ? "choose" : "unusable", true);
