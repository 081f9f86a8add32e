import { expect, it } from "vitest";
import type { RepositoryStatus } from "../../../src/model/generated/repository.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { createPlanWorld } from "../review/plan-world.ts";

const names = ["a", "b", "c"];
const filesWith = (labels: string): Record<string, string> =>
  Object.fromEntries(
    names.map((name) => [
      `${name}.yaml`,
      `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: ${name}, namespace: fleet, labels: ${labels}}\n`,
    ]),
  );

it("applies what files declare after a person's edits made it wait: labels that files no longer have are no removals", async () => {
  let isEdited = false;
  const world = createPlanWorld(undefined, ({ kind }) => isEdited && kind === "update");
  const labelsOf = () => world.hub.objects(resourceTypes.cluster).map(({ metadata }) => metadata.labels?.["tier"]);
  const status = (): RepositoryStatus => world.hub.objects(resourceTypes.repository)[0]?.["status"] as RepositoryStatus;
  await world.push(filesWith("{tier: gold}"));
  const first = status().appliedCommit;
  expect([labelsOf(), first]).toEqual([["gold", "gold", "gold"], status().observedCommit]);

  isEdited = true;
  await world.push(filesWith("{}"));
  expect(labelsOf()).toEqual(["gold", "gold", "gold"]);
  expect(status()).toMatchObject({ appliedCommit: first, settledCommit: first });
  expect(status().observedCommit).not.toBe(first);

  isEdited = false;
  await world.run();
  expect(status().withheld).toBeUndefined();
  expect(labelsOf()).toEqual([undefined, undefined, undefined]);
  expect(status().appliedCommit).toBe(status().observedCommit);
});
