import { describe, expect, it } from "vitest";
import { displayOf, summarizeBundles } from "../../../../../src/join/fleet/hub/bundle-states.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";

interface Said {
  readonly applied?: string;
  readonly conditions?: readonly object[];
  readonly modifiedStatus?: readonly object[];
  readonly nonReadyStatus?: readonly object[];
  readonly resourceCounts?: object;
  readonly ready?: boolean;
  readonly nonModified?: boolean;
}
const deployment = (name: string, { applied = "a:1", ...status }: Said = {}): KubeObject => ({
  apiVersion: "fleet.cattle.io/v1alpha1",
  kind: "BundleDeployment",
  metadata: { name, namespace: "home" },
  spec: { deploymentID: "a:1", stagedDeploymentID: "a:1" },
  status: { appliedDeploymentID: applied, ...status },
});
const good: Said = { ready: true, nonModified: true };
const messageOf = (...deployments: KubeObject[]): string => summarizeBundles(deployments).message;
const condition = (type: string, message: string, changes: object = {}) => ({
  type,
  status: "False",
  message,
  ...changes,
});

describe("summarizeBundles: what Fleet's Cluster reports of its bundles", () => {
  it("is nothing where all are ready, or none is there", () => {
    expect(summarizeBundles([deployment("a", good)])).toMatchObject({
      ready: 1,
      total: 1,
      worst: "Ready",
      message: "",
    });
    expect(summarizeBundles([])).toMatchObject({ ready: 0, total: 0, worst: "Ready", message: "" });
    expect(summarizeBundles([]).counts).toEqual({ desiredReady: 0, ready: 0 });
  });

  it("names the first of each state, by name, with how many there are", () => {
    const late = ["c", "a", "b"].map((name) => deployment(name, { applied: "a:0" }));
    expect(messageOf(...late, deployment("d", { ready: false }))).toBe(
      "NotReady(1) [Bundle d]; WaitApplied(3) [Bundle a]",
    );
    expect(summarizeBundles(late).counts).toMatchObject({ desiredReady: 3, ready: 0, waitApplied: 3 });
  });

  it("lists ten that are not ready, with their messages", () => {
    const many = Array.from({ length: 12 }, (_, index) =>
      deployment(`b${index}`, { conditions: [condition("Deployed", "m")] }),
    );
    const { nonReadyResources } = summarizeBundles([...many, deployment("ready", good)]).counts as {
      nonReadyResources: unknown[];
    };
    expect(nonReadyResources).toHaveLength(10);
    expect(nonReadyResources[0]).toEqual({ name: "b0", bundleState: "NotReady", message: "m" });
  });

  it.each<[string, Said, string]>([
    [
      "of Deployed first",
      { conditions: [condition("Monitored", "m"), condition("Installed", "i"), condition("Deployed", "d")] },
      "NotReady(1) [Bundle a: d]",
    ],
    [
      "of Installed, of what was applied",
      { conditions: [condition("Monitored", "m"), condition("Installed", "i")] },
      "NotReady(1) [Bundle a: i]",
    ],
    [
      "of Monitored, where another was applied",
      { applied: "a:0", conditions: [condition("Monitored", "m"), condition("Installed", "i")] },
      "WaitApplied(1) [Bundle a: m]",
    ],
  ])("has the message %s", (_which, said, expected) => {
    expect(messageOf(deployment("a", said))).toBe(expected);
  });

  const resource = { apiVersion: "apps/v1", kind: "Deployment", namespace: "n", name: "web" };
  it.each<[object, string]>([
    [{ missing: true }, "deployment.apps/v1 n/web missing"],
    [{ missing: true, exist: true }, "deployment.apps/v1 n/web is not owned by us"],
    [{ delete: true }, "deployment.apps/v1 n/web extra"],
    [{ patch: "{}" }, "deployment.apps/v1 n/web modified {}"],
  ])("describes a changed resource %j: %s", (said, expected) => {
    const text = messageOf(deployment("a", { ready: true, modifiedStatus: [{ ...resource, ...said }] }));
    expect(text).toBe(`Modified(1) [Bundle a]; ${expected}`);
  });

  it.each<[object, string]>([
    [{ state: "pending" }, "pod.v1 web pending"],
    [{ transitioning: true, message: ["one", "two"] }, "pod.v1 web [progressing] one, two"],
    [{ error: true }, "pod.v1 web [error]"],
    [
      { transitioning: true, error: true, message: ["1", "2", "3", "4", "5"] },
      "pod.v1 web [progressing,error] 1, 2, 3, 4",
    ],
  ])("describes a resource that is not ready %j: %s", (summary, expected) => {
    const pod = { apiVersion: "v1", kind: "Pod", name: "web", summary };
    expect(messageOf(deployment("a", { nonReadyStatus: [pod] }))).toContain(expected);
  });

  it("names four resources of each", () => {
    const pods = Array.from({ length: 6 }, (_, index) => ({
      apiVersion: "v1",
      kind: "Pod",
      name: `p${index}`,
      summary: { state: "x" },
    }));
    const modified = Array.from({ length: 6 }, (_, index) => ({ ...resource, name: `m${index}`, delete: true }));
    const text = messageOf(deployment("a", { nonReadyStatus: pods, modifiedStatus: modified }));
    expect(text.match(/p\d x/gu)).toHaveLength(4);
    expect(text.match(/m\d extra/gu)).toHaveLength(4);
  });

  it("A100: holds no text of an agent that is longer than Fleet's", () => {
    expect(messageOf(deployment("a", { conditions: [condition("Deployed", "x ".repeat(2000))] })).length).toBeLessThan(
      1100,
    );
  });

  it("sums up what can be counted", () => {
    const counts = [
      { ready: 2, missing: 1 },
      { ready: 1, missing: -1, unknown: 0.5, orphaned: 1e300 },
    ];
    const { resourceCounts } = summarizeBundles(
      counts.map((resourceCounts, index) => deployment(`b${index}`, { resourceCounts })),
    );
    expect(resourceCounts).toEqual({
      ...{ ready: 3, desiredReady: 0, waitApplied: 0, modified: 0 },
      ...{ orphaned: 0, missing: 1, unknown: 0, notReady: 0 },
    });
  });
});

describe("displayOf: the columns of a BundleDeployment", () => {
  it.each<[readonly object[], object]>([
    [[], {}],
    [
      [
        { type: "Deployed", status: "True" },
        { type: "Monitored", status: "False" },
      ],
      { deployed: "True", monitored: "False" },
    ],
    [[condition("Deployed", "no chart", { reason: "Error" })], { deployed: "Error: no chart" }],
    [[{ type: "Monitored", reason: "Error" }], { monitored: "Error: " }],
    [[{ type: "Deployed", status: "x".repeat(40) }], { deployed: "x".repeat(16) }],
  ])("of %j", (conditions, expected) => {
    expect(displayOf(deployment("a", { conditions }))).toEqual({ ...expected, state: "NotReady" });
  });
});
