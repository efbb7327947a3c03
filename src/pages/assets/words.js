// Texts of failures for people.

const failures = {
  UNREACHABLE: "The server cannot be reached. Check your connection and try again.",
  INVALID_CREDENTIALS: "The address or the password is not right.",
  USER_BLOCKED: "This account is blocked. Contact the operators of the app.",
  USER_INACTIVE: "This account is not active. Contact the operators of the app.",
  EMAIL_TAKEN: "There is an account with this address already. Sign in, or choose a new password if you have forgotten it.",
  VALIDATION: "Something in the form is not right. Please check what you entered.",
  PROJECT_SUSPENDED: "This app is paused at the moment.",
  MISSING_PROJECT: "This link is incomplete: it does not say which app it belongs to.",
  NOT_FOUND: "This is not available here.",
  UNAVAILABLE: "The server is busy. Please try again in a moment.",
};

const reasons = {
  access_denied: "You stopped signing in at the provider. Nothing has changed; you can try again.",
  invalid_state: "Signing in took too long or was started in another window. Please start again.",
  provider_error: "The provider returned an invalid response. Please try again in a moment.",
  email_unverified: "The provider has not confirmed your address. Confirm it there first, or sign in with your password.",
  provider_disabled: "This way of signing in is not available.",
  user_blocked: "This account is blocked. Contact the operators of the app.",
};

export function waitWords(seconds) {
  if (seconds <= 1) return "a second";
  if (seconds < 100) return `${seconds} seconds`;
  return `${Math.ceil(seconds / 60)} minutes`;
}

// The text of a Failure.
export function failureWords(failure) {
  if (failure.code === "RATE_LIMITED") {
    return `That was too often in a short time. Please wait ${waitWords(failure.retryAfter)}, then try again.`;
  }
  const known = failures[failure.code];
  if (known) return known;
  const reference = failure.requestId ? ` If the problem persists, send this reference to the operators of the app: ${failure.requestId}` : "";
  return `Something went wrong on the server. Please try again.${reference}`;
}

// The text of a reason from #mb_error.
export function reasonWords(reason, plane) {
  if (reason === "access_denied" && plane === "control") {
    return "You stopped signing in at the provider, or your address has no invitation and registration here needs one.";
  }
  return reasons[reason] ?? "Signing in did not work. Please try again.";
}

// Whether a Failure of consuming a mailed token is about the token, rather than another part of the call.
export function isAboutTheLink({ code, details }) {
  if (details.some(({ path }) => path !== "/token")) return false;
  return ["VALIDATION", "UNAUTHENTICATED", "INVALID_CREDENTIALS", "INVALID_PARAM", "CONFLICT"].includes(code);
}
