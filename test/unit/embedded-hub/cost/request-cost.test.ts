import process from "node:process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { builtInResources } from "../../../../src/embedded-hub/resources/built-in-resources.ts";
import { countOfRun } from "../../../support/full-counts.ts";
import type { LargeField } from "./large-objects.ts";
import { largeFieldsOf } from "./large-objects.ts";
import type { BodyKind, Cost, MeasuredHub, MeasuredRequest } from "./request-cost.ts";
import { bodyKinds, nearlyMostBytes, shareOf, startMeasuredHub } from "./request-cost.ts";

// ROLLCALL_REQUEST_COST=all measures every field with every kind of body and prints the heaviest, short does so without long
// and quoted texts, and heaviest is short with the growth of the eight heaviest of each kind alone; a number is the seed of
// another sample. ROLLCALL_REQUEST_KINDS=yaml,review measures these kinds alone, ROLLCALL_REQUEST_PART=2/5 each fifth field.
const choice = process.env["ROLLCALL_REQUEST_COST"] ?? "16";
const kinds = process.env["ROLLCALL_REQUEST_KINDS"]?.split(",") ?? bodyKinds;
const [part = 1, parts = 1] = process.env["ROLLCALL_REQUEST_PART"]?.split("/").map(Number) ?? [];
const isWhole = choice === "all" || choice === "short" || choice === "heaviest";
const heaviestCount = 8;
const sampleSize = countOfRun({ full: 8, short: 4 });
/** Values of the largest body. With other items beside those that are stored, an object has nearly as many as it may. */
const halfOfMost = 9_500;
const nearlyMost = 19_500;
/** A cheaper one is not measured: what is below is noise of the machine. */
const noiseMs = 60;
/** Only where nothing else runs: other tests share the processor. Growth shows then what is not linear. */
const mostMs = isWhole ? 200 : Number.POSITIVE_INFINITY;
const mostGrowth = 2.3;
/** Of the largest body: a half and a quarter of it show growth, too. */
const largestPart = isWhole ? 1 : countOfRun({ full: 0.5, short: 0.25 });
/** Runs of each measurement, of which the cheapest counts. */
const runs = isWhole ? 3 : 1;

interface Measured extends Cost {
  readonly name: string;
  readonly kind: BodyKind;
  readonly growth: number;
}

interface Form {
  readonly kind: BodyKind;
  /** The body is the same as what is stored; else it has other items. */
  readonly isSame: boolean;
  readonly text: keyof typeof texts;
}

/** What names and values are made of: a body has as many values as it may, or as many bytes. */
const texts = {
  short: "b",
  long: "b".repeat(120),
  quoted: '\\"é\u0001'.repeat(20),
  listed: "b,".repeat(60),
  parts: "b.b/".repeat(30),
} as const;

const textNames = ["short", "long", "quoted"] as const;
const forms: readonly Form[] = [
  ...textNames.flatMap((text): Form[] => [
    ...bodyKinds.map((kind) => ({ kind, isSame: false, text })),
    ...(["json", "merge", "strategic", "apply"] as const).map((kind) => ({ kind, isSame: true, text })),
  ]),
  ...(["listed", "parts"] as const).flatMap((text): Form[] =>
    (["create", "merge", "review"] as const).map((kind) => ({ kind, isSame: false, text })),
  ),
];

/** The heaviest of each kind of body (docs/security.md, Heaviest requests): measured each time. */
const heaviest: Readonly<Record<BodyKind, string>> = {
  create: "pods spec.initContainers.resources.requests (short)",
  update: "pods spec.initContainers.resources.requests (short)",
  json: "pods spec.initContainers.resources.requests (again, short)",
  merge: "pods spec.initContainers.resources.requests (again, short)",
  strategic: "pods spec.initContainers.resources.requests (again, short)",
  apply: "pods spec.initContainers.resources.requests (short)",
  yaml: "pods spec.initContainers.resources.requests (short)",
  protobuf: "pods spec.initContainers.resources.requests (short)",
  review: "localsubjectaccessreviews spec.resourceAttributes.labelSelector.requirements (quoted)",
};

let hub: MeasuredHub;
beforeAll(async () => {
  hub = await startMeasuredHub();
});
afterAll(() => hub.stop());

describe("A51 a request of a large body", () => {
  it("A51 costs in proportion to its length, for every field and every kind of body", async () => {
    const fields = largeFieldsOf(builtInResources());
    expect(fields.length).toBeGreaterThan(300);
    const isStored = ({ definition }: LargeField): boolean => definition.verbs.includes("get");
    const pairs = fields.flatMap((field) =>
      forms
        .filter(({ kind }) => isStored(field) !== (kind === "review") && kinds.includes(kind))
        .filter(({ text }) => field.itemValues === 0 || (text !== "listed" && text !== "parts"))
        .map((form) => ({ field, form, name: nameOf(field, form) })),
    );
    const known = pairs.filter(({ form, name }) => heaviest[form.kind] === name);
    expect(known).toHaveLength(kinds.length);
    const asked = pairs.filter(({ form }, index) => {
      return (choice === "all" || form.text === "short") && index % parts === part - 1;
    });
    const first = choice === "heaviest" ? await heaviestOf(asked) : asked;
    const chosen = isWhole ? first : [...known, ...sampleOf(pairs, sampleSize, Number(choice))];
    const measured: Measured[] = [];
    for (const { field, form, name } of chosen) {
      const cost = await growthOf(name, form.kind, (part) => requestOf(field, form, part));
      // YAML joins a quoted text character by character: from half a megabyte on it is garbage to collect, a step.
      const isStep = form.kind === "yaml" && field.itemValues === 0;
      measured.push(isStep ? { ...cost, growth: 0 } : cost);
    }
    report(measured);
    evaluate(measured);
  }, 3_600_000);

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
    ...["a,", "a in (b,c),", "!a,", "b,"].map(
      (part): [string, BodyKind, (count: number) => Pick<MeasuredRequest, "body">, string] => [
        `a labelSelector of "${part}" in a review`,
        "review",
        (count) => ({
          body: review({ labelSelector: { rawSelector: ofBytes(`${part === "b," ? "a in (" : ""}${part}`, count) } }),
        }),
        "selfsubjectaccessreviews.authorization.k8s.io",
      ],
    ),
    ...["a=b,", "a\\,", "="].map(
      (part): [string, BodyKind, (count: number) => Pick<MeasuredRequest, "body">, string] => [
        `a fieldSelector of "${part}" in a review`,
        "review",
        (count) => ({ body: review({ fieldSelector: { rawSelector: ofBytes(part, count) } }) }),
        "selfsubjectaccessreviews.authorization.k8s.io",
      ],
    ),
    ...[".", "e30.", "W10"].map(
      (part): [string, BodyKind, (count: number) => Pick<MeasuredRequest, "body">, string] => [
        `a token of "${part}" in a review`,
        "review",
        (count) => ({ body: { spec: { token: ofBytes(part, count) } } }),
        "tokenreviews.authentication.k8s.io",
      ],
    ),
    [
      "a token of many values in a review",
      "review",
      (count) => ({
        body: {
          spec: { token: `${Buffer.from(JSON.stringify(new Array(count * 30).fill([]))).toString("base64url")}.e30.a` },
        },
      }),
      "tokenreviews.authentication.k8s.io",
    ],
  ])("A51 costs in proportion to its length: %s", async (name, kind, requestWith, plural) => {
    const [resource = "", ...group] = plural.split(".");
    const definition = hub.operations.definitionOf(group.join("."), resource);
    if (definition === undefined) throw new Error(`${plural} are not served`);
    const measured = await growthOf(name, kind, (part) => ({
      definition,
      kind,
      ...requestWith(Math.floor(halfOfMost * part)),
    }));
    report([measured]);
    evaluate([measured]);
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

interface Pair {
  readonly field: LargeField;
  readonly form: Form;
  readonly name: string;
}

/** By an eighth of the largest body: cost is in proportion to it. */
async function heaviestOf(pairs: readonly Pair[]): Promise<Pair[]> {
  const costs: { readonly pair: Pair; readonly cpuMs: number }[] = [];
  for (const pair of pairs) {
    const { cpuMs } = await hub.measure(requestOf(pair.field, pair.form, largestPart / 8), 2);
    costs.push({ pair, cpuMs });
  }
  costs.sort((a, b) => b.cpuMs - a.cpuMs);
  return kinds.flatMap((kind) =>
    costs
      .filter(({ pair }) => pair.form.kind === kind)
      .slice(0, heaviestCount)
      .map(({ pair }) => pair),
  );
}

function nameOf({ definition, path }: LargeField, { isSame, text }: Form): string {
  return `${definition.plural} ${path} (${isSame ? "again, " : ""}${text})`;
}

/** An update replaces what is stored; a patch comes beside it, or is the same as what is stored. */
function requestOf(field: LargeField, { kind, isSame, text }: Form, part: number): MeasuredRequest {
  const { definition, itemValues } = field;
  const isBeside = !isSame && (kind === "json" || kind === "merge" || kind === "strategic" || kind === "apply");
  const values = (isBeside ? halfOfMost : nearlyMost) * part;
  const bodyOf = (count: number): MeasuredRequest => {
    const object = field.objectWith(count, texts[text]);
    const { name: _, ...metadata } = object["metadata"] as JsonObject;
    const body = kind === "review" ? { ...object, metadata } : object;
    if (kind === "create" || kind === "yaml" || kind === "protobuf" || kind === "review")
      return { definition, kind, body };
    const live = field.objectWith(count, isSame ? texts[text] : "a");
    if (kind !== "json") return { definition, kind, body, live };
    const operations = Object.keys(body).map((key) => ({ op: "add", path: `/${key}`, value: body[key] ?? null }));
    return { definition, kind, body: operations, live };
  };
  const count = Math.max(1, Math.floor(values / Math.max(1, itemValues)));
  const request = bodyOf(count);
  const excess = shareOf(request) / part;
  return excess <= 1 ? request : bodyOf(Math.max(1, Math.floor(count / excess)));
}

/** Of two doublings: one alone is too little to distinguish it from noise. Measured again, both parts anew, while it is high. */
async function growthOf(
  name: string,
  kind: BodyKind,
  requestWith: (part: number) => MeasuredRequest,
): Promise<Measured> {
  let whole = await hub.measure(requestWith(largestPart), runs);
  if (whole.cpuMs < noiseMs * largestPart) return { ...whole, name, kind, growth: 0 };
  let growth = Number.POSITIVE_INFINITY;
  // Other processes disturb a measurement, and a quadratic one stays one in each round. A round measures both parts anew: a
  // quarter that ran while the processor was quicker is compared with the whole beside it alone.
  for (let round = 0; round < 12 && (growth >= mostGrowth || whole.cpuMs > mostMs); round += 1) {
    const again = round === 0 ? whole : await hub.measure(requestWith(largestPart), runs);
    if (again.cpuMs < whole.cpuMs) whole = again;
    // Four in one, so that collecting garbage is part of either: a quarter alone may escape it.
    const quarter = await hub.measure(requestWith(largestPart / 4), runs, 4);
    growth = Math.min(growth, Math.sqrt(again.cpuMs / quarter.cpuMs));
  }
  return { ...whole, name, kind, growth };
}

function evaluate(measured: readonly Measured[]): void {
  const slow = measured.filter(({ cpuMs, growth }) => growth >= mostGrowth || cpuMs > mostMs);
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

function review(resourceAttributes: JsonObject): JsonObject {
  return { spec: { resourceAttributes: { verb: "list", resource: "pods", ...resourceAttributes } } };
}

/** So many bytes of the largest body as there are of its values. */
function ofBytes(part: string, count: number): string {
  return part.repeat(Math.floor(((count / halfOfMost) * (nearlyMostBytes - 1024)) / part.length / 1.01));
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
