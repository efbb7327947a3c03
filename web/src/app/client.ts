// The data plane of a project, as the person who is signed in: what an app has and the admin plane has not.
import { createClient, type Bucket, type Client, type KeyValueStorage } from "manybase";
import { loggedFetch } from "../lib/call-log";
import { exactJson } from "../lib/json";
import { serverUrl } from "../lib/server";
import { noteRefusal, tokensOf } from "./queries";

/** The addresses of unfinished uploads: they continue after this page was loaded again. Nothing else is kept. */
const uploadAddresses: KeyValueStorage = {
  get: (key) => (key.startsWith("manybase:upload:") ? sessionStorage.getItem(key) : null),
  set: (key, value) => (value === null ? sessionStorage.removeItem(key) : sessionStorage.setItem(key, value)),
};

/** Sends requests with the person's token of the project, which is renewed where the server refuses it. */
function authorizedFetch(projectId: string): typeof fetch {
  const tokens = tokensOf(projectId);
  return async (input, init) => {
    const send = (token: string) => {
      const headers = new Headers(init?.headers);
      headers.set("authorization", `Bearer ${token}`);
      return loggedFetch(input, { ...init, headers });
    };
    const token = await tokens();
    let response = await send(token);
    if (response.status === 401) response = await send(await tokens(token));
    noteRefusal(projectId, response);
    return response;
  };
}

const clients = new Map<string, Client>();

/** The client of a project. Policies hold for it as for apps. */
export function clientOf(projectId: string): Client {
  let client = clients.get(projectId);
  if (!client) {
    client = createClient({
      url: serverUrl,
      project: projectId,
      storage: uploadAddresses,
      fetch: authorizedFetch(projectId),
      json: exactJson,
    });
    clients.set(projectId, client);
  }
  return client;
}

/** The files of a bucket. */
export const filesOf = (projectId: string, bucket: string): Bucket => clientOf(projectId).files(bucket);
