// With exactNumbers() numbers may be bigint, without it they are not.
import { createClient, exactNumbers, isError, type Exact, type JsonCodec } from "manybase";
import { createAdmin } from "manybase/admin";
import { createControl } from "manybase/control";
import { useClient } from "manybase/react";
import type { Schema } from "./schema.js";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const is = <T extends true>(_: T | undefined = undefined) => {};

const json = exactNumbers();
const exact = createClient<Schema>({ url: "", project: "", json }).collection("books");
const plain = createClient<Schema>({ url: "", project: "" }).collection("books");

export async function reading() {
  const book = await exact.get("x");
  is<Same<typeof book.stars, number | bigint | undefined>>();
  is<Same<typeof book.title, string>>();
  is<Same<typeof book.state, "draft" | "public">>();
  // @ts-expect-error it may be a bigint
  const stars: number | undefined = book.stars;
  is<Same<Awaited<ReturnType<typeof plain.get>>["stars"], number | undefined>>();
  const written = await exact.get("x", { expand: ["author"] });
  if (typeof written.author === "object") is<Same<typeof written.author.name, string>>();
  return stars;
}

export async function writing() {
  await exact.create({ title: "x", stars: 9_007_199_254_740_993n });
  await exact.update("x", { $inc: { stars: 1n }, $max: { stars: 2 ** 60 } });
  await exact.update("x", { $bit: { stars: { and: 7n } }, $set: { stars: 3 } });
  await exact.list({ filter: { stars: { $gte: 1n, $in: [1, 2n], $mod: [2n, 0] } } });
  // @ts-expect-error a field of text
  await exact.create({ title: 7n });
  // @ts-expect-error a field of text
  await exact.update("x", { $inc: { title: 1n } });
  // @ts-expect-error without the option a bigint cannot be written
  await plain.create({ title: "x", stars: 1n });
  // @ts-expect-error
  await plain.update("x", { $inc: { stars: 1n } });
  // @ts-expect-error
  await plain.list({ filter: { stars: { $gte: 1n } } });
}

export function everywhere(given: unknown) {
  const codec: JsonCodec = JSON;
  createClient<Schema>({ url: "", json: codec });
  createAdmin({ url: "", token: "", json });
  createControl({ url: "", json });
  is<Same<ReturnType<typeof useClient<Exact<Schema>>>, ReturnType<typeof createExact>>>();
  return isError(given, "NO_EXACT_NUMBERS");
}
const createExact = () => createClient<Schema>({ url: "", json });
