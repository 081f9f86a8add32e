import { describe, expect, it } from "vitest";
import type { Cluster } from "../../../src/model/generated/cluster.ts";
import { deletionPolicyOf, graceEndMs, isPlacedRemoved } from "../../../src/planning/cluster-settings.ts";

const since = "2027-01-01T00:00:00Z";
const cluster = (spec: Cluster["spec"]): Cluster => ({
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "Cluster",
  metadata: { name: "eu-1", namespace: "fleet" },
  ...(spec ? { spec } : {}),
});

describe("graceEndMs", () => {
  it.each([
    { period: undefined, laterMs: 0 },
    { period: "0", laterMs: 0 },
    { period: "90s", laterMs: 90_000 },
  ])("begins $laterMs ms later with $period", ({ period, laterMs }) => {
    const spec = period === undefined ? undefined : { deletionGracePeriod: period };
    expect(graceEndMs(cluster(spec), since)).toBe(Date.parse(since) + laterMs);
  });

  it.each(["999999h999999h999999h", "soon", ""])(
    "begins no leave for centuries with a period that is none: %j",
    (period) => {
      const years = (graceEndMs(cluster({ deletionGracePeriod: period }), since) - Date.parse(since)) / 31_557_600_000;
      expect(years).toBeGreaterThan(200);
    },
  );
});

describe("the ways to leave", () => {
  it("uninstall only the agents that the hub installed, unless the file declares it", () => {
    const installed = { kubeConfigSecretRef: { name: "kubeconfig" } };
    expect(deletionPolicyOf(cluster(undefined))).toBe("Detach");
    expect(deletionPolicyOf(cluster(installed))).toBe("Uninstall");
    expect(deletionPolicyOf(cluster({ ...installed, deletionPolicy: "Detach" }))).toBe("Detach");
    expect(deletionPolicyOf(cluster({ deletionPolicy: "Uninstall" }))).toBe("Uninstall");
  });

  it("keep what was placed unless the file declares otherwise", () => {
    const placed = [undefined, {}, { placedResources: "Keep" }, { placedResources: "Remove" }] as const;
    expect(placed.map((spec) => isPlacedRemoved(cluster(spec)))).toEqual([false, false, false, true]);
  });
});
