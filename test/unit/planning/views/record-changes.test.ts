import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { recordChanges } from "../../../../src/planning/views/record-changes.ts";
import { readRecordedCluster } from "../../../../src/planning/views/recorded-cluster.ts";

function cluster(fields: JsonObject) {
  return readRecordedCluster({ kind: "ClusterRecord", ...fields });
}
const condition = (status: string, reason: string) => ({ type: "Ready", status, reason, message: "Check its Pod." });
const labels = (tier: string) => ({ labels: { tier: { value: tier, owner: "File" } } });

describe("recordChanges", () => {
  it.each([
    { before: undefined, after: undefined, lines: [] },
    { before: {}, after: undefined, lines: ["Removed: It left the fleet."] },
    { before: undefined, after: {}, lines: ["Added: It was declared.", "State: Declared."] },
    {
      before: {},
      after: { conditions: [condition("True", "Ready")] },
      lines: ["State: Ready, before Declared."],
    },
    {
      before: { conditions: [condition("True", "Ready")] },
      after: { conditions: [condition("True", "Ready")], suspended: true },
      lines: ["State: Ready, Suspended, before Ready."],
    },
    {
      before: { conditions: [condition("False", "NoNodeReady")] },
      after: { conditions: [condition("False", "ApiServerNotReady")] },
      lines: ["State: AwaitingReport. ApiServerNotReady: Check its Pod."],
    },
    { before: {}, after: { join: { time: "t", token: "x" } }, lines: ["Joined: Its agent joined with token x."] },
    { before: {}, after: { join: { time: "t" } }, lines: ["Joined: Its agent joined."] },
    {
      before: { keys: [{ digest: "a" }] },
      after: { keys: [{ digest: "b" }] },
      lines: ["Joined: Its agents have other keys."],
    },
    { before: {}, after: { credentialNumber: 1 }, lines: ["Credential: Credential 1 was issued."] },
    {
      before: { credentialNumber: 1 },
      after: { credentialNumber: 2 },
      lines: ["Credential: Credential 2 replaced 1."],
    },
    { before: { credentialNumber: 1 }, after: {}, lines: ["Credential: Credential 1 is not valid any more."] },
    {
      before: { agent: { version: "1.0.0" } },
      after: { agent: { version: "1.1.0" }, kubernetesVersion: "v1.34.0" },
      lines: ["Agent: Agent 1.1.0, before 1.0.0.", "Kubernetes: Kubernetes v1.34.0."],
    },
    { before: labels("gold"), after: labels("bronze"), lines: ["Labels: tier=bronze, before gold."] },
    { before: {}, after: labels("gold"), lines: ["Labels: tier=gold added."] },
    { before: labels("gold"), after: {}, lines: ["Labels: tier removed."] },
    {
      before: { specDigest: "a" },
      after: { specDigest: "b" },
      lines: ["Spec: Its file, or defaults by rule, changed its spec."],
    },
  ])("reports $lines", ({ before, after, lines }) => {
    const changes = recordChanges(before && cluster(before), after && cluster(after));
    expect(changes.map(({ kind, message }) => `${kind}: ${message}`)).toEqual(lines);
  });

  it("bounds what it reports of many labels and of a long message", () => {
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`k${index}`, { value: "v".repeat(60) }]));
    const [change] = recordChanges(cluster({}), cluster({ labels: many }));
    expect(change?.message.length).toBeLessThanOrEqual(301);
  });
});
