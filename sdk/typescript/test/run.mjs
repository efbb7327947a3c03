// Runs scenarios in this process: node test/run.mjs [name …] <setup.json. A line of JSON for each: {name, error?}.
import { readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Context } from "./context.mjs";

const folder = path.join(path.dirname(fileURLToPath(import.meta.url)), "scenarios");
let text = "";
for await (const part of process.stdin) text += part;
const setup = JSON.parse(text);
const wanted = process.argv.slice(2);

let stray;
process.on("unhandledRejection", (error) => (stray = error));
process.on("uncaughtException", (error) => (stray = error));

for (const file of readdirSync(folder).sort()) {
  const module = await import(path.join(folder, file));
  for (const [name, scenario] of Object.entries(module)) {
    const full = `${file.replace(/\.mjs$/, "")}.${name}`;
    if (wanted.length && !wanted.some((one) => full.includes(one))) continue;
    const context = new Context(setup);
    stray = undefined;
    let error;
    const began = Date.now();
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error("the scenario took more than 120 s")), 120_000);
    });
    try {
      await Promise.race([scenario(context), late]);
    } catch (thrown) {
      error = thrown;
    }
    clearTimeout(timer);
    try {
      await context.end();
    } catch (thrown) {
      error ??= thrown;
    }
    // Rejections are reported after the turn in which they happened.
    await new Promise((resolve) => setTimeout(resolve, 5));
    error ??= stray && new Error(`not handled: ${stray.stack ?? stray}`);
    console.log(JSON.stringify({ name: full, ms: Date.now() - began, error: error && (error.stack ?? String(error)) }));
  }
}
process.exit(0);
