import { describe, expect, it } from "vitest";
import { celOutcome } from "../../support/cel-outcome.ts";

// Answers of kube-apiserver 1.34.4.
describe("the types of comprehensions", () => {
  it.each([
    "[1].map(x, x > 0, x + 1) == [2]",
    "[1].exists_one(x, x > 0)",
    "['a'].all(i, x, i == 0 && x == 'a')",
    "['a'].exists(i, x, i == 0 && x == 'a')",
    "['a'].exists_one(i, x, i == 0 && x == 'a')",
    "['a'].existsOne(i, x, i == 0 && x == 'a')",
    "{'a': 1}.all(k, v, k == 'a' && v == 1)",
    "{'a': 1}.map(k, k) == ['a']",
    "{'a': 1}.filter(k, true) == ['a']",
    "{'a': 1}.transformList(k, v, v) == [1]",
    "{'a': 1}.transformList(k, v, v > 0, k) == ['a']",
    "['a'].transformList(i, v, i) == [0]",
    "['a'].transformList(i, v, v == 'a', i) == [0]",
    "['a'].transformMap(i, v, v) == {0: 'a'}",
    "['a'].transformMap(i, v, i == 0, v) == {0: 'a'}",
    "{'a': 1}.transformMapEntry(k, v, {v: k}) == {1: 'a'}",
    "{'a': 1}.transformMapEntry(k, v, v > 0, {v: k}) == {1: 'a'}",
    "optional.of(1).optMap(x, x + 1) == optional.of(2)",
    "optional.of(1).optFlatMap(x, optional.of(x + 1)) == optional.of(2)",
    "dyn([1]).all(x, x > 0)",
    "dyn({'a': 1}).all(x, x == 'a')",
    "dyn([1]).all(i, x, i == 0)",
    "dyn([1]).map(x, x + 1) == [2]",
    "[].all(x, x > 0)",
    "[[]].all(x, x.all(y, y == 1))",
    "[].map(x, x.map(y, y)) == []",
    "[].all(x, x.all(y, y > 1))",
    "{}.all(k, v, v.all(y, y))",
    "[1].all(x, [2].all(x, x == 2))",
    "[1].map(x, [2].map(y, x + y)) == [[3]]",
    "[1].map(x, string(x)).all(y, y == '1')",
    "[].map(x, x.a.b == 1) == []",
    "[].map(x, x.a && x == 1) == []",
    "{'a': 1}.transformMapEntry(k, v, dyn({v: k})) == {1: 'a'}",
    "{'a': 1}.transformMapEntry(k, v, {}) == {}",
    "[].transformMapEntry(k, v, v) == {}",
  ])("it is true: %s", (text) => {
    expect(celOutcome(text)).toBe(true);
  });

  it.each([
    "optional.of(1).optFlatMap(x, dyn(x)) == optional.of(2)",
    "[].exists(i, x, x.exists(y, y))",
    "{'a': 1}.transformMapEntry(k, v, dyn({1: 2})) == {'x': 'a'}",
  ])("it is false: %s", (text) => {
    expect(celOutcome(text)).toBe(false);
  });

  it.each([
    [
      "[1].map(x, x, x + 1) == [2]",
      "ERROR: <input>:1:8: found no matching overload for '_?_:_' applied to '(int, list(int), list(int))'",
    ],
    [
      "[1].map(x, x + 1, x) == [2]",
      "ERROR: <input>:1:8: found no matching overload for '_?_:_' applied to '(int, list(int), list(int))'",
    ],
    [
      "[1].filter(x, x) == [1]",
      "ERROR: <input>:1:11: found no matching overload for '_?_:_' applied to '(int, list(int), list(int))'",
    ],
    [
      "[1].filter(x, 'a') == [1]",
      "ERROR: <input>:1:11: found no matching overload for '_?_:_' applied to '(string, list(int), list(int))'",
    ],
    [
      "[1].exists_one(x, x)",
      "ERROR: <input>:1:15: found no matching overload for '_?_:_' applied to '(int, int, int)'",
    ],
    [
      "[1].existsOne(i, x, x)",
      "ERROR: <input>:1:14: found no matching overload for '_?_:_' applied to '(int, int, int)'",
    ],
    ["[1].all(x, x)", "ERROR: <input>:1:12: expected type 'bool' but found 'int'"],
    ["['a'].all(i, x, x)", "ERROR: <input>:1:17: expected type 'bool' but found 'string'"],
    [
      "['a'].all(i, x, i + x == 1)",
      "ERROR: <input>:1:19: found no matching overload for '_+_' applied to '(int, string)'",
    ],
    [
      "{'a': 1}.all(k, v, k + v == 'a')",
      "ERROR: <input>:1:22: found no matching overload for '_+_' applied to '(string, int)'",
    ],
    [
      "{'a': 1}.exists(k, k == 1)",
      "ERROR: <input>:1:22: found no matching overload for '_==_' applied to '(string, int)'",
    ],
    [
      "{'a': 1}.map(k, k) == [1]",
      "ERROR: <input>:1:20: found no matching overload for '_==_' applied to '(list(string), list(int))'",
    ],
    [
      "{'a': 1}.filter(k, true) == [1]",
      "ERROR: <input>:1:26: found no matching overload for '_==_' applied to '(list(string), list(int))'",
    ],
    [
      "{'a': 1}.transformList(k, v, v) == ['a']",
      "ERROR: <input>:1:33: found no matching overload for '_==_' applied to '(list(int), list(string))'",
    ],
    [
      "{'a': 1}.transformList(k, v, v, k) == ['a']",
      "ERROR: <input>:1:23: found no matching overload for '_?_:_' applied to '(int, list(string), list(string))'",
    ],
    [
      "['a'].transformList(i, v, i) == ['a']",
      "ERROR: <input>:1:30: found no matching overload for '_==_' applied to '(list(int), list(string))'",
    ],
    [
      "['a'].transformList(i, v, v, i) == [0]",
      "ERROR: <input>:1:20: found no matching overload for '_?_:_' applied to '(string, list(int), list(int))'",
    ],
    [
      "['a'].transformMap(i, v, v) == {'a': 'a'}",
      "ERROR: <input>:1:29: found no matching overload for '_==_' applied to '(map(int, string), map(string, string))'",
    ],
    [
      "['a'].transformMap(i, v, i, v) == {0: 'a'}",
      "ERROR: <input>:1:19: found no matching overload for '_?_:_' applied to '(int, map(int, string), map(int, string))'",
    ],
    [
      "{'a': 1}.transformMap(k, v, v + 1) == {'a': 'b'}",
      "ERROR: <input>:1:36: found no matching overload for '_==_' applied to '(map(string, int), map(string, string))'",
    ],
    [
      "{'a': 1}.transformMap(k, v, v, v + 1) == {'a': 2}",
      "ERROR: <input>:1:22: found no matching overload for '_?_:_' applied to '(int, map(string, int), map(string, int))'",
    ],
    [
      "{'a': 1}.transformMapEntry(k, v, {v: k}) == {'a': 1}",
      "ERROR: <input>:1:42: found no matching overload for '_==_' applied to '(map(int, string), map(string, int))'",
    ],
    [
      "{'a': 1}.transformMapEntry(k, v, v, {v: k}) == {1: 'a'}",
      "ERROR: <input>:1:27: found no matching overload for '_?_:_' applied to '(int, map(int, string), map(int, string))'",
    ],
    [
      "{'a': 1}.transformMapEntry(k, v, v) == {1: 'a'}",
      "ERROR: <input>:1:27: found no matching overload for 'cel.@mapInsert' applied to '(map(dyn, dyn), int)'",
    ],
    [
      "{'a': 1}.transformMapEntry(k, v, [v]) == {1: 'a'}",
      "ERROR: <input>:1:27: found no matching overload for 'cel.@mapInsert' applied to '(map(dyn, dyn), list(int))'",
    ],
    [
      "optional.of(1).optMap(x, x + 'a') == optional.of(2)",
      "ERROR: <input>:1:28: found no matching overload for '_+_' applied to '(int, string)'",
    ],
    [
      "optional.of(1).optMap(x, string(x)) == optional.of(2)",
      "ERROR: <input>:1:37: found no matching overload for '_==_' applied to '(optional_type(string), optional_type(int))'",
    ],
    [
      "optional.of(1).optMap(x, x).value() == 'a'",
      "ERROR: <input>:1:37: found no matching overload for '_==_' applied to '(int, string)'",
    ],
    [
      "optional.of(1).optFlatMap(x, optional.of(string(x))).value() == 2",
      "ERROR: <input>:1:62: found no matching overload for '_==_' applied to '(string, int)'",
    ],
    [
      "optional.of(1).optFlatMap(x, x) == optional.of(2)",
      "ERROR: <input>:1:26: found no matching overload for '_?_:_' applied to '(bool, int, optional_type(dyn))'",
    ],
    ["1.optMap(x, x).hasValue()", "ERROR: <input>:1:9: found no matching overload for 'hasValue' applied to 'int.()'"],
    [
      "'a'.optFlatMap(x, optional.of(x)).hasValue()",
      "ERROR: <input>:1:15: found no matching overload for 'hasValue' applied to 'string.()'",
    ],
    [
      "'abc'.all(x, true)",
      "ERROR: <input>:1:1: expression of type 'string' cannot be range of a comprehension (must be list, map, or dynamic)",
    ],
    [
      "'abc'.map(x, x) == []",
      "ERROR: <input>:1:1: expression of type 'string' cannot be range of a comprehension (must be list, map, or dynamic)",
    ],
    [
      "1.exists(i, x, true)",
      "ERROR: <input>:1:1: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)",
    ],
    [
      "timestamp(0).map(x, x) == []",
      "ERROR: <input>:1:10: expression of type 'timestamp' cannot be range of a comprehension (must be list, map, or dynamic)",
    ],
    [
      "optional.of([1]).all(x, true)",
      "ERROR: <input>:1:12: expression of type 'optional_type(list(int))' cannot be range of a comprehension (must be list, map, or dynamic)",
    ],
    [
      "optional.of(1).all(x, true)",
      "ERROR: <input>:1:12: expression of type 'optional_type(int)' cannot be range of a comprehension (must be list, map, or dynamic)",
    ],
    [
      "[].all(x, x + 1 == 'a')",
      "ERROR: <input>:1:17: found no matching overload for '_==_' applied to '(int, string)'",
    ],
    [
      "[[]].all(x, x.all(y, y == 1) && x.all(y, y == 'a'))",
      "ERROR: <input>:1:44: found no matching overload for '_==_' applied to '(int, string)'",
    ],
    [
      "[1].map(x, ['a'].map(y, x + y)) == [[3]]",
      "ERROR: <input>:1:27: found no matching overload for '_+_' applied to '(int, string)'",
    ],
    [
      "[1].map(x, x).all(y, y == 'a')",
      "ERROR: <input>:1:24: found no matching overload for '_==_' applied to '(int, string)'",
    ],
    [
      "[1].map(x, string(x)).all(y, y == 1)",
      "ERROR: <input>:1:32: found no matching overload for '_==_' applied to '(string, int)'",
    ],
    [
      "[1].filter(x, x > 0).all(y, y == 'a')",
      "ERROR: <input>:1:31: found no matching overload for '_==_' applied to '(int, string)'",
    ],
    [
      "{'a': 1}.filter(x, x == 'a').all(y, y == 1)",
      "ERROR: <input>:1:39: found no matching overload for '_==_' applied to '(string, int)'",
    ],
    [
      "{'a': 1}.transformMap(k, v, string(v)).all(k, v, v == 1)",
      "ERROR: <input>:1:52: found no matching overload for '_==_' applied to '(string, int)'",
    ],
    [
      "{'a': 1}.transformMapEntry(k, v, {v: k}).all(k, v, k == 'a')",
      "ERROR: <input>:1:54: found no matching overload for '_==_' applied to '(int, string)'",
    ],
    ["[1].all(x, x == 1 || y)", "ERROR: <input>:1:22: undeclared reference to 'y' (in container '')"],
    ["[1].all(x, true) && x", "ERROR: <input>:1:21: undeclared reference to 'x' (in container '')"],
    [
      "{'a': 1}.transformMapEntry(k, v, v > 0, v) == {1: 'a'}",
      "ERROR: <input>:1:27: found no matching overload for 'cel.@mapInsert' applied to '(map(dyn, dyn), int)'",
    ],
    [
      "{'a': 1}.transformMapEntry(k, v, null) == {1: 'a'}",
      "ERROR: <input>:1:27: found no matching overload for 'cel.@mapInsert' applied to '(map(dyn, dyn), null)'",
    ],
    [
      "{'a': 1}.transformMapEntry(k, v, x) == {'x': 'a'}",
      "ERROR: <input>:1:34: undeclared reference to 'x' (in container '')",
    ],
    [
      "{'a': 1}.transformMapEntry(k, v, v, x) == {'x': 'a'}",
      "ERROR: <input>:1:27: found no matching overload for '_?_:_' applied to '(int, map(dyn, dyn), map(dyn, dyn))'",
    ],
  ])("it fails with the message of an API server: %s", (text, why) => {
    expect(celOutcome(text)).toBe(why);
  });
});
