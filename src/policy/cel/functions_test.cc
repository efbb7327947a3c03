// Section "Standard Definitions" of the language definition: its examples, and edge cases.
#include "policy/cel/cel_fixture.h"

namespace mb::cel {
namespace {

using enum Outcome;

TEST(CelFunctions, Arithmetic) {
  expectAll({
      {"1 + 2 == 3 && 3.14 + 1.59 == 4.73 && 5 - 3 == 2 && 10.5 - 2.0 == 8.5 && 10 / 2 == 5 && 7.0 / 2.0 == 3.5"},
      {"3 % 2 == 1 && 6u % 3u == 0u && 3.5 * 40.0 == 140.0 && -2 * 6 == -12 && 13u * 3u == 39u"},
      {"-7 / 2 == -3 && -7 % 2 == -1 && 7 / -2 == -3 && -(5) == 0 - 5 && -(3.14) == -3.14"},
      {"9223372036854775807 + 1 > 0", error},
      {"-9223372036854775808 - 1 < 0", error},
      {"9223372036854775807 * 2 > 0", error},
      {"-9223372036854775808 / -1 > 0", error},
      {"-9223372036854775808 % -1 == 0", error},
      {"-(-9223372036854775808) > 0", error},
      {"18446744073709551615u + 1u > 0u", error},
      {"0u - 1u > 0u", error},
      {"18446744073709551615u * 2u > 0u", error},
      {"1 / 0 == 1", error},
      {"1 % 0 == 1", error},
      {"1u / 0u == 1u", error},
      {"1u % 0u == 1u", error},
      {"1.0 / 0.0 == double('Infinity') && -1.0 / 0.0 == double('-Infinity')"},
      {"0.0 / 0.0 != 0.0 / 0.0"},
      {"1 + 1u == 2", refused},
      {"1 + 1.0 == 2.0", refused},
      {"1.5 % 1.0 == 0.5", refused},
      {"-(1u) == 1u", refused},
      {"dyn(1) + 1u == 2u", error},
      {"dyn(1) + dyn(1.0) == 2.0", error},
      {"'a' - 'b' == ''", refused},
  });
}

TEST(CelFunctions, EqualityIsHeterogeneousAtRunTime) {
  expectAll({
      {"1 == 1.0", refused},
      {"1 == 'a'", refused},
      {"null == 1", refused},
      {"dyn(1) == 1.0 && dyn(1u) == 1 && dyn(3.0) == 3 && dyn(1) != 1.5 && dyn(-1) != 18446744073709551615u"},
      {"dyn(1) == '1'", no},
      {"dyn(1) != '1'"},
      {"dyn(null) == 0", no},
      {"dyn(null) == false", no},
      {"dyn([1, 2]) == [1.0, 2.0] && dyn([1]) != [1, 2] && [[1], [2]] == [[1], [2]]"},
      {"{'a': 1, 'b': 2} == {'b': 2, 'a': 1} && dyn({1: 'a'}) == {1u: 'a'} && {'a': 1} != {'a': 2}"},
      {"{'a': 1} == {'b': 1}", no},
      {"bytes('hello') == b'hello' && duration('1h') == duration('60m')"},
      {"double('NaN') == double('NaN')", no},
      {"[double('NaN')] == [double('NaN')]", no},
      {"double('NaN') != double('NaN')"},
      {"0.0 == -0.0"},
  });
}

TEST(CelFunctions, Ordering) {
  expectAll({
      {"2 <= 3 && 'a' <= 'b' && 'b' > 'a' && 'a' < 'aa' && 'Z' < 'a' && b'a' < b'b' && false < true && 5u > 3u"},
      {"-1 < dyn(1u) && dyn(1) < 1.5 && dyn(2u) > 1.5 && 1 < dyn(18446744073709551615u)"},
      {"1 >= dyn(18446744073709551615u)", no},
      {"1 < 2.0", refused},
      {"1 < 2u", refused},
      {"'a' < 1", refused},
      {"null < null", refused},
      {"[1] < [2]", refused},
      {"dyn('a') < 1", error},
      {"dyn(null) < dyn(null)", error},
      {"dyn([1]) < dyn([2])", error},
      {"double('NaN') < 1.0", no},
      {"double('NaN') >= 1.0", no},
      {"'ÿ' > 'z' && '😀' > 'ÿ'"},
      {"timestamp('2023-08-25T12:00:00Z') <= timestamp('2023-08-26T12:00:00Z') && duration('2h') < duration('3h')"},
  });
}

TEST(CelFunctions, Strings) {
  expectAll({
      {"size('πέντε') == 5 && '🤪'.size() == 1 && size(b'\\xF0\\x9F\\xA4\\xAA') == 4 && ''.size() == 0"},
      {"'hello world'.contains('world') && !'foobar'.contains('baz') && 'a'.contains('') && !''.contains('a')"},
      {"'foobar'.startsWith('foo') && ''.startsWith('') && !''.startsWith('f') && 'foobar'.endsWith('bar')"},
      {"matches('foobar', 'foo.*') && 'foobar'.matches('o+b') && !'foobar'.matches('^o') && ''.matches('')"},
      {"'x'.matches('(')", refused},
      {"'x'.matches('(?=a)')", refused},
      {"'x'.matches(dyn('('))", error},
      {"'mañana'.matches('a+ñ+a+') && 'aXb'.matches('(?i)axb')"},
      {"contains('a', 'b')", refused},
      {"dyn(1).contains('1')", error},
      {"size(1) == 1", refused},
      {"'a' + 'b' == 'ab' && b'a' + b'b' == b'ab'"},
      {"'a' + b'b' == 'ab'", refused},
  });
}

TEST(CelFunctions, AMatchThatCostsTooMuchFails) {
  // The steps would suffice for the text, but not for the slow matcher.
  const std::string text = R"({"text":")" + std::string(680, 'a') + "\"}";
  EXPECT_EQ(run("document.text.matches('a.{900}c')", text).outcome, Outcome::error);
  EXPECT_EQ(run("document.text.matches('a.{900}c') || true", text).outcome, Outcome::error);
  EXPECT_EQ(run("document.text.matches('a.{900}c')", R"({"text":"a"})").outcome, Outcome::no);
  // One evaluation does not compile three large patterns.
  EXPECT_EQ(run("['a{9}', 'b{9}', 'c{9}'].exists(p, document.text.matches(p))", R"({"text":"a"})").outcome,
            Outcome::error);
}

TEST(CelFunctions, Conversions) {
  expectAll({
      {"int(123) == 123 && int(3.99) == 3 && int(-3.99) == -3 && int('-12') == -12 && int(7u) == 7"},
      {"int(timestamp('2009-02-13T23:31:30Z')) == 1234567890"},
      {"int(18446744073709551615u) == 0", error},
      {"int(9223372036854775807.0) == 0", error},
      {"int(-9223372036854775808.0) == 0", error},
      {"int(double('NaN')) == 0", error},
      {"int('') == 0", error},
      {"int('1.5') == 0", error},
      {"int(' 1') == 0", error},
      {"int('9223372036854775808') == 0", error},
      {"int(true) == 1", refused},
      {"uint(3.99) == 3u && uint(7) == 7u && uint('300') == 300u"},
      {"uint(-1) == 0u", error},
      {"uint(-0.5) == 0u", error},
      {"uint(1e20) == 0u", error},
      {"uint('-1') == 0u", error},
      {"double(10) == 10.0 && double(1u) == 1.0 && double('-84.32e7') == -8.432e8 && double('Infinity') > 1e308"},
      {"double('') == 0.0", error},
      {"double('1x') == 0.0", error},
      {"double('nan(1)') == 0.0", error},
      {"double('1e999') == 0.0", error},
      {"string(123) == '123' && string(123u) == '123' && string(-4.5e-3) == '-0.0045' && string(true) == 'true'"},
      {"string(b'\\xf0\\x9f\\xa4\\xaa') == '🤪' && string('a') == 'a' && string(duration('1m1ms')) == '60.001s'"},
      {"string(timestamp('2009-02-13T23:31:30.5+01:00')) == '2009-02-13T22:31:30.5Z'"},
      {"string(b'\\000\\xff') == ''", error},
      {"string([1]) == ''", refused},
      {"string(null) == ''", refused},
      {"bytes('🤪') == b'\\xF0\\x9F\\xA4\\xAA' && bytes(b'a') == b'a'"},
      {"bool('true') && bool('t') && bool('1') && bool('True') && bool('TRUE') && !bool('false') && !bool('0')"},
      {"bool('TrUe')", error},
      {"bool('yes')", error},
      {"bool(1)", refused},
      {"dyn(1) == 1 && type(dyn(1)) == int"},
  });
}

TEST(CelFunctions, Timestamps) {
  expectAll({
      {"timestamp('2009-02-13T23:31:30Z').getFullYear() == 2009 && timestamp('2009-02-13T23:31:30Z').getMonth() == 1"},
      {"timestamp('2009-02-13T23:31:30Z').getDate() == 13 && timestamp('2009-02-13T23:31:30Z').getDayOfMonth() == 12"},
      {"timestamp('2009-02-13T23:31:30Z').getDayOfWeek() == 5 && timestamp('2023-12-25T12:00:00Z').getDayOfYear() == "
       "358"},
      {"timestamp('2009-02-13T23:31:30Z').getHours() == 23 && timestamp('2009-02-13T23:31:30Z').getMinutes() == 31"},
      {"timestamp('2009-02-13T23:31:20.123456789Z').getMilliseconds() == 123 && now.getSeconds() == 0"},
      {"timestamp('1969-12-31T23:59:59.999Z').getSeconds() == 59"},
      {"timestamp('1969-12-31T23:59:59.999Z').getMilliseconds() == 999"},
      {"timestamp('2023-12-25T00:00:00Z').getDate('America/Los_Angeles') == 24"},
      {"timestamp('2009-02-13T23:31:30Z').getHours('+11:00') == 10 && now.getHours('-00:30') == 9"},
      {"timestamp('2009-02-13T23:31:30Z').getMinutes('Asia/Kathmandu') == 16"},
      {"now.getHours('Mars/Olympus') == 1", error},
      {"now.getHours('../../etc/passwd') == 1", error},
      {"now.getHours('') == 1", error},
      {"now.getHours('+25:00') == 1", error},
      {"now.getHours(1) == 1", refused},
      {"timestamp('2023-01-01T00:00:00Z') + duration('24h') == timestamp('2023-01-02T00:00:00Z')"},
      {"duration('24h') + timestamp('2023-01-01T00:00:00Z') == timestamp('2023-01-02T00:00:00Z')"},
      {"timestamp('2023-01-10T12:00:00Z') - timestamp('2023-01-10T00:00:00Z') == duration('12h')"},
      {"timestamp('2023-01-01T00:00:00Z') - duration('1ns') == timestamp('2022-12-31T23:59:59.999999999Z')"},
      {"timestamp(0) == timestamp('1970-01-01T00:00:00Z') && timestamp(now) == now"},
      {"timestamp('0001-01-01T00:00:00Z') + duration('-1ns') == now", error},
      {"timestamp('9999-12-31T23:59:59.999999999Z') + duration('1ns') == now", error},
      {"timestamp('9999-12-31T23:59:59Z') - timestamp('0001-01-01T00:00:00Z') > duration('0')", error},
      {"timestamp('0000-12-31T00:00:00Z') == now", error},
      {"timestamp('2023-02-29T00:00:00Z') == now", error},
      {"timestamp('2023-01-01T24:00:00Z') == now", error},
      {"timestamp('2023-01-01T00:00:00') == now", error},
      {"timestamp('2023-01-01') == now", error},
      {"timestamp('2023-01-01T00:00:00.Z') == now", error},
      {"timestamp('2023-01-01T00:00:00Zx') == now", error},
      {"timestamp('-023-01-01T00:00:00Z') == now", error},
      {"timestamp(253402300800) == now", error},
      {"timestamp(-62135596801) == now", error},
      {"now + now == now", refused},
      {"now + 1 == now", refused},
  });
}

TEST(CelFunctions, Durations) {
  expectAll({
      {"duration('1h30m') == duration('90m') && duration('0') == duration('0s') && duration('-1.5h') == "
       "duration('-90m')"},
      {"duration('1h34us') > duration('1h') && duration('-23.4s') == duration('-23s400ms') && duration('1ns') > "
       "duration('0')"},
      {"duration('3h').getHours() == 3 && duration('1h30m').getMinutes() == 90 && duration('1m30s').getSeconds() == "
       "90"},
      {"duration('1.234s').getMilliseconds() == 234 && duration('-1.5s').getSeconds() == -1"},
      {"duration('1m') + duration('1s') == duration('61s') && duration('1m') - duration('1s') == duration('59s')"},
      {"string(duration('-1ms')) == '-0.001s' && string(duration('0')) == '0s' && string(duration('1000000s')) == "
       "'1000000s'"},
      {"duration('') == duration('0')", error},
      {"duration('1') == duration('0')", error},
      {"duration('1d') == duration('0')", error},
      {"duration('s') == duration('0')", error},
      {"duration('.s') == duration('0')", error},
      {"duration('--1s') == duration('0')", error},
      {"duration('1s ') == duration('0')", error},
      {"duration('320000000000s') > duration('0')", error},
      {"duration('-320000000000s') < duration('0')", error},
      {"duration('9000000000s') + duration('9000000000s') > duration('0')", error},
      {"duration('-9000000000s') - duration('9000000000s') < duration('0')", error},
      {"duration('1h').getFullYear() == 1", refused},
      {"duration('1h').getHours('UTC') == 1", refused},
  });
}

}  // namespace
}  // namespace mb::cel
