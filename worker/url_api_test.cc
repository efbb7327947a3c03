// URL and URLSearchParams: by the URL standard.
#include "api_fixture.h"

namespace mb::worker {

namespace {

TEST(UrlApiTest, Parsing) {
  const Expression cases[] = {
      {"const u = new URL('https://user:pa%20ss@Example.COM:8080/a/./b/../c?q=1&r=ä#frag');"
       "return [u.href, u.origin, u.protocol, u.username, u.password, u.host, u.hostname, u.port, u.pathname, "
       "u.search, "
       "u.hash]",
       "[\"https://user:pa%20ss@example.com:8080/a/c?q=1&r=%C3%A4#frag\", \"https://example.com:8080\", \"https:\", "
       "\"user\", \"pa%20ss\", \"example.com:8080\", \"example.com\", \"8080\", \"/a/c\", \"?q=1&r=%C3%A4\", "
       "\"#frag\"]"},
      {"[new URL('../x?y#z', 'http://h/a/b/c').href, new URL('//o/p', 'https://h').href, new URL('?q', "
       "'http://h/a').href]",
       "[\"http://h/a/x?y#z\", \"https://o/p\", \"http://h/a?q\"]"},
      {"[new URL('http://h:80').host, new URL('https://h:443/').port, new URL('ftp://h:21').port]",
       "[\"h\", \"\", \"\"]"},
      {"['mailto:a@b', 'data:text/plain,x y', 'javascript:alert(1)', 'file:///C:/x', 'blob:https://a.b/c'].map((t) => "
       "new URL(t).origin)",
       "[\"null\", \"null\", \"null\", \"null\", \"https://a.b\"]"},
      // Addresses in all the ways in which they are written.
      {"['http://127.1', 'http://0x7f000001', 'http://2130706433', 'http://0177.0.0.1', 'http://[::1]', "
       "'http://[::ffff:127.0.0.1]', 'http://[1:0:0:0:0:0:0:2]'].map((t) => new URL(t).hostname)",
       "[\"127.0.0.1\", \"127.0.0.1\", \"127.0.0.1\", \"127.0.0.1\", \"[::1]\", \"[::ffff:7f00:1]\", \"[1::2]\"]"},
      {"['http://bücher.example', 'http://☃.net', 'http://faß.de', 'http://ＧＯ.com'].map((t) => new URL(t).hostname)",
       "[\"xn--bcher-kva.example\", \"xn--n3h.net\", \"xn--fa-hia.de\", \"go.com\"]"},
      {"new URL(' \\t\\nhttp://h/a\\tb\\n ').href", "\"http://h/ab\""},
      {"new URL('http:\\\\\\\\h\\\\a').href", "\"http://h/a\""},
      {"return ['', 'x', '/a', 'http://', 'http://a b', 'http://[::1', 'http://h:99999', 'http://%', 'https://a|b', "
       "'http://1.2.3.256', '//h'].map((t) => URL.canParse(t))",
       "[false, false, false, false, false, false, false, false, false, false, false]"},
      {"[URL.canParse('a', 'http://h'), URL.canParse('a', 'nothing'), URL.canParse('http://h')]",
       "[true, false, true]"},
      {"try { new URL('nothing') } catch (e) { return [e.name, e.message] }", "[\"TypeError\", \"Invalid URL\"]"},
      {"new URL()", "threw TypeError: URL takes 1 argument, not 0"},
      {"new URL(undefined, 'http://h/a/').href", "\"http://h/a/undefined\""},
      {"new URL('http://h/\\ud800').href", "\"http://h/%EF%BF%BD\""},
      {"JSON.stringify({ u: new URL('http://h') }) + new URL('http://h')",
       "\"{\\\"u\\\":\\\"http://h/\\\"}http://h/\""},
  };
  expectEach(cases);
}

TEST(UrlApiTest, Setters) {
  const auto* start = "const u = new URL('https://user@example.com:8080/a?b#c'); ";
  const std::pair<const char*, const char*> cases[] = {
      {"u.protocol = 'http'", "http://user@example.com:8080/a?b#c"},
      {"u.protocol = 'mailto'", "https://user@example.com:8080/a?b#c"},
      {"u.username = 'x:y@'", "https://x%3Ay%40@example.com:8080/a?b#c"},
      {"u.password = 'p'", "https://user:p@example.com:8080/a?b#c"},
      {"u.host = 'other:90'", "https://user@other:90/a?b#c"},
      {"u.hostname = 'other:90'", "https://user@example.com:8080/a?b#c"},
      {"u.hostname = 'other'", "https://user@other:8080/a?b#c"},
      {"u.hostname = ''", "https://user@example.com:8080/a?b#c"},
      {"u.port = '443'", "https://user@example.com/a?b#c"},
      {"u.port = ''", "https://user@example.com/a?b#c"},
      {"u.port = '70000'", "https://user@example.com:8080/a?b#c"},
      {"u.port = '90x'", "https://user@example.com:90/a?b#c"},
      {"u.pathname = 'x y/../z?'", "https://user@example.com:8080/z%3F?b#c"},
      {"u.search = 'k=v w'", "https://user@example.com:8080/a?k=v%20w#c"},
      {"u.search = ''", "https://user@example.com:8080/a#c"},
      {"u.hash = '#x y'", "https://user@example.com:8080/a?b#x%20y"},
      {"u.hash = ''", "https://user@example.com:8080/a?b"},
      {"u.href = 'http://new/'", "http://new/"},
      {"u.searchParams.append('ä', '1 2')", "https://user@example.com:8080/a?b=&%C3%A4=1+2#c"},
      {"u.searchParams.delete('b')", "https://user@example.com:8080/a#c"},
      {"const p = u.searchParams; u.search = '?x=1'; p.set('y', p.get('x'))",
       "https://user@example.com:8080/a?x=1&y=1#c"},
      {"const p = u.searchParams; u.href = 'http://n/?z=9'; p.append('a', p.get('z'))", "http://n/?z=9&a=9"},
  };
  TestWorker worker;
  for (const auto& [code, href] : cases)
    EXPECT_EQ(evaluated(worker, std::string(start) + code + "; return u.href"), "\"" + std::string(href) + "\"")
        << code;
  EXPECT_EQ(evaluated(worker, std::string(start) + "try { u.href = 'x' } catch (e) { return [e.message, u.port] }"),
            "[\"Invalid URL\", \"8080\"]");
  EXPECT_EQ(evaluated(worker, std::string(start) + "u.origin = 'x'"),
            "threw TypeError: Cannot set property origin of [object URL] which has only a getter");
  EXPECT_EQ(evaluated(worker, std::string(start) + "return u.searchParams === u.searchParams"), "true");
}

TEST(UrlApiTest, SearchParams) {
  const Expression cases[] = {
      {"[...new URLSearchParams('?a=1&b=2&a=%203+4&c&=d&&e=f=g&%zz=%C3%A4&x=%ff')]",
       "[[\"a\", \"1\"], [\"b\", \"2\"], [\"a\", \" 3 4\"], [\"c\", \"\"], [\"\", \"d\"], [\"e\", \"f=g\"], [\"%zz\", "
       "\"ä\"], [\"x\", \"\xEF\xBF\xBD\"]]"},
      {"new URLSearchParams({ a: 1, b: 'x y', 'ü': '*-._~!' }).toString()", "\"a=1&b=x+y&%C3%BC=*-._%7E%21\""},
      {"new URLSearchParams([['a', 1], new Set(['b', 2])]).toString()", "\"a=1&b=2\""},
      {"new URLSearchParams(new Map([['a', '1']])).get('a')", "\"1\""},
      {"new URLSearchParams(new URLSearchParams('a=1&a=2')).getAll('a')", "[\"1\", \"2\"]"},
      {"[String(new URLSearchParams()), String(new URLSearchParams(undefined)), String(new URLSearchParams(null))]",
       "[\"\", \"\", \"null=\"]"},
      {"new URLSearchParams([['a']])", "threw TypeError: A pair is an array of a name and a value"},
      {"new URLSearchParams([['a', 'b', 'c']])", "threw TypeError: A pair is an array of a name and a value"},
      {"new URLSearchParams([1])", "threw TypeError: A pair is an array of a name and a value"},
      {"new URLSearchParams({ '\\ud800': 'x', '\\ufffd': 'y' }).toString()", "\"%EF%BF%BD=y\""},
      {"const p = new URLSearchParams('a=1&b=2&a=3'); p.set('a', 9); p.append('c', null); p.delete('b');"
       "return [String(p), p.size, p.has('a'), p.has('b'), p.get('zz')]",
       "[\"a=9&c=null\", 2, true, false, null]"},
      {"const p = new URLSearchParams('a=1&a=2&a=3'); p.delete('a', '2'); return [String(p), p.has('a', '2'), "
       "p.has('a', 3)]",
       "[\"a=1&a=3\", false, true]"},
      {"const p = new URLSearchParams('z=1&ﬃ=2&🌈=3&a=4&z=0'); p.sort(); return [...p.keys()]",
       "[\"a\", \"z\", \"z\", \"🌈\", \"ﬃ\"]"},
      {"const p = new URLSearchParams('a=1&b=2'); return [[...p.keys()], [...p.values()], [...p.entries()].length]",
       "[[\"a\", \"b\"], [\"1\", \"2\"], 2]"},
      {"const p = new URLSearchParams('a=1&b=2&c=3'); const seen = []; for (const [k] of p) { seen.push(k); if (k === "
       "'a') "
       "p.delete('b') } return seen",
       "[\"a\", \"c\"]"},
      {"const p = new URLSearchParams('a=1&b=2'); const seen = []; p.forEach(function (v, k, all) { seen.push(k + v + "
       "(all "
       "=== p) + this.x) }, { x: 7 }); return seen",
       "[\"a1true7\", \"b2true7\"]"},
      {"const i = new URLSearchParams('a=1')[Symbol.iterator](); return [Object.prototype.toString.call(i), "
       "i[Symbol.iterator]() === i, i.next(), i.next()]",
       "[\"[object URLSearchParams Iterator]\", true, {value: [\"a\", \"1\"], done: false}, {value: undefined, done: "
       "true}]"},
      {"new URLSearchParams().append('a')", "threw TypeError: append takes 2 arguments, not 1"},
      {"new URLSearchParams().forEach(1)", "threw TypeError: forEach takes a function"},
      {"URLSearchParams.prototype.get.call({}, 'a')",
       "threw TypeError: Cannot read private member #list from an object whose class did not declare it"},
      {"Object.keys(URLSearchParams.prototype).sort().join()",
       "\"append,delete,entries,forEach,get,getAll,has,keys,set,size,sort,toString,values\""},
  };
  expectEach(cases);
}

TEST(UrlApiTest, GuestsSpoilNothingButTheirOwn) {
  TestWorker worker;
  EXPECT_EQ(evaluated(worker, R"(
    Array.prototype[Symbol.iterator] = null; String.prototype.slice = null; Array.prototype.sort = null;
    Object.defineProperty(Object.prototype, "get", { value() { throw 1 }, configurable: true });
    const p = new URLSearchParams('?b=1&a=2'); p.sort();
    return [String(p), new URL('http://h/?x=1').searchParams.get('x')]; )"),
            "[\"a=2&b=1\", \"1\"]");
  // Another module's context is its own.
  EXPECT_EQ(evaluated(worker, "return [...new URLSearchParams('a=1')].length"), "1");
}

}  // namespace

}  // namespace mb::worker
