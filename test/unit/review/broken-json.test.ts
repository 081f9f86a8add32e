import { describe, expect, it } from "vitest";
import type { ParsedFile } from "../../../src/model/source.ts";
import { withBrokenJson } from "../../../src/review/broken-json.ts";
import { parsedFile } from "../reconcile/hub-changes.ts";
import { createPlanWorld } from "./plan-world.ts";

const json = (name: string, labels: Record<string, string> = {}): string =>
  JSON.stringify({
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: { name, namespace: "fleet", labels },
  });
const both = { "a.json": json("a"), "b.json": json("b") };

async function runOn(...commits: readonly Record<string, string>[]) {
  const world = createPlanWorld();
  for (const files of commits) await world.push(files);
  const plan = world.plans.at(-1);
  return {
    removed: plan?.removals.map(({ cluster }) => cluster),
    changed: plan?.changes.map(({ kind, ref }) => `${kind} ${ref.name}`),
    errors: plan?.problems.map(({ code, file }) => `${code} ${file}`),
  };
}

describe("JSON that cannot be read any more", () => {
  const cut = { ...both, "a.json": "{" };

  it("keeps the cluster that it declared, and is reported", async () => {
    expect(await runOn(both, cut)).toEqual({ removed: [], changed: [], errors: ["E_YAML a.json"] });
  });

  it("keeps it also in the commits after that, and when it is cut once more", async () => {
    const third = { "c.json": json("c") };
    const later = await runOn(both, cut, { ...cut, ...third }, { ...cut, ...third, "a.json": "{ " });
    expect(later).toEqual({ removed: [], changed: [], errors: ["E_YAML a.json"] });
  });

  it("keeps it for a process that has read nothing before, though an error elsewhere kept its commit from being applied", async () => {
    const world = createPlanWorld();
    await world.push({ "b.json": json("b") });
    await world.push({ ...both, "c.yaml": "a: [" });
    await world.push({ ...cut, "c.yaml": "a: [" });
    const plan = await world.planMerge(
      world.commit({ ...cut, "c.yaml": "a: [", "README.md": "" }, "Text\n", { isBeside: true }),
    );
    expect(plan.changes).toEqual([]);
    expect(plan.removals).toEqual([]);
    expect(plan.problems.map(({ code, file }) => `${code} ${file}`)).toEqual(["E_YAML a.json", "E_YAML c.yaml"]);
  });

  it.each<[string, readonly Readonly<Record<string, string>>[]]>([
    ["whose last version that could be read declared nothing", [{ "a.json": "{}" }, { "a.json": '{"a": 1,}' }]],
    ["that was deleted and made again", [both, { "b.json": json("b") }, { "a.json": '{"a": 1,}' }]],
  ])("reports nothing to such a process of a file %s", async (_what, commits) => {
    const world = createPlanWorld();
    await world.push({ "b.json": json("b") });
    let files: Record<string, string> = {};
    for (const changed of commits) {
      files = { "b.json": json("b"), ...changed, "c.yaml": "a: [" };
      await world.push(files);
    }
    const head = world.commit({ ...files, "README.md": "" }, "Text\n", { isBeside: true });
    const { problems } = await world.planMerge(head);
    expect(problems.map(({ file }) => file)).toEqual(["c.yaml"]);
  });

  it("means the cluster again once it is correct", async () => {
    const healed = await runOn(both, cut, { ...both, "a.json": json("a", { region: "eu" }) });
    expect(healed).toEqual({ removed: [], changed: ["update a"], errors: [] });
  });

  it("reports nothing where it never declared anything", async () => {
    const settings = { ...both, "settings.json": '{"a": 1,}' };
    expect(await runOn(both, settings, { ...settings, "settings.json": '{"a": 2,}' })).toMatchObject({ errors: [] });
  });

  it("lets the cluster leave where the file is deleted", async () => {
    expect(await runOn(both, cut, { "b.json": json("b") })).toMatchObject({ removed: ["fleet/a"] });
  });

  it("keeps it in the plan of a merge", async () => {
    const world = createPlanWorld();
    await world.push(both);
    const plan = await world.planMerge(world.commit({ ...both, "a.json": "{" }, "Cut\n", { isBeside: true }));
    expect(plan.removals).toEqual([]);
    expect(plan.problems.map(({ code, file }) => `${code} ${file}`)).toEqual(["E_YAML a.json"]);
  });
});

describe("withBrokenJson", () => {
  const unreadable = parsedFile("a.json", { isUnreadable: true });
  const document = { index: 0 } as never;

  it.each<[string, ParsedFile | undefined, boolean]>([
    ["was not there", undefined, false],
    ["declared nothing", parsedFile("a.json"), false],
    ["declared an object", parsedFile("a.json", { documents: [document] }), true],
    ["had an object with an error", parsedFile("a.json", { brokenObjects: ["Cluster/fleet/a"] }), true],
    ["had one of each", parsedFile("a.json", { documents: [document], brokenObjects: ["Cluster/fleet/a"] }), true],
    ["had objects that could not be identified", parsedFile("a.json", { isUnidentified: true }), true],
  ])("reports a file that cannot be read, and that %s before: %s", (_what, before, isReported) => {
    const { problems, isUnidentified } = withBrokenJson(unreadable, before);
    expect([problems.map(({ code }) => code), isUnidentified]).toEqual(isReported ? [["E_YAML"], true] : [[], false]);
  });

  it("leaves a file as it is that can be read", () => {
    const file = parsedFile("a.json");
    expect(withBrokenJson(file, parsedFile("a.json", { documents: [document] }))).toBe(file);
  });
});
