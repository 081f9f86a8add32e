import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chunksOf, partsOf, sizeOf, textOf } from "../../../../src/embedded-hub/http/body-parts.ts";
import type { Encoding, OutputForm } from "../../../../src/embedded-hub/http/media-types.ts";
import type { Presentation } from "../../../../src/embedded-hub/http/present.ts";
import { presentList } from "../../../../src/embedded-hub/http/present.ts";
import { listMetadata, renderValue } from "../../../../src/embedded-hub/http/render.ts";
import { readSelection } from "../../../../src/embedded-hub/http/selection.ts";
import type { ListPage } from "../../../../src/embedded-hub/operations/operations.ts";
import type { ResourceDefinition } from "../../../../src/embedded-hub/operations/resource-definition.ts";
import { createTurns } from "../../../../src/embedded-hub/operations/turns.ts";
import { countOfRun } from "../../../support/full-counts.ts";
import { heldBytes } from "../../../support/held-bytes.ts";
import { realClock } from "../../../support/real-time.ts";
import { countingTurns, turnsDuring } from "../../../support/turns-during.ts";
import type { MeasuredHub } from "./request-cost.ts";
import { startMeasuredHub } from "./request-cost.ts";

const objectCount = countOfRun({ full: 1500, short: 300 });
/** A slice is ten objects, and the read that ends it. */
const fewestTurns = objectCount / 11;
const target = { namespace: "shop" };
/** Lines, quotes, blank lines and lists: what YAML writes in several ways. */
const oddTexts = [
  "plain",
  "no",
  "1.0",
  "",
  "a\nb\n",
  "a\n\n\nb",
  "\n",
  " lead\n  b\n\n",
  '"q"\t',
  "- a",
  "é\u0001",
  "#",
];

let hub: MeasuredHub;
let definition: ResourceDefinition;
beforeAll(async () => {
  let looks = 0;
  // Each read of the clock is a millisecond: a slice is ten steps.
  hub = await startMeasuredHub({ ...realClock, monotonicMs: () => ++looks });
  const found = hub.operations.definitionOf("", "configmaps");
  if (found === undefined) throw new Error("configmaps are not served");
  definition = found;
  for (let index = 0; index < objectCount; index += 1)
    await hub.store(definition, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: `m-${index}`, namespace: "shop", uid: "u", labels: { a: "b", c: "d" }, finalizers: ["a.io/b"] },
      data: { text: oddTexts[index % oddTexts.length] ?? "", other: "w" },
    });
});
afterAll(() => hub.stop());

const select = (key: string, text: string) =>
  readSelection(new URLSearchParams({ [key]: text }), { definition, ...target });

function presentation(encoding: Encoding, as?: OutputForm["as"]): Presentation {
  return {
    form: { encoding, ...(as === undefined ? {} : { as }) },
    definition,
    query: new URLSearchParams(),
    nowMs: 0,
    turns: countingTurns(),
  };
}

async function allObjects(): Promise<ListPage> {
  return hub.operations.readPage(definition, target);
}

/** At most as long as a selector may be. */
const terms = (make: (index: number) => string): string => {
  const all: string[] = [];
  for (let length = 0; length < 64_000; length += (all.at(-1)?.length ?? 0) + 1) all.push(make(all.length));
  return all.join(",");
};

describe("A51 a list", () => {
  it.each([
    ["labels that are not there", "labelSelector", () => terms((index) => `!x${index}`)],
    ["values that a label does not have", "labelSelector", () => `a notin (${terms((index) => `x${index}`).slice(9)})`],
    ["names that no object has", "fieldSelector", () => terms((index) => `metadata.name!=x${index}`)],
  ])("A51 leaves others their turn while it searches for %s", async (_name, key, makeText) => {
    const selection = select(key, makeText());
    for (const read of [
      () => hub.operations.readPage(definition, selection),
      () => hub.operations.currentState(definition, selection),
    ]) {
      const { outcome, turns } = await turnsDuring(read);
      expect(outcome).toMatchObject({ items: { length: objectCount } });
      expect(turns).toBeGreaterThan(fewestTurns);
    }
  });

  it.each([
    ["YAML", () => presentation("yaml")],
    ["metadata in YAML", () => presentation("yaml", "PartialObjectMetadataList")],
    ["a table in YAML", () => presentation("yaml", "Table")],
    ["JSON", () => presentation("json")],
    ["metadata in JSON", () => presentation("json", "PartialObjectMetadataList")],
    ["a table in JSON", () => presentation("json", "Table")],
    ["protobuf", () => presentation("protobuf")],
    ["metadata in protobuf", () => presentation("protobuf", "PartialObjectMetadataList")],
  ])("A51 leaves others their turn while it is written as %s", async (_name, shown) => {
    const page = await allObjects();
    const { turns } = await turnsDuring(() => presentList(shown(), page));
    expect(turns).toBeGreaterThan(fewestTurns);
  });

  it("A51 that waits for its reader holds none of its parts: they are made when they are sent", async () => {
    let cuts = 0;
    const countCuts = (json: Uint8Array): Uint8Array =>
      Object.assign(Buffer.from(json), { subarray: (start: number) => ((cuts += 1), json.subarray(start)) });
    const page = await allObjects();
    const items = page.items.map(({ object, json }) => ({ object, json: countCuts(json) }));
    const { body } = await presentList(presentation("json"), { ...page, items });
    expect(cuts).toBe(0);
    const chunks = chunksOf(partsOf(body), 4096)[Symbol.iterator]();
    chunks.next();
    expect(cuts).toBeGreaterThan(0);
    expect(cuts).toBeLessThanOrEqual(4096 / Math.min(...items.map(({ json }) => json.length - 100)));
  });

  it("A51 of 50,000 objects that 16 readers wait for is held once", async () => {
    const [first] = (await allObjects()).items;
    if (first === undefined) throw new Error("the hub has no object");
    const page = { items: Array.from({ length: 50_000 }, () => first), revision: 1 };
    const turns = createTurns(() => 0);
    const before = heldBytes();
    const bodies = [];
    for (let reader = 0; reader < 16; reader += 1) {
      const { body } = await presentList({ ...presentation("json"), turns }, page);
      const chunks = chunksOf(partsOf(body), 64 * 1024)[Symbol.iterator]();
      chunks.next();
      bodies.push(chunks);
    }
    // A part for each object, as they were made before, is 100 MiB.
    expect((heldBytes() - before) / 1024 ** 2).toBeLessThan(8);
    expect(bodies).toHaveLength(16);
  });

  it.each(["yaml", "json", "protobuf"] as const)("is the same in %s piece by piece", async (encoding) => {
    const page = await allObjects();
    for (const count of [0, 40]) {
      const few = { ...page, items: page.items.slice(0, count) };
      const items = few.items.map(({ object: { apiVersion: _, kind: __, ...rest } }) => rest);
      const list = { kind: "ConfigMapList", apiVersion: "v1", metadata: listMetadata(few), items };
      const { contentType, body } = await presentList(presentation(encoding), few);
      const whole = renderValue(list, encoding);
      expect({ contentType, body: textOf(body) }).toEqual({ ...whole, body: textOf(whole.body) });
      const bytes = [body, whole.body].map((one) => Buffer.concat([...partsOf(one)]));
      expect(bytes[0]?.equals(bytes[1] ?? Buffer.of())).toBe(true);
      expect(sizeOf(body)).toBe(bytes[0]?.length);
    }
  });
});
