import { describe, expect, it } from "vitest";
import type { ServedEvent } from "../../../../src/embedded-hub/operations/operations.ts";
import { administrator, configMap, contextOf, refusalOf } from "../controllers/hub-world.ts";
import type { MemoryHub } from "./memory-hub.ts";
import { startMemoryHub } from "./memory-hub.ts";

const context = { ...contextOf(administrator), isUntracked: true };

/** A ConfigMap that becomes blue, changes, becomes red and is deleted, and one of another namespace. */
async function runLife({ operations, definitionOf }: MemoryHub): Promise<void> {
  const definition = definitionOf("v1", "ConfigMap");
  const target = { definition, namespace: "shop", name: "a" };
  await operations.create(context, target, configMap("a"));
  const paint = (color: string, data = {}) =>
    operations.patch(context, target, { kind: "merge", patch: { metadata: { labels: { color } }, data } });
  await paint("blue");
  await operations.create(context, { ...target, namespace: "other" }, configMap("a", { namespace: "other" }));
  await paint("blue", { a: "1" });
  await paint("red");
  await operations.delete(context, target, {});
}

function lineOf({ type, revision, served: { object, json } }: ServedEvent): string {
  const { namespace, labels, resourceVersion } = object.metadata;
  expect(JSON.parse(Buffer.from(json).toString("utf8"))).toEqual(object);
  return [type, revision, namespace, labels?.["color"] ?? "-", resourceVersion].join(" ");
}

const whole = [
  ...["ADDED 1 shop - 1", "MODIFIED 2 shop blue 2", "ADDED 3 other - 3", "MODIFIED 4 shop blue 4"],
  ...["MODIFIED 5 shop red 5", "DELETED 6 shop red 6"],
];
const isBlue = ({ metadata }: { metadata: { labels?: Record<string, string> } }) =>
  metadata.labels?.["color"] === "blue";

describe("a watch", () => {
  const cases = [
    { of: "all", selection: {}, lines: whole },
    { of: "one namespace", selection: { namespace: "shop" }, lines: whole.filter((line) => !line.includes("other")) },
    { of: "one object", selection: { namespace: "other", name: "a" }, lines: ["ADDED 3 other - 3"] },
    { of: "a name in all namespaces", selection: { name: "a" }, lines: whole },
    {
      of: "a selection, which an object enters and leaves as it was in it",
      selection: { matches: isBlue },
      lines: ["ADDED 2 shop blue 2", "MODIFIED 4 shop blue 4", "DELETED 5 shop blue 5"],
    },
    { of: "a selection, to the end", selection: { matches: () => true }, lines: whole },
    { of: "nothing", selection: { matches: () => false }, lines: [] },
  ];
  it.each(cases)("shows events of $of, live and from the past", async ({ selection, lines }) => {
    const hub = await startMemoryHub();
    const definition = hub.definitionOf("v1", "ConfigMap");
    const live: string[] = [];
    const end = hub.operations.watch(definition, { ...selection, afterRevision: 0 }, (event) =>
      live.push(lineOf(event)),
    );
    await runLife(hub);
    end();
    expect(live).toEqual(lines);
    const past: string[] = [];
    const reached = hub.operations.replay(definition, { ...selection, afterRevision: 0, limit: 99 }, (event) =>
      past.push(lineOf(event)),
    );
    expect([past, reached]).toEqual([lines, hub.operations.revision()]);
  });

  it("of a controller has the objects alone, after its revision", async () => {
    const hub = await startMemoryHub();
    const { operations, definitionOf } = hub;
    const seen: string[] = [];
    await runLife(hub);
    operations.observe(definitionOf("v1", "ConfigMap"), 3, ({ kind, object }) => {
      seen.push(`${kind} ${object.metadata.resourceVersion}`);
    });
    expect(seen).toEqual(["modified 4", "modified 5", "deleted 6"]);
  });

  it("of a revision that is compacted ends with 410", async () => {
    const hub = await startMemoryHub();
    await runLife(hub);
    await hub.store.compact(3);
    const definition = hub.definitionOf("v1", "ConfigMap");
    const from = (afterRevision: number) =>
      refusalOf(Promise.resolve().then(() => hub.operations.watch(definition, { afterRevision }, () => undefined)));
    expect(await from(2)).toBe("too old resource version: 2 (3)");
    expect(await from(3)).toBeUndefined();
  });
});
