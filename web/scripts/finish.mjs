// Completes dist/: gives the script of the colour scheme a name with a hash, collects licences, and compresses all that is
// served. Then compares the sizes with their limits.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { checkSizes } from "./sizes.mjs";

const dist = "dist";
const assets = join(dist, "assets");
mkdirSync(assets, { recursive: true });

function hashed(stem, ending, text) {
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 8);
  const name = `${stem}-${hash}.${ending}`;
  writeFileSync(join(assets, name), text);
  return name;
}

// Comments of licences stay out of the scripts: one file has them all.
function licences() {
  const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
  const texts = [];
  for (const [path, entry] of Object.entries(lock.packages).sort()) {
    if (!path || entry.dev || entry.optional || !existsSync(path)) continue;
    const file = readdirSync(path).find((name) => /^licen[cs]e(\.|$)/i.test(name));
    const text = file ? readFileSync(join(path, file), "utf8").trim() : `Licence: ${entry.license}`;
    texts.push(`${path.replace(/.*node_modules\//, "")} ${entry.version}\n\n${text}\n`);
  }
  return texts.join(`\n${"-".repeat(70)}\n\n`);
}

const scheme = hashed("scheme", "js", readFileSync(join(dist, "scheme.js")));
rmSync(join(dist, "scheme.js"));
hashed("licenses", "txt", licences());

const page = join(dist, "index.html");
const html = readFileSync(page, "utf8");
if (!html.includes('"./scheme.js"')) throw new Error("index.html does not load ./scheme.js");
const linked = html.replace('"./scheme.js"', `"./assets/${scheme}"`);
writeFileSync(page, linked);

for (const name of readdirSync(assets)) {
  const file = join(assets, name);
  writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }));
}
checkSizes(dist);
// The page is served at every depth, and the policy allows no <base>: the server completes its addresses.
writeFileSync(page, linked.replaceAll('"./', '"{{root}}/dashboard/'));
