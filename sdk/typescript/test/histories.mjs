// Many random histories of live lists with cut sockets: node test/histories.mjs COUNT [SEED] <setup.json
// A line of JSON at the end: {histories, cuts, failures}. A failure names its seed.
import { Context } from "./context.mjs";
import { randomHistory } from "./history.mjs";

const count = Number(process.argv[2]);
const first = Number(process.argv[3] ?? Math.floor(Math.random() * 1e9));
let text = "";
for await (const part of process.stdin) text += part;
const setup = JSON.parse(text);

const failures = [];
process.on("unhandledRejection", (error) => failures.push(`not handled: ${error?.stack ?? error}`));
const result = { histories: 0, cuts: 0, failures };
let next = 0;

async function some() {
  while (next < count && failures.length < 10) {
    const seed = first + next++;
    const context = new Context(setup);
    try {
      const proxy = await randomHistory(context, { cuts: true, seed });
      result.cuts += proxy.cuts;
    } catch (error) {
      failures.push(`seed ${seed}: ${error.stack ?? error}`);
    }
    await context.end();
    ++result.histories;
  }
}

// Several at once: most of a history is waiting.
await Promise.all(Array.from({ length: 6 }, some));
console.log(JSON.stringify(result));
process.exit(failures.length ? 1 : 0);
