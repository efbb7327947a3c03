import { expect, test } from "vitest";
import { exampleOf } from "./example";
import { actions, graphqlOf, requestOf, typescriptOf } from "./snippets";

const schema = {
  type: "object",
  required: ["title", "author", "tags"],
  properties: {
    id: { type: "string" },
    "not-graphql": { type: "boolean" },
    title: { type: "string" },
    author: { type: "string", "x-ref": "people" },
    tags: { type: "array", items: { type: "string" } },
    stars: { type: ["integer", "null"], minimum: 3 },
    mail: { type: "string", format: "email" },
    place: { type: "object", properties: {} },
    any: {},
  },
};
const books = exampleOf(schema);
const plain = exampleOf(null);

test("an example has what the schema requires, then other plain fields", () => {
  expect(books.document).toEqual({ title: "text", author: "text", tags: [], "not-graphql": true });
  expect(books.plain).toEqual(["title", "not-graphql"]);
  expect(exampleOf({ properties: { state: { enum: ["open", "done"], type: "string" }, n: { type: "number", default: 0.5 } } })).toEqual({
    document: { state: "open", n: 0.5 },
    plain: ["state", "n"],
  });
  expect(exampleOf({ properties: { at: { type: "string", "x-bson": "date" }, stars: schema.properties.stars, mail: schema.properties.mail } }).document).toEqual({
    at: "2026-01-10T12:00:00.000Z",
    stars: 3,
    mail: "ada@example.com",
  });
  expect(exampleOf({}).document).toEqual(plain.document);
  expect(exampleOf({ properties: { place: schema.properties.place } })).toEqual({ document: {}, plain: [] });
});

test("requests", () => {
  expect(actions.map((action) => requestOf(action, "my books", plain))).toEqual([
    { method: "GET", path: "/my%20books?limit=20&filter=%7B%22title%22%3A%22Fjords%22%7D" },
    { method: "GET", path: "/my%20books/some-id" },
    { method: "POST", path: "/my%20books", body: { title: "Fjords", stars: 4 } },
    { method: "PATCH", path: "/my%20books/some-id", body: { $set: { title: "Fjords" } } },
    { method: "DELETE", path: "/my%20books/some-id" },
  ]);
  expect(requestOf("list", "books", { document: {}, plain: [] }).path).toBe("/books?limit=20");
});

test("TypeScript", () => {
  expect(typescriptOf("list", "books", plain)).toBe('const documents = await mb.collection("books").list({ filter: {"title": "Fjords"}, limit: 20 });');
  expect(typescriptOf("update", 'b"s', plain)).toBe('await mb.collection("b\\"s").update("some-id", { $set: {"title": "Fjords"} });');
});

test("GraphQL", () => {
  const one = (action: (typeof actions)[number], example = books, hasSchema = true) =>
    graphqlOf(action, "old-books", example, hasSchema).replace(/\s+/g, " ");
  expect(one("list")).toBe('query { old_books(filter: {title: "text"}, limit: 20) { id title } }');
  expect(one("get")).toBe('query { old_booksById(id: "some-id") { id title } }');
  expect(one("create")).toBe('mutation { createOld_books(input: {title: "text", author: "text", tags: []}) { id title } }');
  expect(one("remove")).toBe('mutation { deleteOld_books(id: "some-id") }');
  expect(one("update", plain, false)).toBe('mutation { updateOld_books(id: "some-id", patch: {data: {title: "Fjords"}}) { id data } }');
  expect(one("list", { document: {}, plain: [] })).toBe("query { old_books(limit: 20) { id } }");
});
