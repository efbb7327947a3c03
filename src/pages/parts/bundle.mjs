// Makes what the pages load of others: swagger-ui and graphiql as a script and a style sheet each, and the terms of all that
// is in them. Each file stands in out/ as it is, and compressed beside that.
import { build } from "esbuild";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const modules = "node_modules/";
const terms = /^(licen[cs]e|notice)|^swagger-ui-es-bundle\.js\.LICENSE\.txt$/i;

const fitting = {
  name: "fitting",
  setup(bundle) {
    bundle.onResolve({ filter: /\/singleton$/ }, ({ importer }) =>
      importer.includes("react-style-singleton")
        ? { path: fileURLToPath(new URL("style_singleton.js", import.meta.url)) }
        : undefined,
    );
    // The system's fonts do: GraphiQL's own would be most of its sheet.
    bundle.onLoad({ filter: /\.css$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replaceAll(/@font-face\s*\{[^}]*\}/g, ""),
      loader: "css",
    }));
  },
};

// The folder of the package that a file belongs to, the innermost where they nest; "" for files of our own.
function packageOf(path) {
  const at = path.lastIndexOf(modules);
  if (at < 0) return "";
  const parts = path.slice(at + modules.length).split("/");
  return path.slice(0, at + modules.length) + parts.slice(0, parts[0].startsWith("@") ? 2 : 1).join("/");
}

function termsOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  const files = readdirSync(folder).filter((file) => terms.test(file));
  const texts = files.sort().map((file) => readFileSync(`${folder}/${file}`, "utf8").trim());
  return [`${name} ${version}: ${license}`, ...texts].join("\n\n");
}

const { metafile } = await build({
  entryPoints: ["graphiql.js", "swagger-ui.js"],
  bundle: true,
  format: "esm",
  minify: true,
  define: { "process.env.NODE_ENV": '"production"' },
  legalComments: "none",
  metafile: true,
  outdir: "out",
  plugins: [fitting],
});
const packages = [...new Set(Object.keys(metafile.inputs).map(packageOf))].filter(Boolean).sort();
writeFileSync("out/licenses.txt", packages.map(termsOf).join(`\n\n${"-".repeat(100)}\n\n`) + "\n");
for (const file of readdirSync("out")) {
  writeFileSync(`out/${file}.gz`, gzipSync(readFileSync(`out/${file}`), { level: 9 }));
}
