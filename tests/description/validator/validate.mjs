// Reads an OpenAPI document from standard input and prints the errors that the validator finds, as JSON: [] if it is valid.
import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";

const found = await new Validator().validate(JSON.parse(readFileSync(0, "utf8")));
const errors = found.valid ? [] : found.errors;
console.log(JSON.stringify(typeof errors === "string" ? [errors] : errors));
