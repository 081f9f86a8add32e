import { describe, expect, it } from "vitest";
import { celOutcome } from "../../support/cel-outcome.ts";

// Answers of kube-apiserver 1.34.4.
describe("semantic versions", () => {
  it.each([
    "semver('1.2.3-a.b') == semver('1.2.3-a.b')",
    "semver('1.2.3-1').compareTo(semver('1.2.3-a')) == -1",
    "semver('1.2.3-a').compareTo(semver('1.2.3-1')) == 1",
    "semver('1.2.3-2').compareTo(semver('1.2.3-10')) == -1",
    "semver('1.2.3-10').compareTo(semver('1.2.3-2')) == 1",
    "semver('1.2.3-a').compareTo(semver('1.2.3-b')) == -1",
    "semver('1.2.3-a.1').compareTo(semver('1.2.3-a')) == 1",
    "semver('1.2.3-a').compareTo(semver('1.2.3-a.1')) == -1",
    "semver('1.2.3-a').compareTo(semver('1.2.3')) == -1",
    "semver('1.2.3').compareTo(semver('1.2.3-a')) == 1",
    "semver('1.2.3+a').compareTo(semver('1.2.3+b')) == 0",
    "semver('1.2.3+a') == semver('1.2.3+b')",
    "semver('2.0.0').compareTo(semver('1.9.9')) == 1",
    "semver('1.3.0').compareTo(semver('1.2.9')) == 1",
    "semver('1.2.3').isGreaterThan(semver('1.2.2'))",
    "semver('1.2.3').major() == 1 && semver('1.2.3').minor() == 2 && semver('1.2.3').patch() == 3",
    "isSemver('1.2.3-01a')",
    "isSemver('1.2.3-0')",
    "isSemver('1.2.3+01')",
    "isSemver('0.0.0')",
    "isSemver('v1.2.3', true)",
    "isSemver('v1', true)",
    "isSemver('1.2.3-a', true)",
    "isSemver('01.02.03', true)",
    "isSemver('00.0.000', true)",
    "isSemver('01.02.03-a', true)",
    "isSemver('18446744073709551615.0.0')",
    "semver('v01.02', true) == semver('1.2.0')",
    "semver('00.0.0', true) == semver('0.0.0')",
  ])("it is true: %s", (text) => {
    expect(celOutcome(text)).toBe(true);
  });

  it.each([
    "semver('1.2.3-a') == semver('1.2.3-b')",
    "semver('1.2.3').isLessThan(semver('1.2.3'))",
    "semver('1.2.3').isGreaterThan(semver('1.2.3'))",
    "isSemver('1.2.3-')",
    "isSemver('1.2.3+')",
    "isSemver('1.2.3-a..b')",
    "isSemver('1.2.3-01')",
    "isSemver('1.2.3+a_b')",
    "isSemver('1.2.3-a_b')",
    "isSemver('01.2.3')",
    "isSemver('1.02.3')",
    "isSemver('1.2.03')",
    "isSemver('1..3')",
    "isSemver('.2.3')",
    "isSemver('1.2.')",
    "isSemver('1.2.3.4')",
    "isSemver('-1.2.3')",
    "isSemver('v1.2.3')",
    "isSemver('v1.2.3', false)",
    "isSemver('v', true)",
    "isSemver('', true)",
    "isSemver('V1.2.3', true)",
    "isSemver('1.2-a', true)",
    "isSemver('1-a', true)",
    "isSemver('1.2+a', true)",
    "isSemver('1.2.3.4', true)",
    "isSemver('1.2.3-01', true)",
    "isSemver('vv1.2.3', true)",
    "isSemver('18446744073709551616.0.0')",
    "semver('18446744073709551615.0.0').major() == 1",
    "semver('9223372036854775808.0.0').major() == 1",
  ])("it is false: %s", (text) => {
    expect(celOutcome(text)).toBe(false);
  });

  it.each([
    [
      "type(semver('1.2.3')) == kubernetes.Semver",
      "ERROR: <input>:1:26: undeclared reference to 'kubernetes' (in container '')",
    ],
    ["dyn(semver('1.2.3')) == dyn('1')", "no such overload"],
    ["semver('1.2-a', true) == semver('1.2.0')", "short version cannot contain PreRelease/Build meta data"],
    ["semver('1.2.3 ') == semver('1.2.3')", 'Invalid character(s) found in patch number "3 "'],
  ])("it fails with the message of an API server: %s", (text, why) => {
    expect(celOutcome(text)).toBe(why);
  });
});
