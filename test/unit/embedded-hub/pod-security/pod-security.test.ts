import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { describeViolations, podViolations } from "../../../../src/embedded-hub/pod-security/pod-security.ts";
import type { PodSecurityLevel } from "../../../../src/embedded-hub/pod-security/pod-security.ts";
import { podSecurityCases } from "../../../support/pod-security-cases.ts";

function textOf(name: string, level: PodSecurityLevel, version = "latest"): string {
  return describeViolations(podViolations({ level, version }, podSecurityCases[name]));
}

/** test/kube/pod-security.test.ts compares all cases with kube-apiserver; these are its answers. */
describe("podViolations", () => {
  it("finds in each Pod what the golden file has", async () => {
    const levels = ["baseline", "restricted"] as const;
    const lines = Object.keys(podSecurityCases).flatMap((name) =>
      levels.map((level) => `${name}, ${level}: ${textOf(name, level) || "allowed"}\n`),
    );
    await expect(lines.join("")).toMatchFileSnapshot(join(import.meta.dirname, "golden/violations.txt"));
  });

  it("finds nothing at the level privileged", () => {
    expect(
      Object.keys(podSecurityCases)
        .map((name) => textOf(name, "privileged"))
        .join(""),
    ).toBe("");
  });

  it("counts rules from the version that brought them", () => {
    expect(textOf("a probe of a host", "baseline")).not.toBe("");
    expect(textOf("a probe of a host", "baseline", "v1.33")).toBe("");
    expect(textOf("the SELinux type of container engines", "baseline", "v1.30")).toContain("container_engine_t");
    expect(textOf("the SELinux type of container engines", "baseline", "v1.31")).toBe("");
    expect(textOf("user 0", "restricted", "v1.22")).toBe("");
    expect(textOf("a capability", "restricted", "v1.21")).toMatch(/^non-default capabilities/u);
    expect(textOf("windows", "restricted", "v1.24")).not.toBe("");
  });
});
