/** A schema with each kind of field, for unit tests. */
export const schema = {
  type: "object",
  title: "Books",
  required: ["title", "author"],
  additionalProperties: false,
  properties: {
    title: { type: "string", minLength: 1, description: "On the cover" },
    author: { type: "string", "x-ref": { collection: "people", onDelete: "cascade" } },
    state: { type: ["string", "null"], enum: ["new", "old", null] },
    tags: { type: "array", items: { type: "string", "x-ref": "tags" }, maxItems: 9 },
    at: { type: ["string", "null"], "x-bson": "date" },
    size: { type: "object", required: ["w"], properties: { w: { type: "number", minimum: 9223372036854775807n } } },
    parts: { type: "array", items: { type: "object", properties: { "a.b": { type: "integer" } } } },
    free: true,
  },
};
