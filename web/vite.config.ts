/// <reference types="node" />
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const sdk = (file: string) => fileURLToPath(new URL(`../sdk/typescript/src/${file}`, import.meta.url));
const server = process.env["MANYBASE_URL"] ?? "http://localhost:8090";

export default defineConfig(({ command }) => ({
  // Relative addresses: chunks find each other under every root (those of the page: scripts/finish.mjs).
  base: command === "serve" ? "/dashboard/" : "./",
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
    // Base UI marks its modules for servers that draw React, which there are none of here.
    rolldownOptions: { onwarn: (log, warn) => void (log.code === "MODULE_LEVEL_DIRECTIVE" || warn(log)) },
  },
  server: {
    fs: { allow: [".."] },
    // The server accepts a session's cookie from its own origin only.
    proxy: { "/api/v1": { target: server, ws: true, changeOrigin: true, headers: { origin: new URL(server).origin } } },
  },
}));
