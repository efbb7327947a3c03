// Runs the upload of the task on standard input with tus-js-client, and prints the result.
import { text } from 'node:stream/consumers';
import { Upload } from 'tus-js-client';

const task = JSON.parse(await text(process.stdin));
const content = Buffer.from(task.content, 'base64');
const methods = [];

// Uploads until the end, or until `cutAfter` bytes were accepted.
function run(cutAfter, uploadUrl) {
  return new Promise((resolve, reject) => {
    const upload = new Upload(content, {
      endpoint: task.endpoint,
      uploadUrl,
      headers: task.headers,
      metadata: task.metadata ?? {},
      chunkSize: task.chunkSize ?? Infinity,
      uploadDataDuringCreation: task.withCreation ?? false,
      retryDelays: null,
      onBeforeRequest: (request) => methods.push(request.getMethod()),
      onError: reject,
      onSuccess: () => resolve(upload.url),
      onChunkComplete: (_, accepted) => {
        if (cutAfter && accepted >= cutAfter) upload.abort().then(() => resolve(upload.url), reject);
      },
    });
    upload.start();
  });
}

try {
  let url = await run(task.cutAfter);
  if (task.cutAfter) url = await run(undefined, url);
  if (task.terminate) await Upload.terminate(url, { headers: task.headers, retryDelays: null });
  console.log(JSON.stringify({ url, methods }));
} catch (error) {
  console.log(JSON.stringify({ error: String(error), methods }));
}
