import fc from "fast-check";
import { expect, it } from "vitest";
import { describeRef } from "../../../src/model/kubernetes.ts";
import type { Plan } from "../../../src/model/plan.ts";
import { createPlanWorld } from "./plan-world.ts";

type Files = Readonly<Record<string, string>>;

const names = ["a", "b", "c", "d"];
const ours = "rollcall.dev/v1alpha1";
const document = (kind: string, [name, env]: readonly [string, string], spec: string, apiVersion = ours): string =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: ${name}, labels: {env: ${env}}}\nspec: ${spec}\n`;
const cluster = (named: readonly [string, string], more = ""): string =>
  document("Cluster", named, `{displayName: x${more}}`);

const name = fc.constantFrom(...names);
const named = fc.tuple(name, fc.constantFrom("x", "y"));
const selector = "selector: {matchLabels: {env: x}}";
const account = "{identity: {kind: ServiceAccount, name: a, namespace: b}}";
const oneDocument = fc.oneof(
  { weight: 6, arbitrary: named.map((of) => cluster(of)) },
  fc.tuple(named, name).map(([of, other]) => cluster(of, `, previousName: ${other}`)),
  named.map((of) => cluster(of, ", protocol: fleet")),
  named.map((of) => cluster(of, ", deletionProtection: true")),
  named.map((of) => cluster(of, ", nothing: 1")),
  named.map((of) => document("MemberCluster", of, account, "cluster.kubernetes-fleet.io/v1beta1")),
  named.map((of) => document("ClusterRegistrationToken", of, "{ttl: 1h}")),
  named.map((of) => document("ClusterGroup", of, `{${selector}}`)),
  named.map(([of, env]) => document("ClusterLabels", [of, "z"], `{${selector}, labels: {tier: ${env}}}`)),
);
const text = fc.oneof(
  { weight: 8, arbitrary: fc.array(oneDocument, { minLength: 1, maxLength: 3 }).map((all) => all.join("---\n")) },
  fc.constantFrom("apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: [\n", "-> b.yaml", "hello: world\n"),
);
const path = fc.constantFrom("a.yaml", "A.yaml", "b.yaml", "c.yaml", "a.yaml/x.yaml", "d/a.yaml", "d/b.json");
/** A file with another text, without one, at another path, or another list of ignored files. */
const edit = fc.oneof(
  { weight: 4, arbitrary: fc.record({ at: path, to: path, text: fc.option(text, { nil: undefined }) }) },
  fc.record({ at: path, to: path }),
  fc.constantFrom("", "d/\n", "b.yaml\n").map((list) => ({ at: ".rollcallignore", to: ".rollcallignore", text: list })),
);
const edits = fc.array(edit, { minLength: 1, maxLength: 4 });
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;

/** A file and a folder of one path cannot be in one commit: the newer one stays. */
function edited(files: Files, all: readonly Edit[]): Files {
  let next = files;
  for (const each of all) {
    const written = "text" in each ? each.text : next[each.at];
    const place = "text" in each ? each.at : each.to;
    const isKept = (other: string): boolean =>
      other !== each.at && other !== place && !other.startsWith(`${place}/`) && !place.startsWith(`${other}/`);
    const others = Object.entries(next).filter(([other]) => isKept(other));
    next = { ...Object.fromEntries(others), ...(written === undefined ? {} : { [place]: written }) };
  }
  return next;
}

/** Undefined where both sides changed a file, or one has a folder in the place of a file of the other. */
function mergeOf(base: Files, main: Files, branch: Files): Files | undefined {
  const merged: Record<string, string> = {};
  for (const each of Object.keys({ ...base, ...main, ...branch })) {
    const isOnMain = main[each] !== base[each];
    if (isOnMain && branch[each] !== base[each] && main[each] !== branch[each]) return undefined;
    const result = isOnMain ? main[each] : branch[each];
    if (result !== undefined) merged[each] = result;
  }
  const paths = Object.keys(merged);
  return paths.some((one) => paths.some((other) => other.startsWith(`${one}/`))) ? undefined : merged;
}

function shown(plan: Plan | undefined): unknown {
  const changes = plan?.changes.map((change) => `${describeRef(change.ref)} ${JSON.stringify(change)}`).sort();
  const held = [...(plan?.withheld ?? []), ...(plan?.heldDeletes ?? [])];
  const all = {
    changes: changes?.map((change) => change.replaceAll(/[0-9a-f]{40}/gu, "commit")),
    removals: plan?.removals.map(({ cluster: of }) => of).sort(),
    held: held.map((each) => `${"cluster" in each ? each.cluster : describeRef(each.ref)} ${each.because}`).sort(),
    problems: plan?.problems.map(({ file, line, code, message }) => `${file}:${line} ${code} ${message}`),
  };
  return all;
}

it("plans of branches are what the merge does, whatever the shapes of the changes are", async () => {
  let compared = 0;
  const sides = fc.record({ start: edits, onMain: fc.array(edits, { maxLength: 2 }), onBranch: edits });
  await fc.assert(
    fc.asyncProperty(sides, fc.boolean(), async ({ start, onMain, onBranch }, isSquash) => {
      const world = createPlanWorld();
      const first: Files = Object.fromEntries(names.map((each) => [`${each}.yaml`, cluster([each, "x"])]));
      await world.push(first);
      const base = edited(first, start);
      let mainId = world.commit(base);
      await world.run();
      const branch = edited(base, onBranch);
      const head = world.commit(branch, "Branch\n", { isBeside: true });
      let main = base;
      for (const all of onMain) {
        main = edited(main, all);
        mainId = world.commit(main);
        await world.run();
      }
      const merged = mergeOf(base, main, branch);
      if (merged === undefined) return;
      const planned = await world.planMerge(head);
      world.commit(merged, "Merge\n", { parents: isSquash ? [mainId] : [mainId, head] });
      const before = world.plans.length;
      await world.run();
      // A run that has nothing to read makes no plan.
      if (world.plans.length === before) return;
      compared += 1;
      expect(shown(planned)).toEqual(shown(world.plans[before]));
    }),
    { numRuns: 40, seed: 1 },
  );
  expect(compared).toBeGreaterThan(12);
});
