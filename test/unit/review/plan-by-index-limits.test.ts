import { describe, expect, it } from "vitest";
import type { Files, Visits } from "./indexed-base.ts";
import { clusterText, createIndexes, createWorld, header, ruleText } from "./indexed-base.ts";

const plain = (name: string, more = "", region = "r0"): Files => ({
  [`clusters/${name}.yaml`]: clusterText(name, { region, more }),
});
const three: Files = { ...plain("a"), ...plain("b"), ...plain("c") };
const notes = (text: string, count: number): Files =>
  Object.fromEntries(Array.from({ length: count }, (_value, index) => [`notes/${index}.md`, text]));

/** How many objects the plan of a change by the index of its base read; undefined: all. */
async function visitsOf(base: Files, changed: Files): Promise<number | undefined | "no index"> {
  const { plan } = createWorld(base, changed);
  const whole = await plan();
  const indexes = createIndexes();
  expect(await plan(indexes)).toEqual(whole);
  if (indexes.kept.size === 0) return "no index";
  const visits: Visits = [];
  expect(await plan(indexes, visits)).toEqual(whole);
  return visits[0];
}

const edited = (more = ""): Files => plain("a", more, "r1");
const shared = ", kubeConfigSecretRef: {name: shared}";
const former = ", previousName: gone";
const fleet = ", protocol: fleet";
const ignoring: Files = { ...three, ".rollcallignore": "ignored\n", "ignored/x.yaml": "kind: [" };
const rule: Files = { "rule.yaml": ruleText("one", "r0", "t0") };
const policy = `${header}kind: Policy\nmetadata: {name: p, namespace: fleet}\nspec: {scope: {kinds: [Cluster]}, rules: [{expression: "true", message: no}]}\n`;

describe("a plan by the index of its base", () => {
  it.each<[string, Files, Files, number | undefined | "no index"]>([
    ["changes one cluster", three, { ...three, ...edited() }, 1],
    ["adds a file", three, { ...three, ...plain("d") }, undefined],
    ["removes a file", three, { ...plain("a"), ...plain("b") }, undefined],
    ["changes 200 files", notes("old", 200), notes("new", 200), 0],
    ["changes more files than are read one by one", notes("old", 201), notes("new", 201), undefined],
    ["changes a rule", { ...three, ...rule }, { ...three, "rule.yaml": ruleText("one", "r0", "t1") }, undefined],
    [
      "changes a cluster of another protocol",
      { ...three, ...plain("a", fleet) },
      { ...three, ...edited(fleet) },
      undefined,
    ],
    [
      "changes a cluster that takes a place",
      { ...three, ...plain("a", former) },
      { ...three, ...edited(former) },
      undefined,
    ],
    [
      "changes the first of two clusters that share a Secret",
      { ...three, ...plain("a", shared), ...plain("b", shared) },
      { ...three, ...edited(shared), ...plain("b", shared) },
      undefined,
    ],
    [
      "changes the second of two clusters that share a Secret",
      { ...three, ...plain("a", shared), ...plain("0a", shared) },
      { ...three, ...edited(shared), ...plain("0a", shared) },
      undefined,
    ],
    [
      "changes a cluster with a Secret of its own",
      { ...three, ...plain("a", shared) },
      { ...three, ...edited(shared) },
      1,
    ],
    ["changes an ignored file", ignoring, { ...ignoring, "ignored/x.yaml": "kind: {" }, 0],
    ["changes one cluster beside ignored files", ignoring, { ...ignoring, ...edited() }, 1],
    [
      "changes what is ignored",
      ignoring,
      { ...ignoring, ...edited(), ".rollcallignore": "ignored\nclusters/b.yaml\n" },
      undefined,
    ],
    ["begins to have an error", three, { ...three, ...edited(", oops: 1") }, undefined],
    ["has a policy", { ...three, "policy.yaml": policy }, { ...three, ...edited(), "policy.yaml": policy }, "no index"],
  ])("is the whole plan where a commit %s", async (_what, base, changed, visits) => {
    expect(await visitsOf(base, changed)).toBe(visits);
  });

  it("is the whole plan where labels make rules cost too much, and by the index up to there", async () => {
    // Each of 200 groups costs 1,000 for each cluster that it selects by its label: 100 clusters are the most.
    const names = JSON.stringify(Array.from({ length: 998 }, (_value, index) => `x${index}*`));
    const groups = Object.fromEntries(
      Array.from({ length: 200 }, (_value, index): [string, string] => [
        `groups/${index}.yaml`,
        `${header}kind: ClusterGroup\nmetadata: {name: g-${index}, namespace: fleet}\nspec: {selector: {names: ${names}, matchLabels: {region: r1}}}\n`,
      ]),
    );
    const clusters = (selected: number): Files =>
      Object.assign(
        {},
        ...Array.from({ length: 102 }, (_value, index) => plain(`c-${index}`, "", index < selected ? "r1" : "r0")),
      ) as Files;
    expect(await visitsOf({ ...groups, ...clusters(99) }, { ...groups, ...clusters(100) })).toBe(1);
    expect(await visitsOf({ ...groups, ...clusters(100) }, { ...groups, ...clusters(101) })).toBe(undefined);
  });
});
