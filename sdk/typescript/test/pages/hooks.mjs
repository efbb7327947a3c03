// The hooks in a real page, in strict mode.
import { createElement as h, StrictMode, useState } from "react";
import { createRoot, hydrateRoot } from "react-dom/client";
import { renderToString } from "react-dom/server.browser";
import {
  ManybaseProvider,
  QueryCache,
  queryOptions,
  useAuth,
  useClient,
  useLive,
  useQuery,
  useUpload,
} from "manybase/react";
import { check, equal, password, sleep, until, unique } from "../context.mjs";

function counting(path) {
  const counted = { requests: 0 };
  counted.fetch = (url, init) => {
    if (String(url).includes(path)) ++counted.requests;
    return fetch(url, init);
  };
  return counted;
}

function mount(t, client, child, cache) {
  const place = document.body.appendChild(document.createElement("div"));
  const root = createRoot(place);
  t.onEnd(() => (root.unmount(), place.remove()));
  root.render(h(StrictMode, null, h(ManybaseProvider, { client, cache }, child)));
  return place;
}

function Titles({ documents, state }) {
  return h("p", { "data-state": state }, documents.map((one) => one.title).join(","));
}

export async function a_live_list(t) {
  const key = t.key();
  const name = await t.collection();
  await key.collection(name).create({ title: "a" });
  let list;
  const App = () => {
    const state = useLive(
      useClient()
        .collection(name)
        .query({ sort: { title: 1 }, limit: 3 }),
    );
    list = state.list;
    return h(Titles, { documents: state.documents, state: state.status });
  };
  const place = mount(t, key, h(App));
  await until(
    () => place.querySelector("p[data-state=live]")?.textContent === "a",
    () => place.innerHTML,
  );
  await key.collection(name).create({ title: "c" });
  await until(
    () => place.textContent === "a,c",
    () => place.innerHTML,
  );
  const creating = list.create({ title: "b" });
  await until(
    () => place.textContent === "a,b,c",
    () => place.innerHTML,
  );
  await creating;
}

export async function a_query_is_read_once_for_all_components(t) {
  const counted = counting("/query");
  const key = t.key({ fetch: counted.fetch });
  const name = await t.collection();
  await key.collection(name).create({ title: "a" });
  let reload;
  let choose;
  const List = () => {
    const [limit, setLimit] = useState(5);
    choose = setLimit;
    const query = useQuery(
      useClient()
        .collection(name)
        .query({ sort: { title: 1 }, limit }),
    );
    reload = query.reload;
    return h(Titles, { documents: query.documents, state: String(query.loading) });
  };
  const place = mount(t, key, [h(List, { key: 1 }), h(List, { key: 2 })]);
  await until(
    () => place.textContent === "aa",
    () => place.innerHTML,
  );
  equal(counted.requests, 1);
  await key.collection(name).create({ title: "b" });
  await reload();
  await until(
    () => place.textContent === "a,ba,b",
    () => place.innerHTML,
  );
  equal(counted.requests, 2);
  choose(1);
  await until(
    () => place.textContent === "a,ba",
    () => place.innerHTML,
  );
}

export async function server_rendering_without_a_second_request(t) {
  const counted = counting("/query");
  const key = t.key({ fetch: counted.fetch });
  const name = await t.collection();
  await key.collection(name).create({ title: "rendered" });
  const App = () => {
    const query = useQuery(
      useClient()
        .collection(name)
        .query({ sort: { title: 1 } }),
    );
    return h(Titles, { documents: query.documents, state: String(query.loading) });
  };
  const server = new QueryCache();
  await server.prefetch(key.collection(name).query({ sort: { title: 1 } }));
  const html = renderToString(h(ManybaseProvider, { client: key, cache: server }, h(App)));
  check(html.includes("rendered"), html);
  const place = document.body.appendChild(document.createElement("div"));
  place.innerHTML = html;
  const cache = new QueryCache(JSON.parse(JSON.stringify(server.dehydrate())));
  const problems = [];
  const root = hydrateRoot(place, h(ManybaseProvider, { client: key, cache }, h(App)), {
    onRecoverableError: (error) => problems.push(String(error)),
  });
  t.onEnd(() => (root.unmount(), place.remove()));
  await sleep(200);
  equal([place.textContent, counted.requests, problems], ["rendered", 1, []]);
}

export async function a_user_who_signs_in_and_out(t) {
  const name = await t.collection({ list: { filter: { ownerId: "$auth.uid" } }, create: {} });
  const client = t.client();
  const App = () => {
    const { user, ready } = useAuth();
    const query = useQuery(user ? useClientQuery(name) : null);
    return h("p", null, ready ? `${user?.email ?? "nobody"}:${query.documents.map((one) => one.title)}` : "…");
  };
  const useClientQuery = (collection) => client.collection(collection).query();
  const place = mount(t, client, h(App));
  await until(
    () => place.textContent === "nobody:",
    () => place.innerHTML,
  );
  for (const title of ["first", "second"]) {
    const email = `${unique("user")}@example.com`;
    await client.auth.register({ email, password });
    await client.auth.login({ email, password });
    await until(
      () => place.textContent === `${email}:`,
      () => place.innerHTML,
    );
    await client.collection(name).create({ title });
    await client.auth.logout();
    await until(
      () => place.textContent === "nobody:",
      () => place.innerHTML,
    );
    await client.auth.login({ email, password });
    await until(
      () => place.textContent === `${email}:${title}`,
      () => place.innerHTML,
    );
  }
}

export async function an_upload(t) {
  const user = await t.user();
  const bucket = await t.bucket();
  let hook;
  const App = () => {
    hook = useUpload(bucket);
    return h("p", null, `${hook.status} ${hook.sent}/${hook.total} ${hook.file?.path ?? ""}${hook.error?.code ?? ""}`);
  };
  const place = mount(t, user, h(App));
  await until(
    () => place.textContent === "idle 0/0 ",
    () => place.innerHTML,
  );
  const file = await hook.upload("a.bin", new Uint8Array(700_000));
  equal(file.size, 700_000);
  await until(
    () => place.textContent === "done 700000/700000 a.bin",
    () => place.innerHTML,
  );
  await hook.upload("../wrong", "x");
  await until(
    () => place.textContent === "failed 0/1 INVALID_PARAM",
    () => place.innerHTML,
  );
}

export async function options_for_tanstack_query(t) {
  const books = t.key().collection(await t.collection());
  await books.create({ title: "a" });
  const { queryKey, queryFn } = queryOptions(books.query({ limit: 3 }));
  equal(queryKey, ["manybase", books.name, { limit: 3 }]);
  equal((await queryFn({})).documents[0].title, "a");
}
