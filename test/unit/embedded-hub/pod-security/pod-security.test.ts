import { describe, expect, it } from "vitest";
import { describeViolations, podViolations } from "../../../../src/embedded-hub/pod-security/pod-security.ts";
import type { PodSecurityLevel } from "../../../../src/embedded-hub/pod-security/pod-security.ts";
import { podSecurityCases } from "../../../support/pod-security-cases.ts";

function textOf(name: string, level: PodSecurityLevel, version = "latest"): string {
  return describeViolations(podViolations({ level, version }, podSecurityCases[name]));
}

/** test/kube/pod-security.test.ts compares all cases with kube-apiserver; these are some of its answers. */
describe("podViolations", () => {
  it.each([
    ["safe", "restricted", ""],
    ["bare", "baseline", ""],
    [
      "bare",
      "restricted",
      'allowPrivilegeEscalation != false (container "a" must set securityContext.allowPrivilegeEscalation=false), ' +
        'unrestricted capabilities (container "a" must set securityContext.capabilities.drop=["ALL"]), ' +
        'runAsNonRoot != true (pod or container "a" must set securityContext.runAsNonRoot=true), ' +
        'seccompProfile (pod or container "a" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
    ],
    ["host namespaces", "baseline", "host namespaces (hostNetwork=true, hostPID=true, hostIPC=true)"],
    ["host ports", "baseline", 'hostPort (container "a" uses hostPorts 100, 90)'],
    ["two kinds of volumes", "baseline", 'hostPath volumes (volume "v")'],
    [
      "two kinds of volumes",
      "restricted",
      'restricted volume types (volumes "n", "v" use restricted volume types "hostPath", "nfs")',
    ],
    [
      "two privileged",
      "baseline",
      'privileged (containers "i", "a", "b" must not set securityContext.privileged=true)',
    ],
    ["user 0 of both", "restricted", 'runAsUser=0 (pod and container "a" must not set runAsUser=0)'],
    ["sysctls", "baseline", "forbidden sysctls (net.core.somaxconn, kernel.msgmax)"],
    ["windows", "restricted", ""],
    ["everything", "privileged", ""],
  ] as const)("of a Pod (%s) under %s", (name, level, text) => {
    expect(textOf(name, level)).toBe(text);
  });

  it("counts rules from the version that brought them", () => {
    expect(textOf("a probe of a host", "baseline")).not.toBe("");
    expect(textOf("a probe of a host", "baseline", "v1.33")).toBe("");
    expect(textOf("user 0", "restricted", "v1.22")).toBe("");
    expect(textOf("a capability", "restricted", "v1.21")).toMatch(/^non-default capabilities/u);
    expect(textOf("windows", "restricted", "v1.24")).not.toBe("");
  });
});
