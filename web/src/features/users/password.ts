// Without characters that are taken for one another when a password is read out.
const letters = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const groups = 5;
const perGroup = 4;

/** A password of about 116 random bits, in groups: "kX4m-…". */
export function makePassword(random: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array = (bytes) => crypto.getRandomValues(bytes)): string {
  let text = "";
  while (text.length < groups * perGroup) {
    // Bytes past the last whole multiple would make some letters more frequent than others.
    for (const byte of random(new Uint8Array(32))) {
      if (byte < letters.length * 4 && text.length < groups * perGroup) text += letters[byte % letters.length];
    }
  }
  return text.match(/.{4}/g)!.join("-");
}
