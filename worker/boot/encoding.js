// TextEncoder, TextDecoder (Encoding standard), atob, btoa (HTML standard).
(native, shared) => {
  const { decode, decodeBase64, encode, encodeBase64, encodeInto } = native;
  const { DOMException, dictionary, needs } = shared;
  const toLowerCase = shared.uncurry(String.prototype.toLowerCase);
  const trim = shared.uncurry(String.prototype.trim);
  const typedArrayName = shared.getter(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag);

  const utf8 = "utf-8";
  const utf16 = "utf-16le";
  const labels = {
    __proto__: null,
    "unicode-1-1-utf-8": utf8, "unicode11utf8": utf8, "unicode20utf8": utf8, "utf-8": utf8, "utf8": utf8,
    "x-unicode20utf8": utf8,
    "csunicode": utf16, "iso-10646-ucs-2": utf16, "ucs-2": utf16, "unicode": utf16, "unicodefeff": utf16,
    "utf-16": utf16, "utf-16le": utf16,
  };

  class TextEncoder {
    #brand;
    get encoding() { this.#brand; return utf8; }
    encode(input = "") {
      this.#brand;
      return encode(input);
    }
    encodeInto(source, destination) {
      this.#brand;
      needs(2, arguments.length, "encodeInto");
      if (typedArrayName(destination) !== "Uint8Array") throw new TypeError("encodeInto writes into a Uint8Array");
      const done = encodeInto(`${source}`, destination);
      return { read: done[0], written: done[1] };
    }
  }

  class TextDecoder {
    #encoding;
    #fatal;
    #ignoreBOM;
    #state = new Uint8Array(5);
    constructor(label = utf8, options = undefined) {
      options = dictionary(options, "options");
      this.#encoding = labels[toLowerCase(trim(`${label}`))];
      if (this.#encoding === undefined) throw new RangeError(`There is no encoding '${label}': utf-8 and utf-16le are`);
      this.#fatal = Boolean(options.fatal);
      this.#ignoreBOM = Boolean(options.ignoreBOM);
    }
    get encoding() { return this.#encoding; }
    get fatal() { return this.#fatal; }
    get ignoreBOM() { return this.#ignoreBOM; }
    decode(input = new Uint8Array(0), options = undefined) {
      const stream = Boolean(dictionary(options, "options").stream);
      const text = decode(input, this.#state, this.#encoding === utf16, this.#fatal, this.#ignoreBOM, stream);
      if (text === undefined) throw new TypeError("decode takes an ArrayBuffer or a view of one");
      if (text === null) throw new TypeError(`The bytes are not ${this.#encoding}`);
      return text;
    }
  }

  for (const made of [TextEncoder, TextDecoder]) {
    shared.interface(made);
    shared.global(made.name, made);
  }

  shared.global("btoa", function btoa(data) {
    needs(1, arguments.length, "btoa");
    const encoded = encodeBase64(`${data}`);
    if (encoded === undefined) throw new DOMException("btoa takes characters up to U+00FF", "InvalidCharacterError");
    return encoded;
  });
  shared.global("atob", function atob(data) {
    needs(1, arguments.length, "atob");
    const decoded = decodeBase64(`${data}`);
    if (decoded === undefined) throw new DOMException("The string is not base64", "InvalidCharacterError");
    return decoded;
  });
}
