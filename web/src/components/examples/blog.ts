import { documentOf } from "./bundle";

export const document = documentOf(
  import.meta.glob<string>("../../../../examples/blog/manybase/**/*.{json,ts}", { query: "?raw", import: "default", eager: true }),
);
