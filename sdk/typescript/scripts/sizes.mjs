// The size of each entry: minified by esbuild, compressed by gzip, of what a page loads at first. Of the further entries
// what they add to the main one. `live` is in an app that imports it. Parts such as `socket` and `pieces` are loaded by what
// first needs them. Exits with 1 where one is larger than its budget.
//   node scripts/sizes.mjs --others FOLDER    clients of other platforms in FOLDER/node_modules too, each whole in one file
import path from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const client =
  'import { createClient, isError, safe } from "./src/index.ts"; globalThis.m = [createClient, isError, safe];';
const all = (entry) => `import * as e from "./src/${entry}.ts"; globalThis.e = e;`;
const budgets = {
  main: { budget: 7, source: client },
  live: { budget: 3, source: client + 'import { live } from "./src/index.ts"; globalThis.l = live;' },
  react: { budget: 2, source: client + 'import { live } from "./src/index.ts"; globalThis.l = live;' + all("react") },
  admin: { budget: 3, source: client + all("admin") },
  control: { budget: 2, source: client + all("control") },
};

/** A usual app's part of each: the data, sign-in, files, functions and changes. */
const others = {
  pocketbase: 'import PocketBase from "pocketbase"; globalThis.m = PocketBase;',
  "@supabase/supabase-js": 'import { createClient } from "@supabase/supabase-js"; globalThis.m = createClient;',
  convex: 'import { ConvexClient } from "convex/browser"; globalThis.m = ConvexClient;',
  appwrite:
    'import { Account, Client, Databases, Functions, Storage } from "appwrite"; ' +
    "globalThis.m = [Account, Client, Databases, Functions, Storage];",
};

/** In one file, with what is loaded later. */
async function whole(source, resolveDir) {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir, loader: "ts" },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    write: false,
  });
  return gzipSync(outputFiles[0].contents, { level: 9 }).length;
}

async function bundled(source) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: source, resolveDir: root, sourcefile: "entry.ts", loader: "ts" },
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    external: ["react"],
    outdir: path.join(root, "dist"),
    metafile: true,
    write: false,
  });
  const sizes = Object.fromEntries(
    outputFiles.map((one) => [path.relative(root, one.path), gzipSync(one.contents, { level: 9 }).length]),
  );
  const outputs = Object.entries(metafile.outputs).map(([name, output]) => [
    path.relative(root, path.resolve(name)),
    output,
  ]);
  // The entry, and what it imports before it runs.
  const first = new Set(outputs.filter(([, output]) => output.entryPoint === "entry.ts").map(([name]) => name));
  for (const name of first) {
    const { imports } = outputs.find(([each]) => each === name)[1];
    for (const one of imports)
      if (one.kind === "import-statement" && !one.external) first.add(path.relative(root, path.resolve(one.path)));
  }
  const late = {};
  for (const [name, output] of outputs) {
    if (!first.has(name) && output.entryPoint) late[path.basename(output.entryPoint, ".ts")] = sizes[name];
  }
  // Most bundlers keep in one file what is loaded at first; esbuild makes more.
  const texts = outputFiles.filter((one) => first.has(path.relative(root, one.path))).map((one) => one.contents);
  return { bytes: gzipSync(Buffer.concat(texts), { level: 9 }).length, late };
}

process.chdir(root);
const main = await bundled(client);
const live = await bundled(budgets.live.source);
const late = { ...main.late };
const sizes = {};
let within = true;
for (const [name, { budget, source }] of Object.entries(budgets)) {
  const base = name === "main" ? 0 : name === "react" ? live.bytes : main.bytes;
  const made = await bundled(source);
  const bytes = made.bytes - base;
  Object.assign(late, made.late);
  sizes[name] = { bytes, budget: budget * 1024 };
  within &&= bytes <= budget * 1024;
}
for (const [name, bytes] of Object.entries(late)) sizes[name] = { bytes, budget: 3 * 1024 };
within &&= Object.values(late).every((bytes) => bytes <= 3 * 1024);
sizes.whole = { bytes: await whole(budgets.live.source, root) };
const [option, folder] = process.argv.slice(2);
if (option === "--others") {
  for (const [name, source] of Object.entries(others)) sizes[name] = { bytes: await whole(source, path.resolve(folder)) };
}
console.log(JSON.stringify(sizes));
process.exit(within ? 0 : 1);
