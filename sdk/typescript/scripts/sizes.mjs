// The size of each entry: minified by esbuild, compressed by gzip. Of the further entries what they add to the main one.
// Exits with 1 where one is larger than its budget.
import path from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const budgets = { index: 7, react: 2, admin: 3, control: 2 };

async function bundled(...entries) {
  const imports = entries.map((entry, at) => `import * as e${at} from "./src/${entry}.ts"; globalThis.e${at} = e${at};`);
  const { outputFiles } = await build({
    stdin: { contents: imports.join("\n"), resolveDir: root },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    external: ["react"],
    write: false,
  });
  return gzipSync(outputFiles[0].contents, { level: 9 }).length;
}

const main = await bundled("index");
const sizes = {};
let within = true;
for (const [entry, budget] of Object.entries(budgets)) {
  const bytes = entry === "index" ? main : (await bundled("index", entry)) - main;
  sizes[entry] = { bytes, budget: budget * 1024 };
  within &&= bytes <= budget * 1024;
}
console.log(JSON.stringify(sizes));
process.exit(within ? 0 : 1);
