import { describe, expect, it } from "vitest";
import type { Declared } from "../../../src/model/declared-fleet.ts";
import type { ClusterLabels } from "../../../src/model/generated/cluster-labels.ts";
import type { Cluster } from "../../../src/model/generated/cluster.ts";
import { mergeLabels } from "../../../src/planning/merge-labels.ts";

const position = { file: "clusters/eu-1.yaml", line: 1, column: 1 };

function cluster(labels: Record<string, string> = {}): Cluster {
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: { name: "eu-1", namespace: "prod", labels },
  };
}

function rule(name: string, spec: Partial<ClusterLabels["spec"]>, namespace?: string): Declared<ClusterLabels> {
  return {
    object: {
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "ClusterLabels",
      metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
      spec: { selector: {}, ...spec },
    },
    position: { file: `rules/${name}.yaml`, line: 3, column: 1 },
    blobId: name,
  };
}

function values(merged: ReturnType<typeof mergeLabels>): Record<string, string> {
  return Object.fromEntries([...merged.labels].map(([key, { value }]) => [key, value]));
}

describe("mergeLabels", () => {
  it("gives each key one owner: file, else rule, else token, else agent", () => {
    const merged = mergeLabels({
      cluster: cluster({ a: "file" }),
      position,
      remembered: {
        token: { a: "token", b: "token", c: "token" },
        agent: { a: "agent", b: "agent", c: "agent", d: "agent" },
      },
      rules: [rule("one", { labels: { a: "rule", b: "rule" } })],
    });
    expect(values(merged)).toEqual({ a: "file", b: "rule", c: "token", d: "agent" });
    expect(merged.labels.get("b")?.owner).toMatchObject({ kind: "rule", rule: "one" });
    expect(merged.problems).toEqual([]);
  });

  it("lets the highest priority win, whatever the order", () => {
    const low = rule("low", { labels: { tier: "low" }, priority: 1 });
    const high = rule("high", { labels: { tier: "high" }, priority: 5 });
    expect(values(mergeLabels({ cluster: cluster(), position, rules: [low, high] }))).toEqual({ tier: "high" });
    expect(values(mergeLabels({ cluster: cluster(), position, rules: [high, low] }))).toEqual({ tier: "high" });
  });

  it("reports equal priority with different values at both rules, and gives the key no value", () => {
    const merged = mergeLabels({
      cluster: cluster(),
      position,
      rules: [rule("one", { labels: { tier: "a" } }), rule("two", { labels: { tier: "b" } })],
    });
    expect(values(merged)).toEqual({});
    expect(merged.contestedKeys).toEqual(["tier"]);
    expect(merged.problems.map(({ code, file }) => `${code} ${file}`)).toEqual([
      "E_LABEL_CONFLICT rules/one.yaml",
      "E_LABEL_CONFLICT rules/two.yaml",
    ]);
  });

  it("lets two rules of one priority agree, and takes no difference of priority for a conflict", () => {
    const merged = mergeLabels({
      cluster: cluster(),
      position,
      rules: [
        rule("one", { labels: { tier: "a", zone: "low" } }),
        rule("two", { labels: { tier: "a", zone: "high" }, priority: 3 }),
      ],
    });
    expect(values(merged)).toEqual({ tier: "a", zone: "high" });
    expect(merged).toMatchObject({ problems: [], contestedKeys: [] });
  });

  it("lets the rule of the highest priority, then of the last name, decide about annotations and taints", () => {
    const taint = (value: string) => [{ key: "k", effect: "NoSchedule" as const, value }];
    const rules = [
      rule("b", { annotations: { x: "b" }, taints: taint("b") }),
      rule("high", { annotations: { x: "high" }, taints: taint("high"), priority: 2 }),
      rule("a", { annotations: { x: "a" }, taints: taint("a") }),
    ];
    for (const given of [rules, [...rules].reverse()]) {
      const merged = mergeLabels({ cluster: cluster(), position, rules: given });
      expect([merged.annotations, merged.taints]).toEqual([{ x: "high" }, taint("high")]);
      const equal = mergeLabels({
        cluster: cluster(),
        position,
        rules: given.filter(({ blobId }) => blobId !== "high"),
      });
      expect([equal.annotations, equal.taints]).toEqual([{ x: "b" }, taint("b")]);
    }
  });

  it("lets the rule of the namespace decide where one for all has its name, in whatever order their files are", () => {
    const rules = [
      rule("tier", { annotations: { x: "fleet" } }, cluster().metadata.namespace),
      rule("tier", { annotations: { x: "all" } }),
    ];
    for (const given of [rules, [...rules].reverse()])
      expect(mergeLabels({ cluster: cluster(), position, rules: given }).annotations).toEqual({ x: "fleet" });
  });

  it("takes nothing of a Cluster on the hub that no file declares for git's", () => {
    const merged = mergeLabels({
      cluster: {
        ...cluster({ tier: "by hand" }),
        metadata: { ...cluster({ tier: "by hand" }).metadata, annotations: { x: "y" } },
      },
      position: undefined,
      rules: [rule("one", { labels: { tier: "rule" }, annotations: { z: "rule" } })],
    });
    expect([values(merged), merged.annotations, merged.taints]).toEqual([{ tier: "rule" }, { z: "rule" }, []]);
  });

  it("settles a conflict by a rule of higher priority, or by the file", () => {
    const rivals = [rule("one", { labels: { tier: "a" } }), rule("two", { labels: { tier: "b" } })];
    const evaluate = rule("judge", { labels: { tier: "c" }, priority: 9 });
    expect(mergeLabels({ cluster: cluster(), position, rules: [...rivals, evaluate] })).toMatchObject({
      problems: [],
      contestedKeys: [],
    });
    const byFile = mergeLabels({ cluster: cluster({ tier: "mine" }), position, rules: rivals });
    expect(byFile.problems).toEqual([]);
    expect(values(byFile)).toEqual({ tier: "mine" });
  });

  it("selects by labels of file, token and agent, never by those of rules, and only in its namespace", () => {
    const merged = mergeLabels({
      cluster: cluster({ env: "prod" }),
      position,
      remembered: { agent: { zone: "z1" } },
      rules: [
        rule("by-file", { selector: { matchLabels: { env: "prod" } }, labels: { one: "1" } }),
        rule("by-agent", { selector: { matchLabels: { zone: "z1" } }, labels: { two: "2" } }),
        rule("by-rule", { selector: { matchLabels: { one: "1" } }, labels: { three: "3" } }),
        rule("elsewhere", { labels: { four: "4" } }, "other"),
      ],
    });
    expect(values(merged)).toEqual({ env: "prod", zone: "z1", one: "1", two: "2" });
  });

  it("merges taints by key and effect, the cluster's own winning", () => {
    const object = cluster();
    object.spec = { taints: [{ key: "maintenance", effect: "NoSchedule", value: "file" }] };
    const rules = [
      rule("one", {
        taints: [
          { key: "maintenance", effect: "NoSchedule", value: "rule" },
          { key: "old", effect: "NoSchedule" },
        ],
      }),
    ];
    expect(mergeLabels({ cluster: object, position, rules }).taints).toEqual([
      { key: "maintenance", effect: "NoSchedule", value: "file" },
      { key: "old", effect: "NoSchedule" },
    ]);
  });

  it("lets the file settle what rules contest, and rules that agree contest nothing", () => {
    const rivals = [rule("one", { labels: { a: "1", b: "1" } }), rule("two", { labels: { a: "2", b: "1" } })];
    const merged = mergeLabels({ cluster: cluster({ a: "mine" }), position, rules: rivals });
    expect([values(merged), merged.contestedKeys, merged.problems]).toEqual([{ a: "mine", b: "1" }, [], []]);
    const low = rule("low", { labels: { a: "3" }, priority: -1 });
    const contested = mergeLabels({ cluster: cluster(), position, rules: [...rivals, low] });
    expect([values(contested), contested.contestedKeys]).toEqual([{ b: "1" }, ["a"]]);
  });

  it("has the annotations of rules and of the file, whose own win", () => {
    const object = { ...cluster(), metadata: { ...cluster().metadata, annotations: { x: "file", y: "file" } } };
    const rules = [rule("one", { annotations: { x: "rule", z: "rule" } })];
    const merged = mergeLabels({ cluster: object, position, rules });
    expect(merged.annotations).toEqual({ x: "file", y: "file", z: "rule" });
  });

  it("has no taints of a cluster without any, and its own without a rule", () => {
    const taints = [{ key: "k", effect: "NoSchedule" as const }];
    expect(mergeLabels({ cluster: cluster(), position, rules: [] }).taints).toEqual([]);
    const own = { ...cluster(), spec: { taints } };
    expect(mergeLabels({ cluster: own, position, rules: [] }).taints).toEqual(taints);
  });

  it("holds for the clusters of its namespace, and without one for all", () => {
    const rules = [rule("here", { labels: { one: "1" } }, "prod"), rule("all", { labels: { two: "2" } })];
    expect(values(mergeLabels({ cluster: cluster(), position, rules }))).toEqual({ one: "1", two: "2" });
  });
});
