import { expect, test } from "vitest";
import { inferSchema } from "./schema";

test("a schema of a sample", () => {
  const sample = { title: "Fjords", stars: 5, price: 1.5, sold: true, by: null, at: { city: "Bergen" }, tags: ["a"], mixed: [1, "a"], parts: [{ a: 1 }], none: [] };
  expect(inferSchema(sample)).toEqual({
    type: "object",
    properties: {
      title: { type: "string" },
      stars: { type: "integer" },
      price: { type: "number" },
      sold: { type: "boolean" },
      by: {},
      at: { type: "object", properties: { city: { type: "string" } } },
      tags: { type: "array", items: { type: "string" } },
      mixed: { type: "array" },
      parts: { type: "array" },
      none: { type: "array" },
    },
  });
  expect(inferSchema({ large: 9_007_199_254_740_993n })["properties"]).toEqual({ large: { type: "integer" } });
});
