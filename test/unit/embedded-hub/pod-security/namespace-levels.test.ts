import { describe, expect, it } from "vitest";
import { policyOf, validatePodSecurityLabels } from "../../../../src/embedded-hub/pod-security/namespace-levels.ts";

const namespace = (labels: Readonly<Record<string, string>>) => ({
  metadata: {
    labels: Object.fromEntries(
      Object.entries(labels).map(([key, value]) => [`pod-security.kubernetes.io/${key}`, value]),
    ),
  },
});

describe("policyOf", () => {
  it("is privileged without labels, and restricted where a label names no level", () => {
    expect(policyOf(namespace({}), "enforce")).toEqual({ level: "privileged", version: "latest" });
    expect(policyOf(namespace({ enforce: "strict" }), "enforce").level).toBe("restricted");
    expect(policyOf(undefined, "enforce").level).toBe("privileged");
  });

  it("warns of what is refused where no level of warnings is named", () => {
    const labels = { enforce: "baseline", "enforce-version": "v1.24" };
    expect(policyOf(namespace(labels), "warn")).toEqual({ level: "baseline", version: "v1.24" });
    expect(policyOf(namespace({ ...labels, warn: "privileged" }), "warn").level).toBe("privileged");
    expect(policyOf(namespace(labels), "audit").level).toBe("privileged");
  });
});

describe("validatePodSecurityLabels", () => {
  it("names each label that is wrong", () => {
    const errors = validatePodSecurityLabels(namespace({ warn: "", "audit-version": "1.24", enforce: "baseline" }));
    expect(errors.map(({ field }) => field)).toEqual([
      "metadata.labels[pod-security.kubernetes.io/audit-version]",
      "metadata.labels[pod-security.kubernetes.io/warn]",
    ]);
  });
});
