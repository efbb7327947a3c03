import { ManybaseError } from "manybase";
import { expect, test } from "vitest";
import { addressOf, withAddress } from "./address";

test("an address is what was typed, where it is asked for", () => {
  expect(addressOf({ name: "Shop" })).toBeUndefined();
  expect(addressOf({ mongoUrl: " mongodb://shop.example.com/shop " })).toBe("mongodb://shop.example.com/shop");
  expect(() => addressOf({ mongoUrl: "  " })).toThrow(expect.objectContaining({ field: "mongoUrl" }));
});

test("a database that is used already is a problem of the address, no other conflict is", async () => {
  const refused = (message: string) => withAddress(Promise.reject(new ManybaseError(409, "CONFLICT", message)));
  await expect(refused("this database is used already")).rejects.toMatchObject({ field: "mongoUrl", message: "this database is used already" });
  await expect(refused("this project has an environment staging already")).rejects.toBeInstanceOf(ManybaseError);
  expect(await withAddress(Promise.resolve(5))).toBe(5);
});
