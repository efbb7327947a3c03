const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
// Ids ascend although the clock is set back a little; one that was far ahead counts no more.
const maxAhead = 60_000 * 1024;
let last = 0;

/**
 * An id in the server's form: 9 characters of time (milliseconds and a counter), then 11 random ones. Ids of one program
 * ascend, so that documents list in the order of their creation.
 */
export function newId(now = Date.now()): string {
  const stamp = Math.max(0, Math.floor(now)) * 1024;
  last = stamp > last || last - stamp > maxAhead ? stamp : last + 1;
  let id = "";
  for (let rest = last; id.length < 9; rest = Math.floor(rest / 62)) id = alphabet[rest % 62] + id;
  while (id.length < 20) {
    // Bytes from 248 (4 * 62) up are discarded, so that every character is equally likely.
    const [byte] = crypto.getRandomValues(new Uint8Array(1));
    if (byte! < 248) id += alphabet[byte! % 62];
  }
  return id;
}
