// Bundles the scenarios for a page: node scripts/browser.mjs FOLDER
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

await build({
  entryPoints: [path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), "test", "browser.mjs")],
  outdir: process.argv[2],
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "browser",
  target: "es2022",
  define: { "process.env.NODE_ENV": '"development"' },
});
