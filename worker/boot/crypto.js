// crypto: random bytes, digests and HMAC (Web Cryptography API).
(native, shared) => {
  const { copyBytes, digest, fillRandom, hmac, sameBytes } = native;
  const { DOMException, needs } = shared;
  const toUpperCase = shared.uncurry(String.prototype.toUpperCase);
  const typedArrayName = shared.getter(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag);
  const byteLength = shared.getter(Object.getPrototypeOf(Uint8Array.prototype), "byteLength");
  const bufferLength = shared.getter(ArrayBuffer.prototype, "byteLength");

  const fail = (name, message) => { throw new DOMException(message, name); };
  const bytesOf = (source, what) => {
    const bytes = copyBytes(source);
    if (bytes === undefined) throw new TypeError(`${what} is an ArrayBuffer or a view of one`);
    return bytes;
  };
  const algorithmNamed = (given, what) => {
    if (typeof given === "object" && given !== null) {
      if (given.name === undefined) throw new TypeError(`${what} has a name`);
      return toUpperCase(`${given.name}`);
    }
    return toUpperCase(`${given}`);
  };
  const digests = { __proto__: null, "SHA-1": true, "SHA-256": true, "SHA-384": true, "SHA-512": true };
  const digestNamed = (given) => {
    const name = algorithmNamed(given, "A digest");
    if (!(name in digests)) fail("NotSupportedError", "There are the digests SHA-1, SHA-256, SHA-384 and SHA-512");
    return name;
  };
  const hmacOnly = (given) => {
    if (algorithmNamed(given, "An algorithm") !== "HMAC") fail("NotSupportedError", "Keys are of the algorithm HMAC");
  };

  const secret = {};
  class CryptoKey {
    #bytes;
    #digest;
    #algorithm;
    #extractable;
    #usages;
    constructor(token, bytes, length, hash, extractable, usages) {
      if (token !== secret) throw new TypeError("Illegal constructor");
      this.#bytes = bytes;
      this.#digest = hash;
      this.#algorithm = { name: "HMAC", length, hash: { name: hash } };
      this.#extractable = extractable;
      this.#usages = usages;
    }
    get type() {
      this.#bytes;
      return "secret";
    }
    get extractable() { return this.#extractable; }
    get algorithm() { return this.#algorithm; }
    get usages() { return this.#usages; }

    static {
      shared.keyFor = (key, usage) => {
        if (typeof key !== "object" || key === null || !(#bytes in key)) throw new TypeError("This is no CryptoKey");
        for (let i = 0; i < key.#usages.length; i++)
          if (key.#usages[i] === usage) return { bytes: key.#bytes, hash: key.#digest };
        return fail("InvalidAccessError", `The key is not for '${usage}'`);
      };
      shared.exported = (key) => {
        if (typeof key !== "object" || key === null || !(#bytes in key)) throw new TypeError("This is no CryptoKey");
        if (!key.#extractable) fail("InvalidAccessError", "The key cannot be exported");
        return copyBytes(key.#bytes);
      };
    }
  }
  shared.interface(CryptoKey);
  shared.global("CryptoKey", CryptoKey);

  // The first `length` bits of the bytes; only bits of the last byte may be left out.
  const cutKey = (bytes, given) => {
    const bits = bufferLength(bytes) * 8;
    if (bits === 0) fail("DataError", "An HMAC key has at least one byte");
    if (given === undefined) return bits;
    const length = Number(given);
    if (!(length > bits - 8 && length <= bits)) fail("DataError", "The key is not of that length");
    const all = new Uint8Array(bytes);
    if (length < bits) all[all.length - 1] &= 0xFF << (bits - length);
    return length;
  };

  const readUsages = (given) => {
    const usages = [];
    for (const usage of given) {
      const name = `${usage}`;
      if (name !== "sign" && name !== "verify") fail("SyntaxError", "A key is for 'sign' and 'verify'");
      if (usages[0] !== name && usages[1] !== name) usages[usages.length] = name;
    }
    if (usages.length === 0) fail("SyntaxError", "A key is for 'sign' or 'verify', or both");
    return usages;
  };

  class SubtleCrypto {
    constructor(token) {
      if (token !== secret) throw new TypeError("Illegal constructor");
    }
    async digest(algorithm, data) {
      needs(2, arguments.length, "digest");
      return digest(digestNamed(algorithm), bytesOf(data, "What is digested"));
    }
    async importKey(format, keyData, algorithm, extractable, keyUsages) {
      needs(5, arguments.length, "importKey");
      if (`${format}` !== "raw") fail("NotSupportedError", "Keys are imported as 'raw'");
      const bytes = bytesOf(keyData, "A raw key");
      hmacOnly(algorithm);
      if (typeof algorithm !== "object" || algorithm.hash === undefined) throw new TypeError("An HMAC key has a hash");
      const hash = digestNamed(algorithm.hash);
      const usages = readUsages(keyUsages);
      return new CryptoKey(secret, bytes, cutKey(bytes, algorithm.length), hash, Boolean(extractable), usages);
    }
    async exportKey(format, key) {
      needs(2, arguments.length, "exportKey");
      if (`${format}` !== "raw") fail("NotSupportedError", "Keys are exported as 'raw'");
      return shared.exported(key);
    }
    async sign(algorithm, key, data) {
      needs(3, arguments.length, "sign");
      hmacOnly(algorithm);
      const used = shared.keyFor(key, "sign");
      return hmac(used.hash, used.bytes, bytesOf(data, "What is signed"));
    }
    async verify(algorithm, key, signature, data) {
      needs(4, arguments.length, "verify");
      hmacOnly(algorithm);
      const used = shared.keyFor(key, "verify");
      const given = bytesOf(signature, "A signature");
      return sameBytes(given, hmac(used.hash, used.bytes, bytesOf(data, "What was signed")));
    }
  }
  shared.interface(SubtleCrypto);

  const subtle = new SubtleCrypto(secret);
  const integers = {
    __proto__: null, Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array,
    BigInt64Array, BigUint64Array,
  };
  const hex = [];
  for (let i = 0; i < 256; i++) hex[i] = (i < 16 ? "0" : "") + i.toString(16);

  class Crypto {
    constructor(token) {
      if (token !== secret) throw new TypeError("Illegal constructor");
    }
    get subtle() { return subtle; }
    getRandomValues(array) {
      needs(1, arguments.length, "getRandomValues");
      const kind = typedArrayName(array);
      if (kind === undefined || !(kind in integers))
        fail("TypeMismatchError", "getRandomValues fills a typed array of integers");
      if (byteLength(array) > 65536) fail("QuotaExceededError", "getRandomValues fills 65536 bytes at most");
      fillRandom(array);
      return array;
    }
    randomUUID() {
      const bytes = new Uint8Array(16);
      fillRandom(bytes);
      bytes[6] = (bytes[6] & 0x0F) | 0x40;
      bytes[8] = (bytes[8] & 0x3F) | 0x80;
      let uuid = "";
      for (let i = 0; i < 16; i++) {
        if (i === 4 || i === 6 || i === 8 || i === 10) uuid += "-";
        uuid += hex[bytes[i]];
      }
      return uuid;
    }
  }
  shared.interface(Crypto);
  shared.global("crypto", new Crypto(secret));
}
