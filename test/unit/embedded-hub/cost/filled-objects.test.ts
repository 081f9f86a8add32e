import process from "node:process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Json } from "../../../../src/core/json.ts";
import { builtInResources } from "../../../../src/embedded-hub/resources/built-in-resources.ts";
import type { FilledObject } from "./filled-objects.ts";
import { filledObjects } from "./filled-objects.ts";
import type { BodyKind, MeasuredHub, MeasuredRequest } from "./request-cost.ts";
import { startMeasuredHub } from "./request-cost.ts";

// ROLLCALL_FILLED_OBJECTS=all measures each field of each kind with each kind of body; a number is the first of another sample.
const choice = process.env["ROLLCALL_FILLED_OBJECTS"] ?? "0";
const sampleSize = 120;
const kinds: readonly BodyKind[] = ["create", "update", "strategic", "merge", "json", "apply"];
/** Values of a body, without those that the object has anyway. */
const values = 3_000;
/** What takes less is linear, or too short to distinguish from it. */
const shortMs = 40;
/** A quarter takes a quarter; a sixteenth where the time is quadratic. */
const mostGrowth = 8;
const rounds = 6;

let hub: MeasuredHub;
beforeAll(async () => {
  hub = await startMeasuredHub();
});
afterAll(() => hub.stop());

interface Case {
  readonly filled: FilledObject;
  readonly kind: BodyKind;
}

describe("objects that are valid but for one or two long lists", () => {
  it("A51 cost in proportion to their length, whatever the entries are and however they are sent", async () => {
    const objects = filledObjects(builtInResources());
    expect(objects.length).toBeGreaterThan(5_000);
    const all = objects.flatMap((filled) => kinds.map((kind): Case => ({ filled, kind })));
    const first = Number(choice);
    // Neighbours are alike: a step beside 6 kinds of bodies takes each of them.
    const step = Math.floor(all.length / sampleSize) | 1;
    const chosen = choice === "all" ? all : all.filter((_, index) => index % step === first % step);
    expect(chosen.length).toBeGreaterThanOrEqual(sampleSize - 1);
    const slow: string[] = [];
    for (const one of chosen) {
      const growth = await growthOf(one);
      if (growth >= mostGrowth) slow.push(`${one.kind} ${one.filled.name}: ${growth.toFixed(1)}`);
    }
    expect(slow).toEqual([]);
  });
});

/** The least of some rounds: other processes disturb a measurement, never for the better. */
async function growthOf({ filled, kind }: Case): Promise<number> {
  const each = Math.max(1, countOf(filled.objectWith(2)) - countOf(filled.objectWith(1)));
  const count = Math.max(4, Math.floor(values / each));
  let growth = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds && growth >= mostGrowth; round += 1) {
    const whole = await hub.measure(requestOf(filled, kind, count), 1);
    if (whole.cpuMs < shortMs) return 0;
    const quarter = await hub.measure(requestOf(filled, kind, Math.floor(count / 4)), 2, 2);
    growth = Math.min(growth, whole.cpuMs / quarter.cpuMs);
  }
  return growth;
}

/** An update or a patch finds the object with one entry. */
function requestOf({ definition, objectWith }: FilledObject, kind: BodyKind, count: number): MeasuredRequest {
  const object = objectWith(count);
  if (kind === "create") return { definition, kind, body: object };
  const operations = Object.entries(object).map(([key, value]) => ({
    op: "add",
    path: `/${key}`,
    value: value ?? null,
  }));
  return { definition, kind, body: kind === "json" ? operations : object, live: objectWith(1) };
}

function countOf(value: Json): number {
  if (typeof value !== "object" || value === null) return 1;
  return 1 + Object.values(value).reduce<number>((sum, one) => sum + countOf(one ?? null), 0);
}
