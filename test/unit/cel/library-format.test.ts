import { describe, expect, it } from "vitest";
import { celOutcome } from "../../support/cel-outcome.ts";

// Answers of kube-apiserver 1.34.4.
describe("named formats", () => {
  it.each([
    "format.named('dns1123Label').hasValue()",
    "format.dns1123Label().validate('A').hasValue()",
    "format.dns1123LabelPrefix().validate('-').hasValue()",
    "format.dns1123Label().validate('a-').hasValue()",
    "format.uri().validate('').hasValue()",
    "format.uri().validate('a').hasValue()",
    "format.uuid().validate('x').hasValue()",
    "format.datetime().validate('2020').hasValue()",
  ])("it is true: %s", (text) => {
    expect(celOutcome(text)).toBe(true);
  });

  it.each([
    "format.named('x').hasValue()",
    "format.dns1123Label().validate('a').hasValue()",
    "format.dns1123LabelPrefix().validate('a-').hasValue()",
    "format.uri().validate('/a').hasValue()",
    "format.byte().validate('YQ==').hasValue()",
    "format.date().validate('2020-01-01').hasValue()",
  ])("it is false: %s", (text) => {
    expect(celOutcome(text)).toBe(false);
  });

  it.each([
    [
      "type(format.dns1123Label()) == kubernetes.NamedFormat",
      "ERROR: <input>:1:32: undeclared reference to 'kubernetes' (in container '')",
    ],
    ["dyn(format.dns1123Label()) == dyn(1)", "no such overload"],
  ])("it fails with the message of an API server: %s", (text, why) => {
    expect(celOutcome(text)).toBe(why);
  });
});
