import { expect, it } from "vitest";
import type { Declared } from "../../../src/model/declared-fleet.ts";
import type { ClusterDefaults } from "../../../src/model/generated/cluster-defaults.ts";
import type { ClusterLabels } from "../../../src/model/generated/cluster-labels.ts";
import type { ClusterSelector } from "../../../src/model/generated/cluster-selector.ts";
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
