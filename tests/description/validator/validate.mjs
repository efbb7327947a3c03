// Reads a description from standard input and prints the errors that the validator finds, as JSON: [] for none.
import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";

const found = await new Validator().validate(JSON.parse(readFileSync(0, "utf8")));
const errors = found.valid ? [] : found.errors;
console.log(JSON.stringify(typeof errors === "string" ? [errors] : errors));
