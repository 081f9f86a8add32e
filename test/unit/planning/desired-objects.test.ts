import { expect, it } from "vitest";
import type { Declared } from "../../../src/model/declared-fleet.ts";
import type { ClusterDefaults } from "../../../src/model/generated/cluster-defaults.ts";
import type { ClusterLabels } from "../../../src/model/generated/cluster-labels.ts";
import type { ClusterSelector } from "../../../src/model/generated/cluster-selector.ts";
import type { ClusterGroup } from "../../../src/model/generated/cluster-group.ts";
import type { DesireContext } from "../../../src/planning/desired-objects.ts";
import { desiredObjects, withCommit } from "../../../src/planning/desired-objects.ts";
import { countedSelector } from "../../support/counted-selector.ts";
import { declared, fleetOf, label } from "./plan-builders.ts";

const nothingRemembered = { repositoryLabel: label, rememberedLabels: () => undefined };

it("wants the very same object until its file, a rule or what the hub remembers changes", () => {
  const [eu, us] = [declared("eu-1"), declared("us-1")];
  const wantedOf = (fleet: ReturnType<typeof fleetOf>, context = nothingRemembered) =>
    desiredObjects(fleet, context).objects;
  const before = wantedOf(fleetOf(eu, us));

  const [euAgain, changedUs] = wantedOf(fleetOf(eu, declared("us-1", { displayName: "changed" })));
  expect(euAgain).toBe(before[0]);
  expect(changedUs).not.toBe(before[1]);

  const rule = labelRule("one");
  const ruled = wantedOf({ ...fleetOf(eu, us), labelRules: [rule] });
  expect(ruled[0]?.object.metadata.labels).toMatchObject({ one: "yes" });
  expect(wantedOf({ ...fleetOf(eu, us), labelRules: [rule] })[0]).toBe(ruled[0]);
  const twice = wantedOf({ ...fleetOf(eu, us), labelRules: [rule, labelRule("two")] });
  expect(twice[0]?.object.metadata.labels).toMatchObject({ one: "yes", two: "yes" });

  const token = { team: "red" };
  const remembering = { repositoryLabel: label, rememberedLabels: () => ({ token }) };
  const remembered = desiredObjects(fleetOf(eu, us), remembering).objects[0];
  expect([...(remembered?.merged?.labels.keys() ?? [])]).toEqual(["team"]);
});

it("names the commit where something is written, and nowhere else", () => {
  const { object } = declared("eu-1");
  expect(withCommit(object, undefined)).toBe(object);
  expect(withCommit(object, "abc").metadata.annotations).toEqual({ "rollcall.dev/source-commit": "abc" });
  expect(object.metadata).not.toHaveProperty("annotations");
});

it("A66 compares a cluster with the rules that may select it, not with all", () => {
  let reads = 0;
  const numbers = Array.from({ length: 500 }, (_, index) => index);
  const selectorOf = (index: number) =>
    countedSelector({ matchLabels: { tier: "gold", team: `t${index}` } }, () => (reads += 1));
  const labelRules = numbers.map((index) => labelRule(`l${index}`, selectorOf(index)));
  const defaultRules = numbers.map((index): Declared<ClusterDefaults> => {
    const { object, ...rest } = labelRule(`d${index}`);
    const spec = { selector: selectorOf(index), heartbeat: { periodSeconds: 60 + index } };
    return { ...rest, object: { ...object, kind: "ClusterDefaults", spec } };
  });
  const clusters = numbers.map((index) => declared(`c${index}`, {}, { tier: "gold", team: `t${index}` }));
  const fleet = { ...fleetOf(...clusters), labelRules, defaultRules };
  const { objects } = desiredObjects(fleet, nothingRemembered);
  expect(objects[7]?.object).toMatchObject({
    metadata: { labels: { l7: "yes", team: "t7" } },
    spec: { heartbeat: { periodSeconds: 67 } },
  });
  expect(Object.keys(objects[7]?.object.metadata.labels ?? {})).toHaveLength(4);
  // Before: 500,000 comparisons.
  expect(reads).toBeLessThan(20 * 1000);
});

const wantedOf = (fleet: ReturnType<typeof fleetOf>, context: DesireContext = nothingRemembered) =>
  desiredObjects(fleet, context).objects.map(({ object }) => object);

it("gives a cluster the labels of its file and of rules, and none that token or agent gave", () => {
  const fleet = { ...fleetOf(declared("eu-1", {}, { env: "prod" })), labelRules: [labelRule("tier")] };
  const rememberedLabels = () => ({ token: { team: "red" }, agent: { zone: "z1" } });
  expect(wantedOf(fleet, { repositoryLabel: label, rememberedLabels })).toStrictEqual([
    {
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "Cluster",
      metadata: {
        name: "eu-1",
        namespace: "prod",
        labels: { env: "prod", tier: "yes", "rollcall.dev/repository": label },
        annotations: {
          "rollcall.dev/label-rules": '{"tier":"tier"}',
          "rollcall.dev/source-file": "clusters/eu-1.yaml",
          "rollcall.dev/source-line": "1",
        },
      },
    },
  ]);
  const [bare] = wantedOf(fleetOf(declared("eu-1")));
  expect(bare?.metadata.annotations).not.toHaveProperty(["rollcall.dev/label-rules"]);
});

it("selects a renamed cluster by what the hub remembers of it, else of the one that it was", () => {
  const known = new Map([
    ["prod/old", { agent: { zone: "old" } }],
    ["prod/own", { agent: { zone: "own" } }],
  ]);
  const asked: string[] = [];
  const context: DesireContext = {
    repositoryLabel: label,
    rememberedLabels: (workspace, name) => {
      asked.push(`${workspace}/${name}`);
      return known.get(`${workspace}/${name}`);
    },
  };
  const labelRules = ["old", "own"].map((zone) => labelRule(zone, { matchLabels: { zone } }));
  const fleet = fleetOf(
    declared("new", { previousName: "old" }),
    declared("own", { previousName: "old" }),
    declared("a"),
  );
  const labels = wantedOf({ ...fleet, labelRules }, context).map(({ metadata }) => Object.keys(metadata.labels ?? {}));
  expect(labels).toEqual([
    ["old", "rollcall.dev/repository"],
    ["own", "rollcall.dev/repository"],
    ["rollcall.dev/repository"],
  ]);
  expect(asked).toEqual(["prod/new", "prod/old", "prod/own", "prod/a"]);
  const withoutSpec = declared("b");
  delete withoutSpec.object.spec;
  expect(wantedOf(fleetOf(withoutSpec), context)).toHaveLength(1);
});

it("has the taints of file and rules, and no field where there are none", () => {
  const taint = { key: "k", effect: "NoSchedule" as const };
  const rule = labelRule("one", { names: ["ruled"] });
  const labelRules = [{ ...rule, object: { ...rule.object, spec: { ...rule.object.spec, taints: [taint] } } }];
  const fleet = fleetOf(
    declared("ruled"),
    declared("own", { taints: [taint], displayName: "Own" }),
    declared("empty", { taints: [], displayName: "Empty" }),
    declared("none", { displayName: "None" }),
  );
  expect(wantedOf({ ...fleet, labelRules }).map((object) => object["spec"])).toStrictEqual([
    { taints: [taint] },
    { displayName: "Own", taints: [taint] },
    { displayName: "Empty" },
    { displayName: "None" },
  ]);
});

it("writes an empty selector of a group as one of every name, and any other as it is", () => {
  const selectors = [{}, { matchLabels: {} }, { names: ["a"] }];
  const groups = selectors.map((selector, index): Declared<ClusterGroup> => {
    const { position, blobId } = declared(`g${index}`);
    const metadata = { name: `g${index}`, namespace: "prod" };
    return {
      object: { apiVersion: "rollcall.dev/v1alpha1", kind: "ClusterGroup", metadata, spec: { selector } },
      position,
      blobId,
    };
  });
  const specs = wantedOf({ ...fleetOf(), groups }).map((object) => object["spec"]);
  expect(specs).toEqual([
    { selector: { names: ["*"] } },
    { selector: { names: ["*"] } },
    { selector: { names: ["a"] } },
  ]);
});

it("reports rules that conflict once for each place, not for each cluster", () => {
  const valueRule = (name: string, key: string, value: string) => {
    const rule = labelRule(name);
    return { ...rule, object: { ...rule.object, spec: { selector: {}, labels: { [key]: value } } } };
  };
  const labelRules = [valueRule("one", "tier", "a"), valueRule("two", "tier", "b")];
  const { problems } = desiredObjects({ ...fleetOf(declared("a"), declared("b")), labelRules }, nothingRemembered);
  expect(problems.map(({ file, message }) => [file, message.split(" is ")[0]])).toEqual([
    ["rules/one.yaml", 'label "tier" of cluster prod/a'],
    ["rules/two.yaml", 'label "tier" of cluster prod/a'],
  ]);
});

function labelRule(key: string, selector: ClusterSelector = {}): Declared<ClusterLabels> {
  return {
    object: {
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "ClusterLabels",
      metadata: { name: key },
      spec: { selector, labels: { [key]: "yes" } },
    },
    position: { file: `rules/${key}.yaml`, line: 1, column: 1 },
    blobId: key,
  };
}
