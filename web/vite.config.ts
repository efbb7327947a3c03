/// <reference types="node" />
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

const sdk = (file: string) => fileURLToPath(new URL(`../sdk/typescript/src/${file}`, import.meta.url));
const server = process.env["MANYBASE_URL"] ?? "http://localhost:8090";

const editorPackages =
  /node_modules\/(@codemirror\/(state|view|language|commands|autocomplete|lint|search)|@lezer\/(common|highlight)|style-mod|w3c-keyname|crelt|@marijn)\//;
// In a chunk of their own, since a group takes with it what its modules import.
const commonPackages = /node_modules\/(react|react-dom|scheduler|use-sync-external-store)\//;
const canvasPackages = /node_modules\/(@xyflow\/|d3-|zustand\/|classcat\/)/;

// CodeMirror writes its rules into a <style>, which the policy refuses, unless it is in a shadow root: then they are an
// adopted sheet. The page takes those as well.
const adoptedSheets: Plugin = {
  name: "adopted-sheets",
  apply: "build",
  transform(code, id) {
    if (!id.includes("/style-mod/src/style-mod.js")) return null;
    const condition = "!root.head && root.adoptedStyleSheets";
    if (!code.includes(condition)) throw new Error(`style-mod has changed: ${condition} is not in it`);
    return { code: code.replace(condition, "root.adoptedStyleSheets"), map: null };
  },
};

export default defineConfig(({ command }) => ({
  // Relative addresses: chunks find each other under every root (those of the page: scripts/finish.mjs).
  base: command === "serve" ? "/dashboard/" : "./",
  plugins: [adoptedSheets],
  resolve: {
    alias: [
      { find: /^manybase$/, replacement: sdk("index.ts") },
      { find: /^manybase\/admin$/, replacement: sdk("admin.ts") },
      { find: /^manybase\/control$/, replacement: sdk("control.ts") },
    ],
  },
  build: {
    target: "es2023",
    outDir: "dist",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      // Base UI marks its modules for servers that draw React, which there are none of here.
      onwarn: (log, warn) => void (log.code === "MODULE_LEVEL_DIRECTIVE" || warn(log)),
      // What every editor and the canvas of flows load, by names that scripts/sizes.mjs finds.
      output: {
        codeSplitting: {
          groups: [
            { name: "react", test: commonPackages, priority: 1 },
            { name: "editor", test: editorPackages },
            { name: "canvas", test: canvasPackages },
          ],
        },
      },
    },
  },
  server: {
    fs: { allow: [".."] },
    // The server accepts a session's cookie from its own origin only.
    proxy: { "/api/v1": { target: server, ws: true, changeOrigin: true, headers: { origin: new URL(server).origin } } },
  },
}));
