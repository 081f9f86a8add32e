import { describe, expect, it } from "vitest";
import { celOutcome } from "../../support/cel-outcome.ts";

// Answers of kube-apiserver 1.34.4.
describe("quantities", () => {
  it.each([
    "quantity('-1').isInteger()",
    "quantity('1k').asInteger() == 1000",
    "quantity('50m').asApproximateFloat() == 0.05",
    "quantity('10k').asApproximateFloat() == 10000.0",
    "sign(quantity('-5')) == -1",
    "sign(quantity('0')) == 0",
    "sign(quantity('5')) == 1",
    "quantity('5').sub(quantity('2')) == quantity('3')",
    "quantity('5').sub(2) == quantity('3')",
    "quantity('5').add(-2) == quantity('3')",
    "quantity('5').compareTo(quantity('5')) == 0",
    "quantity('5').compareTo(quantity('4')) == 1",
    "quantity('5') == quantity('5000m')",
    "isQuantity('5Gi')",
    "quantity('1e3') == quantity('1k')",
    "quantity('0.1n') == quantity('1n')",
    "quantity('1Gi').isInteger()",
    "quantity('999999999999999999').isInteger()",
    "quantity('1.5k').isInteger()",
    "quantity('999999999999999999').add(1).isInteger()",
    "quantity('999999999999999999').add(999999999999999999).isInteger()",
    "quantity('1E').isInteger()",
    "quantity('9E').isInteger()",
    "dyn('1') != dyn(quantity('1'))",
    "dyn(quantity('1')) != dyn('1')",
    "quantity('10Ti').isInteger()",
    "quantity('9Gi').asInteger() == 9663676416",
    "quantity('0').isInteger()",
    "quantity('00').isInteger()",
    "quantity('1').add(quantity('0')).isInteger()",
    "quantity('1').add(quantity('0.0')).isInteger()",
    "quantity('9E').sub(quantity('8E')).isInteger()",
    "quantity('1E').add(quantity('1')).isInteger()",
    "quantity('1e3').isInteger()",
    "quantity('1e18').isInteger()",
    "quantity('-5').isInteger()",
    "quantity('+5').isInteger()",
    "quantity('5.').isInteger()",
    "quantity('1.5k').asInteger() == 1500",
    "quantity('1.50k').isInteger()",
    "quantity('000000000000000000000001').isInteger()",
    "quantity('1Ti').add(1).isInteger()",
    "quantity('123456Ki').isInteger()",
    "quantity('5k').sub(quantity('5')).asInteger() == 4995",
  ])("it is true: %s", (text) => {
    expect(celOutcome(text)).toBe(true);
  });

  it.each([
    "quantity('1.5').isInteger()",
    "quantity('9223372036854775807').isInteger()",
    "quantity('9223372036854775808').isInteger()",
    "quantity('5').isLessThan(quantity('5'))",
    "quantity('5').isGreaterThan(quantity('5'))",
    "quantity('5') == quantity('5001m')",
    "isQuantity('5X')",
    "isQuantity('')",
    "quantity('1n').isInteger()",
    "quantity('1.5Gi').isInteger()",
    "quantity('1.0').isInteger()",
    "quantity('1000000000000000000').isInteger()",
    "quantity('1Ei').isInteger()",
    "quantity('1024Pi').isInteger()",
    "quantity('0.5Gi').add(1).isInteger()",
    "quantity('10E').isInteger()",
    "dyn(1) == dyn(quantity('1'))",
    "dyn(quantity('1')) == dyn(null)",
    "dyn(quantity('1')) in [dyn('1')]",
    "quantity('100Ti').isInteger()",
    "quantity('1Pi').isInteger()",
    "quantity('1000m').isInteger()",
    "quantity('1.5').add(quantity('0.5')).isInteger()",
    "quantity('0.0').isInteger()",
    "quantity('0.5').add(quantity('1')).isInteger()",
    "quantity('0').add(quantity('0.5')).isInteger()",
    "quantity('9E').add(quantity('9E')).isInteger()",
    "quantity('1Ei').sub(quantity('1Ei')).isInteger()",
    "quantity('1e-3').isInteger()",
    "quantity('1e19').isInteger()",
    "quantity('.5').isInteger()",
    "quantity('1.5555k').isInteger()",
    "quantity('0Ei').isInteger()",
    "quantity('0.5Ki').isInteger()",
    "quantity('-9223372036854775808').isInteger()",
  ])("it is false: %s", (text) => {
    expect(celOutcome(text)).toBe(false);
  });

  it.each([
    [
      "type(quantity('1')) == kubernetes.Quantity",
      "ERROR: <input>:1:24: undeclared reference to 'kubernetes' (in container '')",
    ],
    ["dyn(quantity('1')) == dyn('1')", "no such overload"],
    ["quantity('9223372036854775808').asInteger() == 1", "cannot convert value to integer"],
    ["quantity('-9223372036854775808').asInteger() == -9223372036854775808", "cannot convert value to integer"],
    [
      "'%s'.format([dyn(quantity('1'))]) == '1'",
      "error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given kubernetes.Quantity",
    ],
    [
      "'%s'.format([[quantity('1')]]) == ''",
      "ERROR: <input>:1:23: error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given kubernetes.Quantity",
    ],
    [
      "'%s'.format([{'a': quantity('1')}]) == ''",
      "ERROR: <input>:1:28: error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given kubernetes.Quantity",
    ],
  ])("it fails with the message of an API server: %s", (text, why) => {
    expect(celOutcome(text)).toBe(why);
  });
});
