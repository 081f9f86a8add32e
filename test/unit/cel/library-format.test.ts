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
    "format.uri().validate('').value() == ['parse \"\": empty url']",
    "format.uri().validate('a').value() == ['parse \"a\": invalid URI for request']",
    "format.uri().validate('a b').hasValue()",
    "format.uuid().validate('x').value() == ['does not match the UUID format']",
    "format.byte().validate('x').value() == ['invalid base64']",
    "format.date().validate('x').value() == ['invalid date']",
    "format.datetime().validate('x').value() == ['invalid datetime']",
    "format.dns1123LabelPrefix().validate('-a-').hasValue()",
    "format.dns1123LabelPrefix().validate('').hasValue()",
    "format.dns1123SubdomainPrefix().validate('a.').hasValue()",
    "format.dns1035Label().validate('1a').hasValue()",
    "format.dns1123Subdomain().validate('a_b').hasValue()",
    "format.dns1123Label().validate('a.b').hasValue()",
    "format.qualifiedName().validate('a/b/c').hasValue()",
    "format.labelValue().validate('a b').hasValue()",
    "format.byte().validate('YQ=').hasValue()",
    "format.byte().validate('').hasValue()",
    "format.date().validate('2020-02-30').hasValue()",
    "format.dns1123Label() == format.dns1123Label()",
    "format.named('uri').value() == format.uri()",
    "format.dns1123Label().validate('A').value().size() == 1",
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
    "format.uri().validate('http://a b').value()[0]  == 'x'",
    "format.dns1123LabelPrefix().validate('a--').hasValue()",
    "format.dns1123LabelPrefix().validate('A-').hasValue()",
    "format.dns1123LabelPrefix().validate('ab-').hasValue()",
    "format.dns1123LabelPrefix().validate('a').hasValue()",
    "format.dns1123SubdomainPrefix().validate('a.b-').hasValue()",
    "format.dns1123SubdomainPrefix().validate('a.-').hasValue()",
    "format.dns1035LabelPrefix().validate('a-').hasValue()",
    "format.dns1035LabelPrefix().validate('1-').hasValue()",
    "format.dns1035Label().validate('a1').hasValue()",
    "format.dns1123Subdomain().validate('a.b').hasValue()",
    "format.qualifiedName().validate('a.b/c').hasValue()",
    "format.labelValue().validate('').hasValue()",
    "format.uuid().validate('00000000-0000-0000-0000-000000000000').hasValue()",
    "format.datetime().validate('2020-01-01T00:00:00Z').hasValue()",
    "format.dns1123Label() == format.uri()",
    "format.named('toString').hasValue()",
    "format.named('uri').value().validate('/a').hasValue()",
    "format.uri().validate('//').hasValue()",
  ])("it is false: %s", (text) => {
    expect(celOutcome(text)).toBe(false);
  });

  it.each([
    [
      "type(format.dns1123Label()) == kubernetes.NamedFormat",
      "ERROR: <input>:1:32: undeclared reference to 'kubernetes' (in container '')",
    ],
    ["dyn(format.dns1123Label()) == dyn(1)", "no such overload"],
    [
      "format.uri() == quantity('1')",
      "ERROR: <input>:1:14: found no matching overload for '_==_' applied to '(kubernetes.NamedFormat, kubernetes.Quantity)'",
    ],
    [
      "format.dns1123Label().validate(1)",
      "ERROR: <input>:1:31: found no matching overload for 'validate' applied to 'kubernetes.NamedFormat.(int)'",
    ],
    ["format.x()", "ERROR: <input>:1:1: undeclared reference to 'format' (in container '')"],
  ])("it fails with the message of an API server: %s", (text, why) => {
    expect(celOutcome(text)).toBe(why);
  });
});
