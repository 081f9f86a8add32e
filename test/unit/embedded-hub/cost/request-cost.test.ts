import process from "node:process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { builtInResources } from "../../../../src/embedded-hub/resources/built-in-resources.ts";
import type { LargeField } from "./large-objects.ts";
import { largeFieldsOf } from "./large-objects.ts";
import type { BodyKind, Cost, MeasuredHub, MeasuredRequest } from "./request-cost.ts";
import { bodyKinds, startMeasuredHub } from "./request-cost.ts";

// ROLLCALL_REQUEST_COST=all measures every field with every kind of body and prints the heaviest; a number is the seed of
// another sample.
const choice = process.env["ROLLCALL_REQUEST_COST"] ?? "16";
const isWhole = choice === "all";
const sampleSize = 40;
/** Values of the largest body: with what is stored before, an object has nearly as many as it may. */
const mostBodyValues = 9_500;
/** A cheaper one is not measured: what is below is noise of the machine. */
const noiseMs = 60;
/** Twice what is promised: other tests share the processor. */
const mostMs = isWhole ? 200 : 400;

interface Measured extends Cost {
  readonly name: string;
  readonly kind: BodyKind;
  readonly growth: number;
}

let hub: MeasuredHub;
beforeAll(async () => {
  hub = await startMeasuredHub();
});
afterAll(() => hub.stop());

describe("A51 a request of a large body", () => {
  it("A51 costs in proportion to its length, for every field and every kind of body", async () => {
    const fields = largeFieldsOf(builtInResources().filter(({ verbs }) => verbs.includes("get")));
    expect(fields.length).toBeGreaterThan(300);
    const pairs = fields.flatMap((field) => bodyKinds.map((kind) => ({ field, kind })));
    const chosen = isWhole ? pairs : sampleOf(pairs, sampleSize, Number(choice));
    const measured: Measured[] = [];
    for (const { field, kind } of chosen) {
      const name = `${field.definition.plural} ${field.path}`;
      measured.push(await growthOf(name, kind, (part) => requestOf(field, kind, part)));
    }
    report(measured);
    judge(measured);
  }, 900_000);

  it.each<[string, BodyKind, (count: number) => Pick<MeasuredRequest, "body" | "live">, string]>([
    ["managers of one field each", "create", (count) => ({ body: managed(count, "Update") }), "configmaps"],
    ["appliers of one field each", "create", (count) => ({ body: managed(count, "Apply") }), "configmaps"],
    [
      "what 500 appliers own is applied again",
      "apply",
      (count) => ({ body: configMap(count), live: managed(Math.min(count, 1_000), "Apply", count) }),
      "configmaps",
    ],
    [
      "every field changes its manager",
      "merge",
      (count) => ({ body: configMap(count), live: managed(count, "Update") }),
      "configmaps",
    ],
    [
      "10,000 items move to the end of a list",
      "json",
      (count) => ({
        body: Array.from({ length: count }, () => ({
          op: "move",
          from: "/metadata/finalizers/0",
          path: `/metadata/finalizers/${count}`,
        })),
        live: {
          ...configMap(1),
          metadata: { name: "live", finalizers: Array.from({ length: count + 1 }, (_, index) => `a.io/${index}`) },
        },
      }),
      "configmaps",
    ],
    ["containers that mount as many volumes", "create", (count) => ({ body: mounts(Math.floor(count / 8)) }), "pods"],
    [
      "a chain of maps within each other",
      "merge",
      (count) => ({ body: { metadata: { annotations: deep(Math.floor(count / 10)) } } }),
      "configmaps",
    ],
  ])("A51 costs in proportion to its length: %s", async (name, kind, requestWith, plural) => {
    const definition = hub.operations.definitionOf("", plural);
    if (definition === undefined) throw new Error(`${plural} are not served`);
    const measured = await growthOf(name, kind, (part) => ({
      definition,
      kind,
      ...requestWith(Math.floor(mostBodyValues * part)),
    }));
    report([measured]);
    judge([measured]);
  });

  it.each(["create", "merge"] as const)(
    "A51 is refused with 413 when it has more than 20,000 values: %s",
    async (kind) => {
      const definition = hub.operations.definitionOf("", "configmaps");
      if (definition === undefined) throw new Error("configmaps are not served");
      const live = kind === "merge" ? { live: configMap(1) } : {};
      expect(await hub.measure({ definition, kind, body: configMap(19_000), ...live }, 1)).toMatchObject({ code: 200 });
      expect(await hub.measure({ definition, kind, body: configMap(20_001), ...live }, 1)).toMatchObject({ code: 413 });
      expect(await hub.measure({ definition, kind, body: configMap(100_000), ...live }, 1)).toMatchObject({
        code: 413,
      });
    },
  );
});

function requestOf(field: LargeField, kind: BodyKind, part: number): MeasuredRequest {
  const { definition } = field;
  const count = Math.max(1, Math.floor((mostBodyValues * part) / Math.max(1, field.itemValues)));
  const body = field.objectWith(count, "b");
  if (kind === "create") return { definition, kind, body };
  const live = field.objectWith(count, "a");
  if (kind !== "json") return { definition, kind, body, live };
  const operations = Object.keys(body).map((key) => ({ op: "add", path: `/${key}`, value: body[key] ?? null }));
  return { definition, kind, body: operations, live };
}

async function growthOf(
  name: string,
  kind: BodyKind,
  requestWith: (part: number) => MeasuredRequest,
): Promise<Measured> {
  let whole = await hub.measure(requestWith(1), isWhole ? 2 : 1);
  if (whole.cpuMs < noiseMs) return { ...whole, name, kind, growth: 0 };
  whole = await hub.measure(requestWith(1), 3);
  const quarter = await hub.measure(requestWith(0.25), 3);
  // Of one doubling of two: one alone is too little to tell it from noise.
  const growthTo = ({ cpuMs }: Cost): number => Math.sqrt(cpuMs / quarter.cpuMs);
  let growth = growthTo(whole);
  // Other processes disturb a measurement, never for the better: a quadratic one stays one.
  for (let more = 0; more < 4 && (growth >= 2.3 || whole.cpuMs > mostMs); more += 1) {
    const again = await hub.measure(requestWith(1), 5);
    if (again.cpuMs < whole.cpuMs) whole = again;
    growth = growthTo(whole);
  }
  return { ...whole, name, kind, growth };
}

function judge(measured: readonly Measured[]): void {
  const slow = measured.filter(({ cpuMs, growth }) => (cpuMs >= noiseMs && growth >= 2.3) || cpuMs > mostMs);
  expect(slow.map(({ name, kind, cpuMs, growth }) => `${kind} ${name}: ${cpuMs} ms, growth ${growth}`)).toEqual([]);
}

/** The three heaviest of each kind of body. */
function report(measured: readonly Measured[]): void {
  if (!isWhole) return;
  for (const kind of bodyKinds) {
    const heaviest = measured.filter((one) => one.kind === kind).sort((a, b) => b.cpuMs - a.cpuMs);
    for (const { name, cpuMs, growth, code } of heaviest.slice(0, 3)) {
      process.stdout.write(`| ${kind} | ${name} | ${Math.round(cpuMs)} ms | ${growth.toFixed(2)} | ${code} |\n`);
    }
  }
}

function sampleOf<T>(items: readonly T[], size: number, seed: number): T[] {
  const step = Math.floor(items.length / size);
  return Array.from({ length: size }, (_, index) => items[(index * step + seed * 7) % items.length]).filter(
    (item): item is T => item !== undefined,
  );
}

function configMap(count: number): JsonObject {
  const data = Object.fromEntries(Array.from({ length: count }, (_, index) => [`k-${index}`, "x"]));
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "live" }, data };
}

/** A ConfigMap whose keys are owned by so many managers, one after the other. */
function managed(count: number, operation: "Apply" | "Update", keys = count): JsonObject {
  const managers = Math.floor(count / 10);
  const managedFields = Array.from({ length: managers }, (_, index) => ({
    manager: `m-${index}`,
    operation,
    apiVersion: "v1",
    time: "2026-01-01T00:00:00Z",
    fieldsType: "FieldsV1",
    fieldsV1: { "f:data": { [`f:k-${index}`]: {} } },
  }));
  return { ...configMap(keys), metadata: { name: "live", managedFields } };
}

function mounts(count: number): JsonObject {
  const names = Array.from({ length: count }, (_, index) => `v-${index}`);
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "live" },
    spec: {
      volumes: names.map((name) => ({ name, emptyDir: {} })),
      containers: names.map((name) => ({ name, image: "i", volumeMounts: [{ name, mountPath: `/${name}` }] })),
    },
  };
}

function deep(levels: number): JsonObject {
  let value: JsonObject = {};
  for (let level = 0; level < levels; level += 1) value = { a: value };
  return value;
}
