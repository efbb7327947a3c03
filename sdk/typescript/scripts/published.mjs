// Checks a packed package: node scripts/published.mjs manybase-X.tgz. Problems of its manifest by publint, of its types by
// attw, for every kind of module resolution that can load an ES module.
import { readFileSync } from "node:fs";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";

const tarball = readFileSync(process.argv[2]);
const { messages, pkg } = await publint({
  pack: { tarball: tarball.buffer.slice(tarball.byteOffset, tarball.byteOffset + tarball.byteLength) },
  strict: true,
});
const problems = messages.map((each) => formatMessage(each, pkg));
const result = await checkPackage(createPackageFromTarballData(new Uint8Array(tarball)));
for (const problem of result.problems ?? []) {
  // The package is ES modules with `exports`: node10 knows no exports, and require() of node16 has no ES modules.
  if (problem.resolutionKind === "node10" || problem.resolutionKind === "node16-cjs") continue;
  problems.push(JSON.stringify(problem));
}
if (!result.types) problems.push("the package has no types");
for (const problem of problems) console.log(problem);
process.exit(problems.length ? 1 : 0);
