// /examples/oauth: how an app signs users in, with the real API.
import { Failure, post } from "./api.js";
import { onSubmit } from "./forms.js";
import { page, say, show, takeFragment } from "./page.js";
import { failureWords, reasonWords } from "./words.js";

const projectKey = "mb.example.project";
const here = location.origin + location.pathname;
const input = document.getElementById("start-project");
let refreshToken = "";

// The address for signing in: the hosted page, or a provider.
function wayIn(project, way) {
  const query = new URLSearchParams({ project, redirect: here });
  if (way === "page") return `${page.root}/auth/login?${query}`;
  return `${page.root}/api/v1/auth/oauth/${encodeURIComponent(way)}/start?${query}`;
}

function claimsOf(token) {
  const part = token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/");
  return JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(part), (c) => c.charCodeAt(0))));
}

async function signedIn(token) {
  const project = sessionStorage.getItem(projectKey) ?? "";
  const response = await post("/refresh", { refreshToken: token }, project);
  refreshToken = response.refreshToken ?? token;
  const claims = claimsOf(response.accessToken);
  document.getElementById("result-project").textContent = claims.pid;
  document.getElementById("result-user").textContent = claims.sub;
  document.getElementById("result-role").textContent = claims.role;
  document.getElementById("result-expires").textContent = new Date(claims.exp * 1000).toLocaleTimeString();
  show("result");
}

onSubmit(document.querySelector("#start form"), async ({ project, way }) => {
  sessionStorage.setItem(projectKey, project.trim());
  location.assign(wayIn(project.trim(), way.trim()));
});

document.getElementById("result-sign-out").addEventListener("click", async () => {
  await post("/logout", { refreshToken }, sessionStorage.getItem(projectKey) ?? "").catch(() => {});
  show("start", true);
  say("You are signed out.");
});

const arrived = takeFragment();
input.value = new URLSearchParams(location.search).get("project") ?? sessionStorage.getItem(projectKey) ?? "";
show("start", true);
if (arrived.mb_refresh) {
  signedIn(arrived.mb_refresh).catch((failure) => say(failure instanceof Failure ? failureWords(failure) : String(failure)));
} else if (arrived.mb_mfa) {
  const project = sessionStorage.getItem(projectKey) ?? "";
  location.replace(`${wayIn(project, "page")}#mb_mfa=${encodeURIComponent(arrived.mb_mfa)}`);
} else if (arrived.mb_error) {
  say(reasonWords(arrived.mb_error));
}
