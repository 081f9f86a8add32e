import { describe, expect, it } from "vitest";
import { celOutcome } from "../../support/cel-outcome.ts";

// Answers of kube-apiserver 1.34.4.
describe("functions of texts", () => {
  it.each([
    "'abc'.indexOf('', 1) == 1",
    "'abc'.indexOf('', 9) == 9",
    "'abc'.indexOf('', -1) == -1",
    "'abc'.indexOf('c', 3) == -1",
    "'abc'.indexOf('c', 2) == 2",
    "'abc'.indexOf('bcd') == -1",
    "'abc'.indexOf('') == 0",
    "'abcabc'.indexOf('ca') == 2",
    "'abcabc'.indexOf('abc', 1) == 3",
    "'abc'.lastIndexOf('') == 3",
    "'abc'.lastIndexOf('', 1) == 1",
    "'abc'.lastIndexOf('c', 1) == -1",
    "'abcabc'.lastIndexOf('ab', 3) == 3",
    "'abcabc'.lastIndexOf('ab', 2) == 0",
    "'abcabc'.lastIndexOf('abcabca') == -1",
    "'abc'.lastIndexOf('a', 2) == 0",
    "'a'.lastIndexOf('ab', 0) == -1",
    "'abc'.charAt(3) == ''",
    "'abc'.charAt(2) == 'c'",
    "'😀b'.charAt(1) == 'b'",
    "'abc'.substring(3) == ''",
    "'abc'.substring(1, 1) == ''",
    "'abc'.substring(0, 3) == 'abc'",
    "'😀bc'.substring(1, 2) == 'b'",
    "'aaa'.replace('a', 'b', 0) == 'aaa'",
    "'aaa'.replace('a', 'b', 2) == 'bba'",
    "'aaa'.replace('a', 'b', -1) == 'bbb'",
    "'aaa'.replace('a', 'b', 5) == 'bbb'",
    "'ab'.replace('', '-') == '-a-b-'",
    "'ab'.replace('', '-', 1) == '-ab'",
    "'ab'.replace('', '-', 2) == '-a-b'",
    "'ab'.replace('', '-', 3) == '-a-b-'",
    "'ab'.replace('', '-', 9) == '-a-b-'",
    "'😀'.replace('', '-') == '-😀-'",
    "'a$&b'.replace('a', '$&') == '$&$&b'",
    "'a,b,c'.split(',', 0) == []",
    "'a,b,c'.split(',', 1) == ['a,b,c']",
    "'a,b,c'.split(',', 2) == ['a', 'b,c']",
    "'a,b,c'.split(',', 3) == ['a', 'b', 'c']",
    "'a,b,c'.split(',', 4) == ['a', 'b', 'c']",
    "'a,b,c'.split(',', -1) == ['a', 'b', 'c']",
    "'😀b'.split('') == ['😀', 'b']",
    "''.split(',') == ['']",
    "''.split('') == []",
    "'abc'.split('', 2) == ['a', 'bc']",
    "'ÀBC'.lowerAscii() == 'Àbc'",
    "'àbc'.upperAscii() == 'àBC'",
    "' \\t\\nabc\\u00a0\\u0085 '.trim() == 'abc'",
    "'\\u0085abc'.trim() == 'abc'",
    "'\\x0babc\\x0c'.trim() == 'abc'",
    "'abc'.matches('b')",
    "matches('abc', 'b')",
    "'abc'.matches('(?i)B')",
    "'abc abd'.find('ab[d-z]') == 'abd'",
    "'abc'.find('x') == ''",
    "'abab'.findAll('a.', 1) == ['ab']",
    "'abab'.findAll('a.', 0) == []",
    "'abab'.findAll('a.', -1) == ['ab', 'ab']",
    "'abab'.findAll('x*') == ['', '', '', '', '']",
    "'abab'.findAll('x') == []",
    "['a', 'b'].join(',') == 'a,b'",
    "[].join(',') == ''",
    "strings.quote('a\"b\\\\c\\n\\t\\a\\b\\f\\v\\r') == '\"a\\\\\"b\\\\\\\\c\\\\n\\\\t\\\\a\\\\b\\\\f\\\\v\\\\r\"'",
    "strings.quote('é😀') == '\"é😀\"'",
    "strings.quote('\\x01') == '\"\\x01\"'",
    "strings.quote('\\u2028') == '\"\\u2028\"'",
    "dyn(['a', 'b']).join() == 'ab'",
    "'abc'.lowerAscii() == 'abc' && 'aZ'.upperAscii() == 'AZ'",
  ])("it is true: %s", (text) => {
    expect(celOutcome(text)).toBe(true);
  });

  it.each([
    "'abc'.lastIndexOf('a', 3) == 0",
    "'\\ufeffabc'.trim() == 'abc'",
    "'\\u200babc'.trim() == 'abc'",
    "'\\u180eabc'.trim() == 'abc'",
    "'abc'.matches('^b')",
    "matches('abc', '^b')",
  ])("it is false: %s", (text) => {
    expect(celOutcome(text)).toBe(false);
  });

  it.each([
    ["'abc'.indexOf('c', -1) == 2", "index out of range: -1"],
    ["'abc'.lastIndexOf('a', -1) == 0", "index out of range: -1"],
    ["'abc'.charAt(-1) == ''", "index out of range: -1"],
    ["'abc'.charAt(4) == ''", "index out of range: 4"],
    ["'abc'.substring(-1) == ''", "index out of range: -1"],
    ["'abc'.substring(0, 4) == ''", "index out of range: 4"],
    ["dyn(['a', 1]).join(',') == 'a,1'", "ERROR: <input>:1:11: expected type 'string' but found 'int'"],
  ])("it fails with the message of an API server: %s", (text, why) => {
    expect(celOutcome(text)).toBe(why);
  });
});
