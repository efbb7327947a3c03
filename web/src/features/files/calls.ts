// The calls behind the screens of files.
import type { Call } from "../../components/shell/show-call";
import { serverUrl } from "../../lib/server";
import { fileMessages } from "../../messages/files";

const words = fileMessages.calls;
const key = "process.env.MANYBASE_KEY";

export const bucketCalls = (): Call[] => [
  {
    title: words.buckets,
    method: "GET",
    path: "/admin/storage/buckets",
    sdk: `import { createAdmin } from "manybase/admin";\n\nconst admin = createAdmin({ url: ${JSON.stringify(serverUrl)}, token: ${key} });\nconst { buckets } = await admin.listBuckets();`,
  },
];

/** Of a bucket, with the open file as the example. */
export function fileCalls(bucket: string, folder: string, file: string | undefined): Call[] {
  const path = file ?? "holiday.jpg";
  const base = `/storage/${encodeURIComponent(bucket)}`;
  const address = `${base}/${path.split("/").map(encodeURIComponent).join("/")}`;
  const named = JSON.stringify(path);
  const prefix = folder ? `${folder}/` : "";
  return [
    {
      title: words.list,
      method: "GET",
      path: `${base}?prefix=${encodeURIComponent(prefix)}&limit=1000`,
      sdk: `import { createClient } from "manybase";\n\nconst mb = createClient({ url: ${JSON.stringify(serverUrl)}, apiKey: ${key} });\nconst files = mb.files(${JSON.stringify(bucket)});\nconst page = await files.list({ prefix: ${JSON.stringify(prefix)}, limit: 1000 });`,
    },
    {
      title: words.link,
      method: "GET",
      path: `${address}?sign=3600`,
      sdk: `const { url, expiresAt } = await files.sign(${named}, { seconds: 3600 });`,
    },
    {
      title: words.upload,
      method: "PUT",
      path: address,
      file: path.split("/").at(-1)!,
      sdk: `await files.upload(${named}, blob, { onProgress: ({ sent, total }) => console.log(sent, total) });`,
    },
    {
      title: words.metadata,
      method: "PATCH",
      path: address,
      body: { metadata: { album: "spring" } },
      sdk: `await files.setMetadata(${named}, { album: "spring" });`,
    },
    { title: words.remove, method: "DELETE", path: address, sdk: `await files.delete(${named});` },
  ];
}
