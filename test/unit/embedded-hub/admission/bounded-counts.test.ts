import { describe, expect, it } from "vitest";
import { createBoundedCounts } from "../../../../src/embedded-hub/admission/bounded-counts.ts";
import { builtInResources } from "../../../../src/embedded-hub/resources/built-in-resources.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { refusalOf, startHubWorld } from "../controllers/hub-world.ts";

const definitionOf = (plural: string) => {
  const definition = builtInResources().find((one) => one.plural === plural);
  if (definition === undefined) throw new Error(`${plural} are not served`);
  return definition;
};
const quotas = definitionOf("resourcequotas");

function objectOf(name: string, namespace = "shop"): KubeObject {
  return { apiVersion: "v1", kind: "A", metadata: { name, namespace, uid: name } };
}

/** A namespace that has so many ResourceQuotas already. */
function countsBeside(count: number) {
  const stored = Array.from({ length: count }, (_, index) => objectOf(`q${index}`));
  const counts = createBoundedCounts((group, plural, namespace) =>
    group === "" && plural === "resourcequotas" && namespace === "shop" ? stored : [],
  );
  const claim = (object: KubeObject, definition = quotas, isDryRun = false): void =>
    counts.claim({ definition, object, isDryRun });
  return { stored, counts, claim };
}

describe("A272 a namespace", () => {
  it.each([
    ["ResourceQuota", "resourcequotas", { hard: { pods: "1" } }],
    ["LimitRange", "limitranges", { limits: [{ type: "Container", max: { cpu: "1" } }] }],
  ])("has at most 20 objects of the kind %s, however many come at once", async (kind, plural, spec) => {
    const world = await startHubWorld();
    const named = (name: string) => ({ apiVersion: "v1", kind, metadata: { name, namespace: "shop" }, spec });
    const sent = Array.from({ length: 60 }, (_, index) => refusalOf(world.create(named(`a${index}`))));
    const refusals = (await Promise.all(sent)).filter((text) => text !== undefined);
    expect([world.list(plural).length, refusals.length]).toEqual([20, 40]);
    await world.remove(plural, world.list(plural)[0]?.metadata.name ?? "");
    expect(await refusalOf(world.create(named("b")))).toBeUndefined();
  });

  it.each([
    [
      "resourcequotas",
      'resourcequotas "a" is forbidden: a namespace has at most 20 ResourceQuotas: put several amounts into one',
    ],
    [
      "limitranges",
      'limitranges "a" is forbidden: a namespace has at most 20 LimitRanges: put several limits into one',
    ],
  ])("refuses one of %s beside 20 others", (plural, refusal) => {
    const counts = createBoundedCounts(() => Array.from({ length: 20 }, (_, index) => objectOf(`q${index}`)));
    const claim = () => counts.claim({ definition: definitionOf(plural), object: objectOf("a"), isDryRun: true });
    expect(claim).toThrow(`${refusal}, or delete one`);
  });

  it("counts what is on its way once, also when it is stored already", () => {
    const { stored, counts, claim } = countsBeside(18);
    const [first, second] = [objectOf("a"), objectOf("b")];
    claim(first);
    stored.push(first);
    claim(second);
    expect(() => claim(objectOf("c"))).toThrow("at most 20");
    counts.release(second);
    claim(objectOf("c"));
  });

  it("counts no object of another namespace or kind, and no dry run", () => {
    const { claim } = countsBeside(19);
    claim(objectOf("a", "other"));
    claim(objectOf("b"), definitionOf("limitranges"));
    claim(objectOf("c"), quotas, true);
    claim(objectOf("d"), definitionOf("configmaps"));
    claim(objectOf("e"));
    expect(() => claim(objectOf("f"))).toThrow("at most 20");
  });
});
