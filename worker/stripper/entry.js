// The types of TypeScript, taken out of a module: sucrase, with nothing else of it in use.
import { transform } from "sucrase";
import { furthestError } from "./errors.js";

// (source) to {code, map}, or {problem, line, column} with both from 1.
globalThis.stripTypes = (source) => {
  const furthest = furthestError();
  try {
    const { code, sourceMap } = transform(source, {
      transforms: ["typescript"],
      disableESTransforms: true,
      // What is imported and is no type stays, so that it is seen and refused.
      keepUnusedImports: true,
      filePath: "code.ts",
      sourceMapOptions: { compiledFilename: "code.js" },
    });
    return { code, map: JSON.stringify(sourceMap) };
  } catch (error) {
    if (error.pos === undefined && error.found === undefined) return { problem: String(error.message), line: 0, column: 0 };
    const { message, at } = error.found ?? furthest();
    const before = source.slice(0, at);
    return { problem: message, line: before.split("\n").length, column: before.length - before.lastIndexOf("\n") };
  }
};
