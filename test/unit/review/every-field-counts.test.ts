import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../src/core/json.ts";
import { isJsonObject } from "../../../src/core/json.ts";
import { checkFleet } from "../../../src/manifests/check-fleet.ts";
import { createFileParser } from "../../../src/manifests/parse-file.ts";
import type { FileKind } from "../../../src/model/generated/schemas.ts";
import { fileSchemas } from "../../../src/model/generated/schemas.ts";
import type { ParsedFile } from "../../../src/model/source.ts";
import { desiredObjects } from "../../../src/planning/desired-objects.ts";
import { appliedDocuments } from "../../../src/review/check-policies.ts";
import { enforcePolicies } from "../../../src/review/enforce-policies.ts";
import { everyAgentSetting } from "../../support/every-agent-setting.ts";

interface Document extends JsonObject {
  readonly kind: FileKind;
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
}

const parseFile = createFileParser();

/** What files come to: the objects that the hub is to have, and the problems. Provenance is left out. */
async function outcomeOf(documents: readonly Document[]): Promise<string> {
  const files = documents.map((document, index) => {
    const text = JSON.stringify({ apiVersion: "rollcall.dev/v1alpha1", ...document });
    const path = `${index}.yaml`;
    return parseFile({ path, blobId: path, bytes: new TextEncoder().encode(text) });
  });
  const check = (some: readonly ParsedFile[]) => checkFleet(some, { defaultWorkspace: "fleet" });
  const applied = appliedDocuments([], { isChanged: () => true, defaultWorkspace: "fleet" });
  const checked = await enforcePolicies(check(files), { files, applied, defaultWorkspace: "fleet", checkFleet: check });
  const { objects } = desiredObjects(checked.fleet, { repositoryLabel: "r", rememberedLabels: () => undefined });
  const wanted = objects.map(({ object, isAdopting }) => {
    const { "rollcall.dev/source-line": _line, ...annotations } = object.metadata.annotations ?? {};
    return { ...object, metadata: { ...object.metadata, annotations }, isAdopting };
  });
  const problems = checked.problems.map(({ code, severity, file, message }) => ({ code, severity, file, message }));
  return JSON.stringify({ wanted, problems });
}

const document = (kind: FileKind, metadata: JsonObject, spec: JsonObject): Document => ({ kind, metadata, spec });

const metadata = (name: string): JsonObject => ({
  name,
  namespace: "team",
  labels: { tier: "gold" },
  annotations: { note: "x" },
});
const selector: JsonObject = {
  names: ["eu-*"],
  matchLabels: { env: "prod" },
  matchExpressions: [{ key: "zone", operator: "In", values: ["a"] }],
};
/** What the selector above selects, and one cluster for each part of it that it does not select. */
const selected = [
  document("Cluster", { name: "eu-1", namespace: "team", labels: { env: "prod", zone: "a" } }, {}),
  document("Cluster", { name: "us-1", namespace: "team", labels: { env: "prod", zone: "a" } }, {}),
  document("Cluster", { name: "eu-2", namespace: "team", labels: { env: "dev", zone: "a" } }, {}),
  document("Cluster", { name: "eu-3", namespace: "team", labels: { env: "prod", zone: "b" } }, {}),
  document("Cluster", { name: "eu-4", namespace: "other", labels: { env: "prod", zone: "a" } }, {}),
];
/** A policy may ask for labels and annotations of every document. */
const asking = document(
  "Policy",
  { name: "asking" },
  {
    scope: { kinds: ["Cluster", "ClusterDefaults", "ClusterGroup", "ClusterLabels", "ClusterRegistrationToken"] },
    rules: [
      {
        expression: "has(object.metadata.labels) && size(object.metadata.labels) > 0",
        message: "no labels",
        severity: "Warning",
      },
      {
        expression: "has(object.metadata.annotations) && size(object.metadata.annotations) > 0",
        message: "no annotations",
        severity: "Warning",
      },
    ],
  },
);
const policySpec: JsonObject = {
  scope: { kinds: ["ClusterGroup"], paths: ["1.yaml", "2.yaml"] },
  rules: [{ expression: "object.metadata.name == 'x'", message: "no", severity: "Warning" }],
};

/** Documents in which each field of a kind stands, with what it needs beside it. */
const examples: readonly (readonly [Document, ...Document[]])[] = [
  [
    document("Cluster", metadata("eu-1"), {
      displayName: "Europe",
      protocol: "rollcall",
      clientID: "uid-1",
      identity: { keys: [`sha256:${"0".repeat(64)}`] },
      previousName: "eu-old",
      kubeConfigSecretRef: { name: "eu-1-kubeconfig", key: "value" },
      hubEndpoint: {
        url: "https://hub.example.com",
        caBundle: "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n",
      },
      heartbeat: { periodSeconds: 30, failureThreshold: 3 },
      taints: [{ key: "edge", value: "slow", effect: "NoSchedule" }],
      paused: true,
      agent: everyAgentSetting,
      deletionPolicy: "Detach",
      placedResources: "Keep",
      deletionGracePeriod: "5m",
      deletionProtection: true,
    }),
    asking,
  ],
  [
    document("ClusterDefaults", metadata("slow"), {
      selector,
      priority: 5,
      agent: everyAgentSetting,
      heartbeat: { periodSeconds: 30, failureThreshold: 3 },
      deletionPolicy: "Detach",
    }),
    document(
      "ClusterDefaults",
      { name: "quick", namespace: "team" },
      { selector: {}, priority: 4, agent: { logLevel: "warn" } },
    ),
    ...selected,
    asking,
  ],
  [
    document("ClusterLabels", metadata("gold"), {
      selector,
      labels: { tier: "gold" },
      annotations: { note: "x" },
      taints: [{ key: "edge", value: "slow", effect: "NoSchedule" }],
      priority: 5,
    }),
    document(
      "ClusterLabels",
      { name: "iron", namespace: "team" },
      { selector: {}, priority: 4, labels: { tier: "iron" } },
    ),
    ...selected,
    asking,
  ],
  [document("ClusterGroup", metadata("europe"), { displayName: "Europe", selector }), asking],
  [
    document("ClusterRegistrationToken", metadata("edge"), {
      protocol: "rollcall",
      ttl: "24h",
      maxRegistrations: 5,
      clusterNames: ["edge-*"],
      clusterLabels: { tier: "edge" },
      agentLabels: ["zone"],
      approval: "PullRequest",
    }),
    asking,
  ],
  [
    document("Policy", { name: "house" }, policySpec),
    document("ClusterGroup", { name: "one" }, { selector: {} }),
    document("Cluster", { name: "eu-1" }, {}),
    document("ClusterGroup", { name: "two" }, { selector: {} }),
  ],
];

/** Settings of other protocols have tests of their own, in test/unit/join. A Policy is no subject of policies. */
const elsewhere = /^spec\.(fleet|kubefleet|clusternet)\.|^metadata\./u;

/** Fields of a schema below which it declares nothing more. */
function schemaLeaves(schema: Json | undefined, path = ""): string[] {
  if (!isJsonObject(schema)) return [path];
  const { properties, items } = schema;
  if (isJsonObject(items) && isJsonObject(items["properties"])) return schemaLeaves(items, `${path}.[]`);
  if (!isJsonObject(properties)) return [path];
  return Object.entries(properties).flatMap(([name, part]) =>
    schemaLeaves(part, path === "" ? name : `${path}.${name}`),
  );
}

function isKnown(path: string, paths: readonly string[]): boolean {
  if (["apiVersion", "kind"].includes(path) || elsewhere.test(path)) return true;
  return paths.some((known) => known === path || known.startsWith(`${path}.`));
}

/** Every path below which a value has no more fields. */
function leavesOf(value: Json | undefined, path: readonly string[] = []): string[][] {
  if (Array.isArray(value) && value.some(isJsonObject)) {
    return (value as readonly Json[]).flatMap((item) => leavesOf(item, [...path, "[]"]));
  }
  if (!isJsonObject(value) || Object.keys(value).length === 0) return [[...path]];
  return Object.entries(value).flatMap(([name, part]) => leavesOf(part, [...path, name]));
}

function without(value: Json, [first, ...more]: readonly string[]): Json {
  if (first === undefined) return value;
  if (Array.isArray(value))
    return (value as readonly Json[]).map((item) => without(item, first === "[]" ? more : [first, ...more]));
  if (!isJsonObject(value)) return value;
  const { [first]: found, ...others } = value;
  return found === undefined || more.length === 0 ? others : { ...others, [first]: without(found, more) };
}

describe.each(examples)("a file", (changed, ...beside) => {
  it(`with each field of ${changed.kind} has no errors`, async () => {
    expect(await outcomeOf([changed, ...beside])).not.toContain('"severity":"error"');
  });

  it(`has each field of ${changed.kind}`, () => {
    const missing = schemaLeaves(fileSchemas[changed.kind]).filter((path) => !isKnown(path, paths));
    expect(missing).toEqual([]);
  });

  const paths = [
    ...new Set(leavesOf({ metadata: changed.metadata, spec: changed.spec }).map((path) => path.join("."))),
  ];
  it.each(paths)(`${changed.kind} does something else without its %s`, async (path) => {
    const less = without(changed, path.split(".")) as Document;
    expect(await outcomeOf([less, ...beside])).not.toBe(await outcomeOf([changed, ...beside]));
  });
});
