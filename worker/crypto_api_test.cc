// crypto: random bytes, digests and HMAC, by the Web Cryptography API; vectors of FIPS 180-4, RFC 4231 and RFC 2202.
#include <gmock/gmock.h>

#include "api_fixture.h"

namespace mb::worker {

namespace {

TEST(CryptoApiTest, RandomBytes) {
  const Expression cases[] = {
      {"const a = new Uint8Array(64); const same = crypto.getRandomValues(a) === a; return [same, new Set(a).size > "
       "16]",
       "[true, true]"},
      {"[Int8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, BigInt64Array, BigUint64Array]"
       ".every((T) => crypto.getRandomValues(new T(4)).some((v) => v != 0))",
       "true"},
      {"const b = new Uint8Array(32); crypto.getRandomValues(b.subarray(8, 16));"
       "return [b.subarray(0, 8).every((v) => v === 0), b.subarray(16).every((v) => v === 0)]",
       "[true, true]"},
      {"crypto.getRandomValues(new Uint8Array(65536)).length", "65536"},
      {"crypto.getRandomValues(new Uint8Array(0)).length", "0"},
      {"try { crypto.getRandomValues(new Uint8Array(65537)) } catch (e) { return [e.name, e.code] }",
       "[\"QuotaExceededError\", 22]"},
      {"return [new Float64Array(1), new DataView(new ArrayBuffer(1)), [], {}].map((x) => { try { "
       "crypto.getRandomValues(x) } catch (e) { return e.name } })",
       "[\"TypeMismatchError\", \"TypeMismatchError\", \"TypeMismatchError\", \"TypeMismatchError\"]"},
      {"Array.from({ length: 100 }, () => crypto.randomUUID()).every((u) => "
       "/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(u))",
       "true"},
      {"new Set(Array.from({ length: 1000 }, () => crypto.randomUUID())).size", "1000"},
      {"new (crypto.constructor)()", "threw TypeError: Illegal constructor"},
  };
  expectEach(cases);
  TestWorker one;
  TestWorker other;
  EXPECT_NE(evaluated(one, "return [crypto.randomUUID(), Math.random()]"),
            evaluated(other, "return [crypto.randomUUID(), Math.random()]"));
}

TEST(CryptoApiTest, Digests) {
  const Expression cases[] = {
      {"crypto.subtle.digest('SHA-1', new TextEncoder().encode('abc'))",
       "Bytes(a9993e364706816aba3e25717850c26c9cd0d89d)"},
      {"crypto.subtle.digest('SHA-256', new TextEncoder().encode('abc'))",
       "Bytes(ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad)"},
      {"crypto.subtle.digest({ name: 'sha-384' }, new TextEncoder().encode('abc').buffer)",
       "Bytes(cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7)"},
      {"crypto.subtle.digest('SHA-512', new TextEncoder().encode('abc'))",
       "Bytes("
       "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643c"
       "e80e2a9ac94fa54ca49f)"},
      {"crypto.subtle.digest('SHA-256', new Uint8Array())",
       "Bytes(e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855)"},
      {"const p = crypto.subtle.digest('SHA-1', new Uint8Array()); return [p instanceof Promise, (await p) instanceof "
       "ArrayBuffer]",
       "[true, true]"},
      {"try { await crypto.subtle.digest('MD5', new Uint8Array()) } catch (e) { return e.name }",
       "\"NotSupportedError\""},
      {"try { await crypto.subtle.digest('SHA-1', 'text') } catch (e) { return e.name }", "\"TypeError\""},
      {"try { await crypto.subtle.digest({}, new Uint8Array()) } catch (e) { return e.name }", "\"TypeError\""},
  };
  expectEach(cases);
}

TEST(CryptoApiTest, Hmac) {
  const char* helpers =
      "const utf8 = (t) => new TextEncoder().encode(t); const key = (bytes, hash, usages = ['sign', 'verify'], more = "
      "{}) "
      "=> crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash, ...more }, true, usages);";
  const std::pair<const char*, const char*> cases[] = {
      {"return crypto.subtle.sign('HMAC', await key(utf8('Jefe'), 'SHA-256'), utf8('what do ya want for nothing?'))",
       "Bytes(5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843)"},
      {"return crypto.subtle.sign('hmac', await key(utf8('Jefe'), { name: 'sha-1' }), utf8('what do ya want for "
       "nothing?'))",
       "Bytes(effcdf6ae5eb2fa2d27416d5f184df9c259a7c79)"},
      {"return crypto.subtle.sign({ name: 'HMAC' }, await key(new Uint8Array(20).fill(0x0b), 'SHA-512'), utf8('Hi "
       "There'))",
       "Bytes("
       "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cdedaa833b7d6b8a702038b274eaea3f4e4be9d914eeb61"
       "f1702e696c203a126854)"},
      {"return crypto.subtle.sign('HMAC', await key(new Uint8Array(20).fill(0x0b), 'SHA-384'), utf8('Hi There'))",
       "Bytes(afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59cfaea9ea9076ede7f4af152e8b2fa9cb6)"},
      {"const k = await key(utf8('k'), 'SHA-256'); const s = await crypto.subtle.sign('HMAC', k, utf8('m')); const bad "
       "= "
       "new Uint8Array(s.slice(0)); bad[0] ^= 1; return [await crypto.subtle.verify('HMAC', k, s, utf8('m')), await "
       "crypto.subtle.verify('HMAC', k, bad, utf8('m')), await crypto.subtle.verify('HMAC', k, s.slice(1), utf8('m')), "
       "await crypto.subtle.verify('HMAC', k, s, utf8('n'))]",
       "[true, false, false, false]"},
      {"const k = await key(utf8('secret'), 'SHA-256'); return [k instanceof CryptoKey, k.type, k.extractable, "
       "k.usages, "
       "k.algorithm, await crypto.subtle.exportKey('raw', k)]",
       "[true, \"secret\", true, [\"sign\", \"verify\"], {name: \"HMAC\", length: 48, hash: {name: \"SHA-256\"}}, "
       "Bytes(736563726574)]"},
      // A key of 12 bits.
      {"const k = await key(new Uint8Array([0xff, 0xff]), 'SHA-256', ['sign'], { length: 12 }); return "
       "[k.algorithm.length, "
       "await crypto.subtle.exportKey('raw', k)]",
       "[12, Bytes(fff0)]"},
      {"const bytes = utf8('abc'); const k = await key(bytes, 'SHA-1'); bytes.fill(0); return "
       "crypto.subtle.exportKey('raw', k)",
       "Bytes(616263)"},
      {"try { await key(new Uint8Array(), 'SHA-256') } catch (e) { return e.name }", "\"DataError\""},
      {"try { await key(new Uint8Array(2), 'SHA-256', ['sign'], { length: 8 }) } catch (e) { return e.name }",
       "\"DataError\""},
      {"try { await key(utf8('k'), 'SHA-256', []) } catch (e) { return e.name }", "\"SyntaxError\""},
      {"try { await key(utf8('k'), 'SHA-256', ['encrypt']) } catch (e) { return e.name }", "\"SyntaxError\""},
      {"try { await key(utf8('k'), undefined) } catch (e) { return e.name }", "\"TypeError\""},
      {"try { await key(utf8('k'), 'MD5') } catch (e) { return e.name }", "\"NotSupportedError\""},
      {"try { await crypto.subtle.importKey('jwk', {}, 'HMAC', true, ['sign']) } catch (e) { return e.name }",
       "\"NotSupportedError\""},
      {"try { await crypto.subtle.importKey('raw', utf8('k'), 'AES-GCM', true, ['sign']) } catch (e) { return e.name }",
       "\"NotSupportedError\""},
      {"try { await crypto.subtle.sign('HMAC', await key(utf8('k'), 'SHA-1', ['verify']), utf8('m')) } catch (e) { "
       "return "
       "e.name }",
       "\"InvalidAccessError\""},
      {"try { await crypto.subtle.sign('HMAC', {}, utf8('m')) } catch (e) { return e.name }", "\"TypeError\""},
      {"const k = await crypto.subtle.importKey('raw', utf8('k'), { name: 'HMAC', hash: 'SHA-1' }, false, ['sign']); "
       "try { "
       "await crypto.subtle.exportKey('raw', k) } catch (e) { return e.name }",
       "\"InvalidAccessError\""},
      {"try { new CryptoKey() } catch (e) { return e.message }", "\"Illegal constructor\""},
  };
  TestWorker worker;
  for (const auto& [code, gives] : cases) EXPECT_EQ(evaluated(worker, std::string(helpers) + code), gives) << code;
}

}  // namespace

}  // namespace mb::worker
