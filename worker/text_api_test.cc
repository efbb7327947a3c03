// TextEncoder, TextDecoder, atob, btoa, structuredClone: by their standards.
#include "api_fixture.h"

namespace mb::worker {

namespace {

TEST(TextApiTest, TextEncoder) {
  const Expression cases[] = {
      {"new TextEncoder().encoding", "\"utf-8\""},
      {"new TextEncoder().encode('aä€😀')", "Bytes(61c3a4e282acf09f9880)"},
      {"new TextEncoder().encode()", "Bytes()"},
      {"new TextEncoder().encode(undefined)", "Bytes()"},
      {"new TextEncoder().encode(null)", "Bytes(6e756c6c)"},
      {"new TextEncoder().encode('\\ud83dx\\ude00')", "Bytes(efbfbd78efbfbd)"},
      {"new TextEncoder().encode('\\0') instanceof Uint8Array", "true"},
      {"const u = new Uint8Array(4); const r = new TextEncoder().encodeInto('aä€', u); return [r, u]",
       "[{read: 2, written: 3}, Bytes(61c3a400)]"},
      {"const u = new Uint8Array(3); return [new TextEncoder().encodeInto('😀', u), u]",
       "[{read: 0, written: 0}, Bytes(000000)]"},
      {"const u = new Uint8Array(8); return [new TextEncoder().encodeInto('😀😀', u).read, u]",
       "[4, Bytes(f09f9880f09f9880)]"},
      {"new TextEncoder().encodeInto('', new Uint8Array(0))", "{read: 0, written: 0}"},
      {"new TextEncoder().encodeInto('a', new Uint16Array(4))", "threw TypeError: encodeInto writes into a Uint8Array"},
      {"TextEncoder()", "threw TypeError: Class constructor TextEncoder cannot be invoked without 'new'"},
      {"TextEncoder.prototype.encode.call({}, 'x')",
       "threw TypeError: Cannot read private member #brand from an object whose class did not declare it"},
      {"Object.prototype.toString.call(new TextEncoder())", "\"[object TextEncoder]\""},
  };
  expectEach(cases);
}

TEST(TextApiTest, TextDecoderOfUtf8) {
  const Expression cases[] = {
      {"[new TextDecoder().encoding, new TextDecoder().fatal, new TextDecoder().ignoreBOM]",
       "[\"utf-8\", false, false]"},
      {"['UTF8', ' utf-8\\n', 'unicode-1-1-utf-8', 'utf-16', 'UCS-2', 'unicode'].map((l) => new "
       "TextDecoder(l).encoding)",
       "[\"utf-8\", \"utf-8\", \"utf-8\", \"utf-16le\", \"utf-16le\", \"utf-16le\"]"},
      {"new TextDecoder('latin1')", "threw RangeError: There is no encoding 'latin1': utf-8 and utf-16le are"},
      {"new TextDecoder('__proto__')", "threw RangeError: There is no encoding '__proto__': utf-8 and utf-16le are"},
      {"new TextDecoder().decode(new Uint8Array([97, 195, 164, 226, 130, 172, 240, 159, 152, 128]))", "\"aä€😀\""},
      {"new TextDecoder().decode()", "\"\""},
      {"new TextDecoder().decode(new Uint8Array([97, 98]).buffer)", "\"ab\""},
      {"new TextDecoder().decode(new DataView(new Uint8Array([97, 98, 99]).buffer, 1, 1))", "\"b\""},
      {"new TextDecoder().decode('text')", "threw TypeError: decode takes an ArrayBuffer or a view of one"},
      {"new TextDecoder().decode(new Uint8Array([0xEF, 0xBB, 0xBF, 97]))", "\"a\""},
      {"new TextDecoder('utf-8', { ignoreBOM: true }).decode(new Uint8Array([0xEF, 0xBB, 0xBF, 97])).length", "2"},
      // One replacement for each maximal part of a sequence.
      {"[[0xFF], [0xC3], [0xC3, 0x28], [0xE2, 0x82], [0xE2, 0x28], [0xF0, 0x9F, 0x98, 0x41], [0xED, 0xA0, 0x80], "
       "[0xC0, 0x80], [0xF5, 0x80], [0x80, 0x80], [0xE0, 0x80], [0xF4, 0x90]].map((b) => "
       "new TextDecoder().decode(new Uint8Array(b)).replaceAll('\\ufffd', '?'))",
       "[\"?\", \"?\", \"?(\", \"?\", \"?(\", \"?A\", \"???\", \"??\", \"??\", \"??\", \"??\", \"??\"]"},
      {"new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([0xC3, 0x28]))",
       "threw TypeError: The bytes are not utf-8"},
      {"new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([0xE2, 0x82]))",
       "threw TypeError: The bytes are not utf-8"},
      {"new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([0xC3, 0xA4]))", "\"ä\""},
      {"new TextDecoder('utf-8', 5)", "threw TypeError: options is an object"},
  };
  expectEach(cases);
}

TEST(TextApiTest, TextDecoderOfStreams) {
  // In pieces of each size the same text comes out as at once.
  const Expression cases[] = {
      {"const bytes = new TextEncoder().encode('\\ufeffaä€😀\\ufeffz'); const out = [];"
       "for (let size = 1; size <= 8; size++) { const d = new TextDecoder(); let text = '';"
       "for (let i = 0; i < bytes.length; i += size) text += d.decode(bytes.subarray(i, i + size), { stream: true });"
       "out.push(text + d.decode() === 'aä€😀\\ufeffz'); } return out",
       "[true, true, true, true, true, true, true, true]"},
      {"const d = new TextDecoder(); const parts = [[0xE2], [0x82], [0x41]];"
       "return parts.map((p) => d.decode(new Uint8Array(p), { stream: true })).concat(d.decode())",
       "[\"\", \"\", \"\xEF\xBF\xBD"
       "A\", \"\"]"},
      {"const d = new TextDecoder(); d.decode(new Uint8Array([0xF0, 0x9F]), { stream: true }); return d.decode()",
       "\"\xEF\xBF\xBD\""},
      {"const d = new TextDecoder(); const bom = new Uint8Array([0xEF, 0xBB, 0xBF, 97]);"
       "return [d.decode(bom), d.decode(bom), d.decode(bom, { stream: true }), d.decode(bom)].map((t) => t.length)",
       "[1, 1, 1, 2]"},
      {"const d = new TextDecoder('utf-8', { fatal: true }); d.decode(new Uint8Array([0xC3]), { stream: true });"
       "return d.decode()",
       "threw TypeError: The bytes are not utf-8"},
  };
  expectEach(cases);
}

TEST(TextApiTest, TextDecoderOfUtf16) {
  const Expression cases[] = {
      {"new TextDecoder('utf-16le').decode(new Uint8Array([97, 0, 0xAC, 0x20, 0x3D, 0xD8, 0, 0xDE]))", "\"a€😀\""},
      {"new TextDecoder('utf-16le').decode(new Uint8Array([0xFF, 0xFE, 97, 0]))", "\"a\""},
      {"new TextDecoder('utf-16le', { ignoreBOM: true }).decode(new Uint8Array([0xFF, 0xFE, 97, 0])).length", "2"},
      {"new TextDecoder('utf-16le').decode(new Uint8Array([0x3D, 0xD8, 97, 0, 98])).replaceAll('\\ufffd', '?')",
       "\"?a?\""},
      {"new TextDecoder('utf-16le', { fatal: true }).decode(new Uint8Array([0x3D, 0xD8]))",
       "threw TypeError: The bytes are not utf-16le"},
      {"new TextDecoder('utf-16le', { fatal: true }).decode(new Uint8Array([97]))",
       "threw TypeError: The bytes are not utf-16le"},
      {"const bytes = new Uint8Array([97, 0, 0x3D, 0xD8, 0, 0xDE, 98, 0]); const out = [];"
       "for (let size = 1; size <= 5; size++) { const d = new TextDecoder('utf-16le'); let text = '';"
       "for (let i = 0; i < 8; i += size) text += d.decode(bytes.subarray(i, i + size), { stream: true });"
       "out.push(text + d.decode() === 'a😀b'); } return out",
       "[true, true, true, true, true]"},
  };
  expectEach(cases);
}

TEST(TextApiTest, Base64) {
  const Expression cases[] = {
      {"['', 'f', 'fo', 'foo', 'foob', 'fooba', 'foobar'].map(btoa)",
       "[\"\", \"Zg==\", \"Zm8=\", \"Zm9v\", \"Zm9vYg==\", \"Zm9vYmE=\", \"Zm9vYmFy\"]"},
      {"['', 'Zg==', 'Zm8=', 'Zm9v', 'Zg', 'Zm8', ' Z m\\t9\\nv\\r\\f'].map(atob)",
       "[\"\", \"f\", \"fo\", \"foo\", \"f\", \"fo\", \"foo\"]"},
      {"btoa('\\xff\\xfe')", "\"//4=\""},
      {"atob('//4=').charCodeAt(0)", "255"},
      {"btoa(null) + btoa(12)", "\"bnVsbA==MTI=\""},
      {"try { btoa('€') } catch (e) { return [e.name, e.code, e instanceof DOMException, e instanceof Error] }",
       "[\"InvalidCharacterError\", 5, true, true]"},
      {"return ['Z', 'Zg=', 'Zg===', 'Z===', '=', 'Zm9v=', 'Zm8==', 'Z-', 'Zm9v\\u00a0', 'é', 'a\\u0141=='].map((t) => "
       "{ try { return atob(t) } catch (e) { return e.name } })",
       "[\"InvalidCharacterError\", \"InvalidCharacterError\", \"InvalidCharacterError\", \"InvalidCharacterError\", "
       "\"InvalidCharacterError\", \"InvalidCharacterError\", \"InvalidCharacterError\", \"InvalidCharacterError\", "
       "\"InvalidCharacterError\", \"InvalidCharacterError\", \"InvalidCharacterError\"]"},
      {"atob('Zh==')", "\"f\""},  // bits that are left over are dropped
      {"btoa()", "threw TypeError: btoa takes 1 argument, not 0"},
  };
  expectEach(cases);
}

TEST(TextApiTest, StructuredClone) {
  const Expression cases[] = {
      {"const a = { d: new Date(5), s: new Set([1]), m: new Map([[1, 2]]), r: /x/g, b: new Uint8Array([1, 2]), n: 1n };"
       "const c = structuredClone(a); a.s.add(9); a.b[0] = 9; return [c, c !== a]",
       "[{d: Date(5), s: Set(1), m: Map(1: 2), r: /x/g, b: Bytes(0102), n: 1n}, true]"},
      {"const a = { n: 1 }; a.self = a; const c = structuredClone(a); return [c.self === c, c.self.n]", "[true, 1]"},
      {"const e = structuredClone(new RangeError('far')); return [e instanceof RangeError, e.message]",
       "[true, \"far\"]"},
      {"try { structuredClone(() => 1) } catch (e) { return [e.name, e.code, e instanceof DOMException] }",
       "[\"DataCloneError\", 25, true]"},
      {"try { structuredClone({ a: Symbol('s') }) } catch (e) { return e.name }", "\"DataCloneError\""},
      {"try { structuredClone({ get a() { throw new TypeError('mine') } }) } catch (e) { return e.message }",
       "\"mine\""},
      {"const b = new ArrayBuffer(4); const c = structuredClone({ b }, { transfer: [b] });"
       "return [b.byteLength, c.b.byteLength]",
       "[0, 4]"},
      {"const b = new ArrayBuffer(4); try { structuredClone(b, { transfer: [b, b] }) } catch (e) { return e.name }",
       "\"DataCloneError\""},
      {"try { structuredClone(1, { transfer: [{}] }) } catch (e) { return e.name }", "\"DataCloneError\""},
      {"structuredClone()", "threw TypeError: structuredClone takes 1 argument, not 0"},
      {"structuredClone(undefined)", "undefined"},
      {"structuredClone(Object.create({ a: 1 }, { b: { value: 2, enumerable: true } }))", "{b: 2}"},
  };
  expectEach(cases);
}

}  // namespace

}  // namespace mb::worker
