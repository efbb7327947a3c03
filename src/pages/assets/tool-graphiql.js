// /graphiql: GraphiQL for the project that the address or the token names.
import { mount } from "./graphiql.js";
import { call, hasToken, onToken, page, showMessage } from "./tool.js";

const path = "/api/v1/graphql";
const prefix = `mb.graphiql ${page.root} ${page.project} `;
const welcome = `# Queries and changes of your collections. The schema's documentation opens at the left,
# Ctrl-Space completes, Ctrl-Enter runs.
{
  __typename
}
`;

// Stores tabs, queries and history per project in the browser's storage. Values that the storage refuses are dropped.
const storage = {
  get length() {
    return names().length;
  },
  getItem: (name) => attempt(() => localStorage.getItem(prefix + name)),
  setItem: (name, value) => localStorage.setItem(prefix + name, value),
  removeItem: (name) => attempt(() => localStorage.removeItem(prefix + name)),
  clear: () => names().forEach((name) => localStorage.removeItem(name)),
};

function attempt(action) {
  try {
    return action();
  } catch {
    return null;
  }
}

function names() {
  return attempt(() => Object.keys(localStorage).filter((name) => name.startsWith(prefix))) ?? [];
}

async function fetcher({ query, variables, operationName }) {
  const response = await call("POST", path, { query, variables, operationName });
  return response.body ?? { errors: [{ message: `The server responded with ${response.status}.` }] };
}

const show = mount(document.getElementById("tool"), { storage, defaultQuery: welcome });
let generation = 0;

onToken(() => {
  const introspects = hasToken();
  show({ generation: ++generation, fetcher, introspects });
  showMessage(introspects ? "" : "Queries need a token: of an end user, of a member, or an API key.");
});
