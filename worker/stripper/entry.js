// The types of TypeScript, taken out of a module: sucrase, with nothing else of it in use.
import { transform } from "sucrase";

// (source) to {code, map}, or {problem, line, column} with both from 1.
globalThis.stripTypes = (source) => {
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
    const { line = 0, column = 0 } = error.loc ?? {};
    const problem = String(error.message)
      .replace(/^Error transforming code\.ts: /, "")
      .replace(/ \(\d+:\d+\)$/, "");
    return { problem, line, column };
  }
};
