// Compiles components of Vue and Svelte: node scripts/components.mjs FILE.vue|FILE.svelte ... Next to each it writes the
// TypeScript of its script, for the compiler of types. Exits with 1 at an error or a warning.
import { readFileSync, writeFileSync } from "node:fs";
import { compileScript, compileTemplate, parse } from "@vue/compiler-sfc";
import { compile, parse as parseSvelte } from "svelte/compiler";

let problems = 0;
const report = (file, problem) => {
  ++problems;
  console.log(`${file}: ${problem.message ?? problem}`);
};

function vue(file, source) {
  const { descriptor, errors } = parse(source, { filename: file });
  for (const each of errors) report(file, each);
  const script = compileScript(descriptor, { id: "guide" });
  const { bindings } = script;
  const options = { source: descriptor.template.content, filename: file, id: "guide" };
  const template = compileTemplate({ ...options, compilerOptions: { bindingMetadata: bindings } });
  for (const each of [...template.errors, ...template.tips]) report(file, each);
  // A name in the template that the script does not have would be one of the component's instance.
  for (const [, name] of template.code.matchAll(/_ctx\.(\w+)/g)) report(file, `the template uses ${name}, which is not there`);
  return descriptor.scriptSetup.content;
}

function svelte(file, source) {
  const { warnings } = compile(source, { filename: file, generate: "client" });
  for (const each of warnings) report(file, each);
  const { content } = parseSvelte(source, { modern: true }).instance;
  return source.slice(content.start, content.end);
}

for (const file of process.argv.slice(2)) {
  const source = readFileSync(file, "utf8");
  try {
    const script = file.endsWith(".vue") ? vue(file, source) : svelte(file, source);
    writeFileSync(`${file}.ts`, script);
  } catch (error) {
    report(file, error);
  }
}
process.exit(problems ? 1 : 0);
