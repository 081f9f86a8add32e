import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isJsonObject } from "../../../src/core/json.ts";
import {
  nodeFacts,
  reportPatch,
  summarizeFacts,
  summarizeNodes,
} from "../../../src/join/rollcall/downstream/cluster-facts.ts";
import { formatQuantity, parseQuantity } from "../../../src/join/rollcall/downstream/quantity.ts";
import type { ClusterReportSpec } from "../../../src/model/generated/cluster-report.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";

describe("parseQuantity", () => {
  it.each([
    ["1", 1000n],
    ["0", 0n],
    ["100m", 100n],
    ["1.5", 1500n],
    ["0.0001", 1n],
    ["1k", 1_000_000n],
    ["1Ki", 1_024_000n],
    ["2Gi", 2_147_483_648_000n],
    ["16393244Ki", 16_786_681_856_000n],
    [4, 4000n],
  ])("reads %s", (text, expected) => {
    expect(parseQuantity(text)).toBe(expected);
  });

  it.each(["", "m", "1x", "-1", "1 Gi", "Gi", "1e400", undefined, null, {}, "9".repeat(31)])("reads no %j", (text) => {
    expect(parseQuantity(text)).toBeUndefined();
  });

  it.each([
    [0n, true, "0"],
    [1024n * 1000n, true, "1Ki"],
    [1023n * 1000n, true, "1023"],
    [1024n ** 4n * 1000n, true, "1Ti"],
    [3n * 1024n ** 2n * 1000n, true, "3Mi"],
    [1024n * 1000n, false, "1024"],
    [1500n, true, "1500m"],
    [1500n, false, "1500m"],
  ])("is written for %s thousandths, of bytes %s, as %s", (thousandths, isBytes, text) => {
    expect(formatQuantity(thousandths, isBytes)).toBe(text);
  });

  it("gives back what formatQuantity wrote", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 24n }), fc.boolean(), (amount, isBytes) => {
        expect(parseQuantity(formatQuantity(amount, isBytes))).toBe(amount);
      }),
    );
  });
});

const node = (name: string, ready: string | undefined, capacity: Record<string, unknown> = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name },
  status: {
    capacity,
    allocatable: capacity,
    conditions: ready === undefined ? [] : [{ type: "Ready", status: ready }],
  },
});

describe("summarizeFacts", () => {
  const version = { gitVersion: "v1.34.4", platform: "linux/amd64" };

  it("counts nodes by their conditions and sums their resources", () => {
    const nodes = [
      node("a", "True", { cpu: "4", memory: "16393244Ki", pods: "110" }),
      node("b", "False", { cpu: "3900m", memory: "2Gi", pods: "110", "example.com/gpu": "2" }),
      node("c", "Unknown", { cpu: "broken" }),
      node("d", undefined),
    ];
    const capacity = { cpu: "7900m", "example.com/gpu": "2", memory: "18490396Ki", pods: "220" };
    expect(summarizeFacts({ version, isLive: true, isReady: false, nodes: summarizeNodes(nodes) })).toEqual({
      kubernetesVersion: "v1.34.4",
      platform: "linux/amd64",
      nodes: { total: 4, ready: 1, notReady: 1, unknown: 2 },
      resources: { capacity, allocatable: capacity },
      health: { livez: true, readyz: false },
    });
  });

  it("needs little of each node: a large cluster's would not fit into the agent's memory", () => {
    const images = Array.from({ length: 50 }, (_, at) => ({ names: [`registry.example.com/app-${at}:1`] }));
    const whole = (name: string, ready: string): KubeObject => {
      const { status, metadata, ...rest } = node(name, ready, { cpu: "4", memory: "2Gi" }) as KubeObject & {
        readonly status: { readonly conditions: readonly object[] };
      };
      const conditions = [{ type: "DiskPressure", status: "False", message: "m".repeat(500) }, ...status.conditions];
      const managedFields = [{ manager: "kubelet", operation: "Update" as const, fieldsV1: { "f:status": {} } }];
      return { ...rest, metadata: { ...metadata, managedFields }, status: { ...status, conditions, images } };
    };
    const nodes = [whole("a", "True"), whole("b", "False"), whole("c", "Unknown")];
    const held = nodes.map(nodeFacts);
    const summary = (of: KubeObject[]) =>
      summarizeFacts({ version, isLive: true, isReady: true, nodes: summarizeNodes(of) });
    expect(summary(held)).toEqual(summary(nodes));
    expect(summary(held).nodes).toEqual({ total: 3, ready: 1, notReady: 1, unknown: 1 });
    expect(JSON.stringify(held[0]).length).toBeLessThan(300);
  });

  it("has as many resources as a report may have, those of Kubernetes itself first", () => {
    const devices = Array.from({ length: 100 }, (_, at): [string, string] => [`a.example.com/mig-${at}`, "1"]);
    const own = { cpu: "4", memory: "2Gi", pods: "110" };
    const { capacity = {} } =
      summarizeNodes([node("a", "True", { ...Object.fromEntries(devices), ...own })]).resources ?? {};
    const { maxProperties } = JSON.parse(readFileSync("schemas/fragments/quantities.schema.json", "utf8")) as {
      readonly maxProperties: number;
    };
    expect(Object.keys(capacity)).toHaveLength(maxProperties);
    expect(capacity).toMatchObject(own);
  });

  it("writes bytes with binary suffixes and all else in full, by name", () => {
    const amounts = { pods: "1024", memory: "1024", "hugepages-2Mi": "2Mi", "ephemeral-storage": "1024Ki", cpu: "1k" };
    const { capacity } = summarizeNodes([node("a", "True", amounts)]).resources ?? {};
    expect(JSON.stringify(capacity)).toBe(
      '{"cpu":"1000","ephemeral-storage":"1Mi","hugepages-2Mi":"2Mi","memory":"1Ki","pods":"1024"}',
    );
  });

  it("leaves out a version that it could not read", () => {
    const half = summarizeFacts({
      version: { gitVersion: "v1" },
      isLive: true,
      isReady: true,
      nodes: summarizeNodes([]),
    });
    expect(half).not.toHaveProperty("platform");
    const facts = summarizeFacts({ version: "<html>", isLive: false, isReady: false, nodes: summarizeNodes([]) });
    expect(facts).not.toHaveProperty("kubernetesVersion");
    expect(facts.health).toEqual({ livez: false, readyz: false });
  });
});

describe("reportPatch", () => {
  const said: ClusterReportSpec = { time: "t1", agentVersion: "1", resources: { capacity: { cpu: "1", gpu: "2" } } };

  it("is none while nothing but the time is new", () => {
    expect(reportPatch(said, { ...said, time: "t2" })).toBeUndefined();
  });

  it("has what is new, and the time", () => {
    expect(reportPatch(said, { ...said, time: "t2", agentVersion: "2" })).toEqual({ time: "t2", agentVersion: "2" });
  });

  it("is everything at first", () => {
    expect(reportPatch(undefined, said)).toEqual(said);
  });

  it("takes away what is no longer there", () => {
    const now = { time: "t2", agentVersion: "1", resources: { capacity: { cpu: "1" } } };
    expect(reportPatch(said, now)).toEqual({ time: "t2", resources: { capacity: { cpu: "1", gpu: null } } });
  });

  it("takes back a refused version that is refused no more", () => {
    const refusing = { ...said, refusedManifestDigest: "sha256:b", refusedVersion: "2" };
    expect(reportPatch(refusing, { ...said, time: "t2" })).toEqual({
      time: "t2",
      refusedManifestDigest: null,
      refusedVersion: null,
    });
  });

  it("keeps a refused version that is still refused", () => {
    const refusing = { ...said, refusedManifestDigest: "sha256:b", refusedVersion: "2" };
    const patch = reportPatch(refusing, { ...refusing, time: "t2", agentVersion: "2" });
    expect(patch).toEqual({ time: "t2", agentVersion: "2" });
    expect(reportPatch(refusing, { ...said, time: "t2", agentVersion: "2", refusedVersion: "2" })).toEqual({
      time: "t2",
      agentVersion: "2",
      refusedManifestDigest: null,
    });
  });

  it("has the time alone of a first report without facts", () => {
    expect(reportPatch(undefined, { time: "t1" })).toEqual({ time: "t1" });
  });

  it("takes back nothing that could not be read", () => {
    expect(reportPatch({ ...said, kubernetesVersion: "v1.34.4" }, { ...said, time: "t2" })).toBeUndefined();
  });

  it("makes the new report of the former one, for all reports", () => {
    const spec: fc.Arbitrary<ClusterReportSpec> = fc.record(
      {
        agentVersion: fc.constantFrom("1", "2"),
        nodes: fc.record({ total: fc.nat(2), ready: fc.nat(2) }),
        resources: fc.record({ capacity: fc.dictionary(fc.constantFrom("cpu", "memory"), fc.constantFrom("1", "2")) }),
        properties: fc.dictionary(fc.constantFrom("a", "b"), fc.constantFrom("x", "y")),
      },
      { requiredKeys: ["agentVersion", "nodes", "resources", "properties"] },
    );
    fc.assert(
      fc.property(spec, spec, (before, after) => {
        const patch = reportPatch({ ...before, time: "t1" }, { ...after, time: "t2" });
        const expected = patch === undefined ? { ...before, time: "t1" } : { ...after, time: "t2" };
        expect(merged({ ...before, time: "t1" }, patch)).toEqual(expected);
      }),
    );
  });
});

/** RFC 7386. */
function merged(target: unknown, patch: unknown): unknown {
  if (patch === undefined) return target;
  if (!isJsonObject(patch)) return patch;
  const result: Record<string, unknown> = isJsonObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}
