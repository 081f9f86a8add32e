import { describe, expect, it } from "vitest";
import { checkVersion, describeDifference } from "../../../src/install/check-hub.ts";
import { crds } from "../../../src/model/generated/crds.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";

describe("checkVersion", () => {
  it.each(["v1.28.15", "v1.9.0"])("refuses %s", (gitVersion) => {
    const check = () => checkVersion("https://hub:6443", JSON.stringify({ gitVersion }));
    expect(check).toThrow(`the hub https://hub:6443 runs Kubernetes ${gitVersion}; 1.29 is needed`);
    expect(check).toThrow(expect.objectContaining({ remedy: expect.stringMatching(/^Upgrade the hub/u) as string }));
  });

  it.each(['{"gitVersion":"v1.29.0"}', '{"gitVersion":"v1.34.4-eks-1"}', '{"gitVersion":"v2.0.0"}', "{}", "<html>"])(
    "continues with %s",
    (text) => {
      expect(() => checkVersion("https://hub:6443", text)).not.toThrow();
    },
  );
});

describe("describeDifference", () => {
  const ours = crds.find(({ metadata }) => metadata.name === "clusters.rollcall.dev") ?? raise();
  const changed = (change: (key: string, value: unknown) => unknown) =>
    JSON.parse(JSON.stringify(ours), (key, value: unknown) => change(key, value)) as KubeObject;

  it("finds nothing in the same definition, and in one with more fields", () => {
    expect(describeDifference(ours, ours)).toBeUndefined();
    const more = changed((key, value) =>
      key === "properties" ? { ...(value as object), later: { type: "string" } } : value,
    );
    expect(describeDifference(more, ours)).toBeUndefined();
  });

  it.each([
    ["deletionProtection", "spec.deletionProtection"],
    ["periodSeconds", "spec.heartbeat.periodSeconds"],
    ["tolerationSeconds", "spec.agent.tolerations[].tolerationSeconds"],
  ])("names the first field that an older one does not have: %s", (field, path) => {
    const older = changed((key, value) => (key === field ? undefined : value));
    expect(describeDifference(older, ours)).toBe(`is older than this program: it has no ${path}`);
  });

  it("refuses one that stores a version that is not known here", () => {
    const newer = changed((_key, value) => (value === "v1alpha1" ? "v1" : value));
    expect(describeDifference(newer, ours)).toContain("stores v1, which a newer Rollcall made");
  });

  it("refuses one that stores a version that is not known here, also where it still serves one that is", () => {
    const newer = changed((key, value) => {
      if (key !== "versions") return value;
      const [known] = value as readonly object[];
      return [
        { ...known, storage: false },
        { ...known, name: "v1", storage: true },
      ];
    });
    expect(describeDifference(newer, ours)).toContain("stores v1, which a newer Rollcall made");
  });
});

function raise(): never {
  throw new Error("there is no definition of Cluster");
}
