// What compiles and what does not. tsc fails where an expected error is missing.
import { createClient, isError, live, safe, type Filter, type LiveList, type Page, type User } from "manybase";
import type { Books, People, Schema, UserProfile } from "./schema.js";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const is = <T extends true>(_: T | undefined = undefined) => {};

const mb = createClient<Schema & { metadata: { plan?: "free" | "pro" } }>({ url: "", project: "" });
const books = mb.collection("books");

export async function names() {
  mb.collection("people");
  // @ts-expect-error an unknown collection
  mb.collection("boks");
  // @ts-expect-error an unknown option
  createClient({ url: "", projekt: "" });
}

export async function reading() {
  is<Same<Awaited<ReturnType<typeof books.list>>[number]["title"], string>>();
  const book = await books.get("x");
  const title: string = book.title;
  const author: string | undefined = book.author;
  // @ts-expect-error an unknown field
  book.titel;
  // @ts-expect-error not there in every document
  const stars: number = book.stars;
  // @ts-expect-error the server's
  book.id = "y";
  return [title, author, stars];
}

export async function creating() {
  await books.create({ title: "Fjords" });
  await books.create({ id: "mine", title: "Fjords", state: "public", place: { city: "Oslo" } });
  // @ts-expect-error a required field is missing
  await books.create({ stars: 3 });
  // @ts-expect-error an unknown field
  await books.create({ title: "Fjords", stras: 3 });
  // @ts-expect-error a wrong type
  await books.create({ title: 7 });
  // @ts-expect-error not one of the values
  await books.create({ title: "x", state: "hidden" });
  // @ts-expect-error the server's
  await books.create({ title: "x", createdAt: "now" });
  // @ts-expect-error a wrong type below
  await books.create({ title: "x", place: { city: 7 } });
  await mb.collection("log").create({ anything: 1 });
}

export async function filters() {
  await books.list({ filter: { title: "x", stars: { $gte: 3, $lt: 5 }, state: { $in: ["draft"] } } });
  await books.list({ filter: { "place.city": "Oslo", "parts.pages": { $gt: 100 }, "more.any.thing": 1 } });
  await books.list({ filter: { tags: "north", readers: { $all: ["a", "b"], $size: 2 } } });
  await books.list({ filter: { parts: { $elemMatch: { pages: { $gt: 7 } } } } });
  await books.list({ filter: { $or: [{ stars: 3 }, { $nor: [{ title: { $regex: "^F", $options: "i" } }] }] } });
  await books.list({
    filter: { createdAt: { $gt: new Date() }, author: null, stars: { $exists: false, $type: "int", $mod: [2, 0] } },
  });
  await books.list({ filter: { stars: { $not: { $gt: 3 } } } });
  // @ts-expect-error an unknown field
  await books.list({ filter: { titel: "x" } });
  // @ts-expect-error a wrong type
  await books.list({ filter: { stars: "3" } });
  // @ts-expect-error an unknown operator
  await books.list({ filter: { stars: { $gtt: 3 } } });
  // @ts-expect-error an operator with a wrong type
  await books.list({ filter: { stars: { $gte: "3" } } });
  // @ts-expect-error not one of the values
  await books.list({ filter: { state: { $in: ["hidden"] } } });
  // @ts-expect-error $regex is for text
  await books.list({ filter: { stars: { $regex: "^3" } } });
  // @ts-expect-error $size is for arrays
  await books.list({ filter: { title: { $size: 3 } } });
  // @ts-expect-error $mod is for numbers
  await books.list({ filter: { title: { $mod: [2, 0] } } });
  // @ts-expect-error an unknown path
  await books.list({ filter: { "place.town": "Oslo" } });
  // @ts-expect-error a wrong type at a path
  await books.list({ filter: { "place.city": 7 } });
  // @ts-expect-error a wrong type below $or
  await books.list({ filter: { $or: [{ stars: "3" }] } });
  // @ts-expect-error not an operator at the top
  await books.list({ filter: { $where: "1" } });
  // @ts-expect-error an unknown field of elements
  await books.list({ filter: { parts: { $elemMatch: { page: 7 } } } });
  const filter: Filter<Books> = { stars: { $gte: 3 } };
  await books.count(filter);
  // @ts-expect-error an unknown field
  await books.count({ titel: "x" });
}

export async function updates() {
  await books.update("x", { title: "Fjells", "place.city": "Bergen" });
  await books.update("x", { $set: { title: "y" }, $inc: { stars: 1 }, $unset: { author: true } });
  await books.update("x", { $push: { tags: "a", parts: { $each: [{ pages: 3 }], $slice: -5 } }, $pull: { tags: "b" } });
  await books.update("x", { $addToSet: { tags: { $each: ["a"] } }, $min: { stars: 1 }, $pop: { tags: 1 } });
  const after = await books.update("x", { title: "y" }, { returning: true });
  const title: string | undefined = after?.title;
  const nothing: void = await books.update("x", { title: "y" });
  // @ts-expect-error an unknown field
  await books.update("x", { titel: "y" });
  // @ts-expect-error a wrong type
  await books.update("x", { stars: "3" });
  // @ts-expect-error the server's
  await books.update("x", { updatedAt: "now" });
  // @ts-expect-error an unknown operator
  await books.update("x", { $add: { stars: 1 } });
  // @ts-expect-error fields and operators
  await books.update("x", { title: "y", $inc: { stars: 1 } });
  // @ts-expect-error $inc is for numbers
  await books.update("x", { $inc: { title: 1 } });
  // @ts-expect-error $push is for arrays
  await books.update("x", { $push: { title: "a" } });
  // @ts-expect-error a wrong type of element
  await books.update("x", { $push: { tags: 7 } });
  // @ts-expect-error a wrong type at a path
  await books.update("x", { $set: { "place.city": 7 } });
  // @ts-expect-error a required field is missing
  await books.replace("x", { stars: 3 });
  return [title, nothing];
}

export async function expanding() {
  const book = await books.get("x", { expand: ["author", "readers", "keeper"] });
  is<Same<typeof book.author, string | People | undefined>>();
  is<Same<typeof book.readers, (string | People)[] | undefined>>();
  is<Same<typeof book.keeper, string | UserProfile | undefined>>();
  is<Same<typeof book.title, string>>();
  const [first] = await books.list({ expand: ["author"] });
  const writer = first!.author;
  if (typeof writer === "object") is<Same<typeof writer.name, string>>();
  await books.list({ expand: ["parts.by"] });
  // @ts-expect-error not a reference
  await books.get("x", { expand: ["title"] });
  // @ts-expect-error an unknown reference
  await books.list({ expand: ["writer"] });
  // @ts-expect-error a collection without references
  await mb.collection("people").get("x", { expand: ["name"] });
}

export async function queries() {
  const page: Page<Books> = await books.query({
    filter: { stars: 3 },
    sort: { stars: -1, title: 1 },
    limit: 5,
    total: true,
  });
  await books.query({ sort: [{ "place.city": 1 }, { title: -1 }] });
  const chosen = await books.query({ fields: ["title", "place.city"] });
  is<Same<keyof (typeof chosen.documents)[number], "id" | "title" | "place">>();
  const both = await books.query({ fields: ["author"], expand: ["author"] });
  is<Same<(typeof both.documents)[number]["author"], string | People | undefined>>();
  for await (const book of books.query({ sort: { title: 1 } })) is<Same<typeof book.title, string>>();
  // @ts-expect-error an unknown field
  await books.query({ sort: { titel: 1 } });
  // @ts-expect-error not an order
  await books.query({ sort: { title: "up" } });
  // @ts-expect-error an unknown field
  await books.query({ fields: ["titel"] });
  // @ts-expect-error not chosen
  chosen.documents[0]!.stars;
  // @ts-expect-error an unknown field
  await books.query({ filter: { titel: "x" } });
  // @ts-expect-error not a reference
  await books.query({ expand: ["title"] });
  return page;
}

export async function following() {
  books.subscribe(
    (change) => {
      if (change.type === "delete" || change.type === "leave") is<Same<typeof change.document, undefined>>();
      else is<Same<typeof change.document, Books>>();
    },
    { events: ["insert", "delete"], filter: { stars: 3 }, fields: ["title"], leave: true },
  );
  books.subscribe(() => {}, { events: "*" });
  // @ts-expect-error an unknown event
  books.subscribe(() => {}, { events: ["remove"] });
  // @ts-expect-error an unknown field
  books.subscribe(() => {}, { filter: { titel: "x" } });
  // @ts-expect-error an unknown field
  books.subscribe(() => {}, { fields: ["titel"] });
  const list: LiveList<Books> = live(books.query({ sort: { title: 1 } }));
  const title: string | undefined = list.state.documents[0]?.title;
  // @ts-expect-error an unknown field
  list.state.documents[0]?.titel;
  return title;
}

export async function routes() {
  await mb.run("POST", "/checkout", { body: {} });
  await mb.run("GET", "/orders/7");
  // @ts-expect-error another method
  await mb.run("GET", "/checkout");
  // @ts-expect-error an unknown route
  await mb.run("POST", "/chekout");
  // @ts-expect-error no function serves the method
  await mb.run("DELETE", "/orders/7");
}

export async function auth() {
  const got = await mb.auth.login({ email: "", password: "" });
  if (got.mfa) await got.mfa.verify("000000");
  else is<Same<typeof got.user, User<{ plan?: "free" | "pro" }>>>();
  const plan: "free" | "pro" | undefined = mb.auth.user?.metadata?.plan;
  // @ts-expect-error not in the metadata
  mb.auth.user?.metadata?.plann;
  // @ts-expect-error the password is missing
  await mb.auth.login({ email: "" });
  mb.auth.onChange((_, event) => event === "revoked");
  // @ts-expect-error not an event
  mb.auth.onChange((_, event) => event === "expired");
  return plan;
}

export async function errors() {
  const { data, error } = await safe(books.list());
  // @ts-expect-error may be an error
  data.length;
  if (error) error.status.toFixed();
  else data.length;
  const caught: unknown = error;
  if (isError(caught, "CONFLICT")) is<Same<typeof caught.code & string, "CONFLICT">>();
}

export async function withoutSchema() {
  const any = createClient({ url: "", project: "" });
  const thing = await any.collection("whatever").get("x", { expand: ["a"] });
  thing["field"].deeper;
  await any.collection("whatever").list({ filter: { a: { $gt: 1 }, "b.c": "x" } });
  await any.collection("whatever").update("x", { $inc: { n: 1 } });
  await any.collection("whatever").query({ sort: { n: -1 }, fields: ["n"] });
  await any.run("POST", "/anything");
}
