// Limits of what a browser loads, in KB (1000 bytes) of gzip. A build above one fails.
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const limits = {
  "first page, scripts and styles": 225,
  "first page, scripts": 215,
  "largest later chunk": 45,
  editor: 135,
  "canvas of flows": 65,
  "fonts, latin": 56,
  "all embedded files": 1400,
};

// Scripts and styles that index.html loads, with what they import without a condition.
function initial(dist) {
  const found = new Set();
  const visit = (name) => {
    if (found.has(name)) return;
    found.add(name);
    const text = readFileSync(join(dist, "assets", name), "utf8");
    if (!name.endsWith(".js")) return;
    for (const [, other] of text.matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/g)) visit(other);
  };
  const html = readFileSync(join(dist, "index.html"), "utf8");
  for (const [, name] of html.matchAll(/"\.\/assets\/([\w.-]+\.(?:js|css))"/g)) visit(name);
  return found;
}

export function checkSizes(dist) {
  const assets = join(dist, "assets");
  const size = (name) => statSync(join(assets, `${name}.gz`)).size;
  const names = readdirSync(assets).filter((name) => !name.endsWith(".gz"));
  const sum = (list) => list.reduce((total, name) => total + size(name), 0);
  const first = [...initial(dist)];
  const later = names.filter((name) => name.endsWith(".js") && !first.includes(name));
  const isEditor = (name) => /^(code-mirror|editor)-/.test(name);
  const isCanvas = (name) => name.startsWith("canvas-");
  const measured = {
    "first page, scripts and styles": sum(first),
    "first page, scripts": sum(first.filter((name) => name.endsWith(".js"))),
    "largest later chunk": Math.max(0, ...later.filter((name) => !isEditor(name) && !isCanvas(name)).map(size)),
    editor: sum(later.filter(isEditor)),
    "canvas of flows": sum(later.filter(isCanvas)),
    "fonts, latin": sum(names.filter((name) => /latin-wght.*\.woff2$/.test(name))),
    "all embedded files": sum(names) + statSync(join(dist, "index.html")).size,
  };
  let exceeded = false;
  for (const [name, limit] of Object.entries(limits)) {
    const above = measured[name] > limit * 1000;
    exceeded ||= above;
    console.log(`${name.padEnd(32)} ${(measured[name] / 1000).toFixed(1).padStart(8)} KB of ${limit}${above ? "  TOO LARGE" : ""}`);
  }
  if (exceeded) {
    for (const name of names.sort((a, b) => size(b) - size(a)).slice(0, 12)) console.log(`  ${name} ${size(name)}`);
    process.exit(1);
  }
}
