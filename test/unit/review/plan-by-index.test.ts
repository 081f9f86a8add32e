import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countOfRun } from "../../support/full-counts.ts";
import type { ClusterChoice, Files, Visits } from "./indexed-base.ts";
import { clusterText, createIndexes, createWorld, groupText, header, ruleText } from "./indexed-base.ts";

const others: Readonly<Record<string, string>> = {
  "README.md": "# Fleet\n",
  "rules/one.yaml": ruleText("one", "r0", "t0"),
  "rules/two.yaml": ruleText("two", "r1", "t1"),
  "rules/heartbeat.yaml": `${header}kind: ClusterDefaults\nmetadata: {name: slow, namespace: fleet}\nspec: {selector: {matchLabels: {region: r2}}, heartbeat: {periodSeconds: 120}}\n`,
  "groups/region.yaml": groupText("region", "region: r1"),
  "groups/tier.yaml": groupText("tier", "tier: t1"),
  "tokens/edge.yaml": `${header}kind: ClusterRegistrationToken\nmetadata: {name: edge, namespace: fleet}\nspec: {ttl: 240h, maxRegistrations: 5}\n`,
};

const region = fc.constantFrom("r0", "r1", "r2", "r3");
const more = fc.constantFrom(
  ...["", "", "", ", paused: true", ", heartbeat: {periodSeconds: 45}", ", agent: {version: 0.2.0}"],
  ...[", clientID: one", ", protocol: fleet", ", protocol: kubefleet", ", deletionProtection: true"],
  ...[", kubeConfigSecretRef: {name: shared}", ", kubeConfigSecretRef: {name: own}", ", previousName: gone"],
  ...[", previousName: c-1", ", oops: 1", ", taints: [{key: t, effect: NoSchedule}]"],
);
const plain = fc.constantFrom("", ", paused: true", ", heartbeat: {periodSeconds: 45}", ", agent: {version: 0.2.0}");
const choice = fc.record({ region, more });
const plainChoice = fc.record({ region, more: plain });
const clusterCount = 6;
const base = fc.array(fc.oneof({ weight: 12, arbitrary: plainChoice }, { weight: 1, arbitrary: choice }), {
  minLength: clusterCount,
  maxLength: clusterCount,
});
const at = fc.nat(clusterCount - 1);
const change = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant("edit" as const), at, choice: plainChoice }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("edit" as const), at, choice }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("add" as const), choice }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("remove" as const), at }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("rename" as const), at, choice }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("break" as const), at }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("second" as const), at, choice }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("rule" as const), region }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("group" as const), region }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("readme" as const), region }) },
);
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

const pathOf = (index: number): string => `clusters/c-${index}.yaml`;

function applyTo(files: Files, step: Change): void {
  switch (step.do) {
    case "edit":
      files[pathOf(step.at)] = clusterText(`c-${step.at}`, step.choice);
      break;
    case "add":
      files[pathOf(clusterCount)] = clusterText(`c-${clusterCount}`, step.choice);
      break;
    case "remove":
      delete files[pathOf(step.at)];
      break;
    case "rename":
      files[pathOf(step.at)] = clusterText("renamed", step.choice);
      break;
    case "break":
      files[pathOf(step.at)] = "not: [yaml";
      break;
    case "second":
      files[pathOf(step.at)] += `---\n${clusterText("second", step.choice)}`;
      break;
    case "rule":
      files["rules/one.yaml"] = ruleText("one", step.region, "t9");
      break;
    case "group":
      files["groups/region.yaml"] = groupText("region", `region: ${step.region}`);
      break;
    case "readme":
      files["README.md"] = `# ${step.region}\n`;
  }
}

function filesOf(choices: readonly ClusterChoice[]): Files {
  return {
    ...others,
    ...Object.fromEntries(choices.map((each, index) => [pathOf(index), clusterText(`c-${index}`, each)])),
  };
}

const sealed = "ENC[AES256_GCM,data:Zm9v,iv:YmFy,tag:YmF6,type:str]";
const secretText = `apiVersion: v1\nkind: Secret\nmetadata: {name: own, namespace: fleet}\nstringData: {value: "${sealed}"}\nsops: {lastmodified: "2026-01-01T00:00:00Z", mac: "${sealed}", version: 3.9.0}\n`;

const plainFleet = (count: number): Files =>
  filesOf(Array.from({ length: count }, (_value, index) => ({ region: `r${index % 3}`, more: "" })));

describe("planByIndex", () => {
  it("makes the plan that is made of all files, whatever base and change are", async () => {
    const visits: Visits = [];
    const compare = async (choices: readonly ClusterChoice[], steps: readonly Change[]): Promise<void> => {
      const files = filesOf(choices);
      const changed = { ...files };
      for (const step of steps) applyTo(changed, step);
      const { plan } = createWorld(files, changed);
      const whole = await plan();
      const indexes = createIndexes();
      expect(await plan(indexes)).toEqual(whole);
      expect(await plan(indexes, visits)).toEqual(whole);
    };
    const runs = fc.asyncProperty(base, fc.array(change, { minLength: 1, maxLength: 3 }), compare);
    await fc.assert(runs, { numRuns: countOfRun({ full: 40, short: 16 }), seed: 22 });
    const byIndex = visits.filter((count) => count !== undefined).length;
    expect(byIndex).toBeGreaterThan(5);
    expect(visits.length - byIndex).toBeGreaterThan(5);
  });

  it.each([30, 300])("reads two files and plans one cluster for one label among %d clusters", async (count) => {
    const files = plainFleet(count);
    const changed = { ...files, [pathOf(7)]: clusterText("c-7", { region: "r2", more: "" }) };
    const { git, plan } = createWorld(files, changed);
    const indexes = createIndexes();
    const first = await plan(indexes);
    const read: string[] = [];
    const visits: Visits = [];
    const unchanged = { ...git };
    Object.assign(git, {
      readBlob: (id: string) => {
        read.push(id);
        return unchanged.readBlob(id);
      },
    });
    expect(await plan(indexes, visits)).toEqual(first);
    expect(visits).toEqual([1]);
    expect(read).toHaveLength(2);
    expect(first.selectors.map(({ name, before, after }) => [name, before, after])).toContainEqual([
      "region",
      count / 3,
      count / 3 - 1,
    ]);
  });

  it("keeps one index of a base, of a size that does not follow the fleet", async () => {
    const sizes: number[] = [];
    for (const count of [30, 300]) {
      const files = plainFleet(count);
      const indexes = createIndexes();
      await createWorld(files, { ...files, [pathOf(1)]: "" }).plan(indexes);
      expect(indexes.kept.size).toBe(1);
      sizes.push([...indexes.kept.values()][0]?.length ?? 0);
    }
    expect(Math.abs((sizes[1] ?? 0) - (sizes[0] ?? 0))).toBeLessThan(50);
  });

  it.each([
    ["has a file with an error", { "clusters/bad.yaml": clusterText("bad", { region: "r0", more: ", oops: 1" }) }],
    [
      "has a policy",
      {
        "policy.yaml": `${header}kind: Policy\nmetadata: {name: p, namespace: fleet}\nspec: {scope: {kinds: [Cluster]}, rules: [{expression: "true", message: no}]}\n`,
      },
    ],
  ])("plans all files where the base %s", async (_reason, more) => {
    const files = { ...plainFleet(6), ...more };
    const indexes = createIndexes();
    await createWorld(files, { ...files, [pathOf(1)]: "" }).plan(indexes);
    expect(indexes.kept.size).toBe(0);
  });

  it("does not doubt a Secret that the base declares, which is not opened here", async () => {
    const uses = ", kubeConfigSecretRef: {name: own}";
    const files = {
      ...plainFleet(6),
      "secrets/own.yaml": secretText,
      [pathOf(1)]: clusterText("c-1", { region: "r0", more: uses }),
    };
    const changed = { ...files, [pathOf(1)]: clusterText("c-1", { region: "r2", more: uses }) };
    const { plan } = createWorld(files, changed);
    const whole = await plan();
    const indexes = createIndexes();
    await plan(indexes);
    expect(await plan(indexes)).toEqual(whole);
    expect(indexes.kept.size).toBe(0);
  });

  it("plans all files of a commit that is not on top of the base", async () => {
    const files = plainFleet(6);
    const changed = { ...files, [pathOf(1)]: clusterText("c-1", { region: "r0", more: "" }) };
    const { git, plan } = createWorld(files, files);
    const indexes = createIndexes();
    await plan(indexes);
    const beside = git.commit(changed, "beside\n", { parents: [], isBeside: true });
    const visits: Visits = [];
    expect(await plan(indexes, visits, beside)).toEqual(await plan(undefined, [], beside));
    expect(visits).toEqual([undefined]);
  });

  it("plans no change of the base itself", async () => {
    const files = plainFleet(6);
    const { from, plan } = createWorld(files, files);
    const indexes = createIndexes();
    const whole = await plan(indexes, [], from);
    const visits: Visits = [];
    expect(await plan(indexes, visits, from)).toEqual(whole);
    expect(visits).toEqual([0]);
  });

  it("plans all files when the index has not the form of one", async () => {
    const files = plainFleet(6);
    const changed = { ...files, [pathOf(1)]: clusterText("c-1", { region: "r0", more: "" }) };
    const { plan } = createWorld(files, changed);
    const visits: Visits = [];
    const indexes = { ...createIndexes(), read: () => Promise.resolve({ size: 1 }) };
    expect(await plan(indexes, visits)).toEqual(await plan());
    expect(visits).toEqual([]);
  });
});
