// Makes stripper.js of entry.js and the packages beside it.
import { build } from "esbuild";
import { fileURLToPath } from "node:url";

const ownSourceMap = {
  name: "own-source-map",
  setup(bundle) {
    bundle.onResolve({ filter: /\/computeSourceMap$/ }, () => ({
      path: fileURLToPath(new URL("source_map.js", import.meta.url)),
    }));
  },
};

await build({
  entryPoints: ["entry.js"],
  bundle: true,
  format: "iife",
  minify: true,
  platform: "neutral",
  mainFields: ["module", "main"],
  outfile: "stripper.js",
  plugins: [ownSourceMap],
});
