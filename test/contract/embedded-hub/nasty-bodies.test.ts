import process from "node:process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { objectsAt, textAt, textsAt } from "../../../src/core/read-json.ts";
import { seededRandom } from "../../support/seeded-random.ts";
import type { TestHub } from "./hub-client.ts";
import { startTestHub } from "./hub-client.ts";
import { isKubernetesOwn500 } from "../../support/own-500s.ts";

/** More of them: ROLLCALL_BODY_REQUESTS=100000. Others: ROLLCALL_BODY_SEED. */
const requestCount = Number(process.env["ROLLCALL_BODY_REQUESTS"] ?? "1000");
const seed = Number(process.env["ROLLCALL_BODY_SEED"] ?? "1");
const random = seededRandom(seed);
const pick = <T>(list: readonly [T, ...(readonly T[])]): T => list[Math.floor(random() * list.length)] ?? list[0];

const namespace = "/api/v1/namespaces/default";
const prototypeNames = ["constructor", "__proto__", "toString", "valueOf", "hasOwnProperty"] as const;
/** As JSON, so that `__proto__` is a key like any other. */
const nastyValues = [
  "null",
  "true",
  "7",
  "-1.5",
  "1e400",
  '""',
  '"\\u202e\\u0000"',
  "[]",
  "[null]",
  "[[]]",
  '[{"name":{}}]',
  "{}",
  '{"__proto__":{"name":1}}',
  '{"constructor":null}',
  '{"a":1}',
  ...prototypeNames.map((name) => JSON.stringify(name)),
] as const;
const paths = [
  "apiVersion",
  "kind",
  "metadata",
  ...["name", "generateName", "namespace", "uid", "resourceVersion", "labels", "annotations", "finalizers"].map(
    inMetadata,
  ),
  ...["ownerReferences", "managedFields", "creationTimestamp", "deletionTimestamp", "generation"].map(inMetadata),
  ...["spec", "status", "data", "stringData", "rules", "subjects", "roleRef", "aggregationRule", "type", "immutable"],
  ...["spec.user", "spec.extra", "spec.resourceAttributes", "spec.nonResourceAttributes", "spec.boundObjectRef"],
  ...["spec.boundObjectRef.kind", "spec.audiences", "spec.expirationSeconds", "spec.token", "spec.groups"],
  ...["spec.replicas", "spec.selector", "spec.template", "spec.selector.matchLabels", "spec.selector.matchExpressions"],
  ...["spec.containers", "spec.names", "spec.versions", "spec.scope", "spec.group", "spec.conversion", "spec.ports"],
  ...["deleteOptions", "gracePeriodSeconds", "preconditions", "propagationPolicy", "dryRun", "orphanDependents"],
  ...["target", "involvedObject", "series", "webhooks", "provisioner", "items", "secrets", "caBundle"],
  ...prototypeNames,
] as const;
const patchTypes = ["json-patch+json", "merge-patch+json", "strategic-merge-patch+json", "apply-patch+yaml"] as const;

function inMetadata(field: string): string {
  return `metadata.${field}`;
}

interface Served {
  readonly root: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly isNamespaced: boolean;
}

let server: TestHub;
let served: readonly [Served, ...Served[]];

beforeAll(async () => {
  server = await startTestHub();
  const groups = objectsAt((await server.call({ path: "/apis" })).json, "groups");
  const versions = groups.flatMap((group) =>
    objectsAt(group, "versions").map((one) => textAt(one, "groupVersion") ?? ""),
  );
  const roots = ["/api/v1", ...versions.map((version) => `/apis/${version}`)];
  const kinds: Served[] = [];
  for (const root of roots) {
    for (const resource of objectsAt((await server.call({ path: root })).json, "resources")) {
      if (textsAt(resource, "verbs").length === 0) continue;
      const { name = "", kind = "" } = { name: textAt(resource, "name"), kind: textAt(resource, "kind") };
      const [group, version] = [textAt(resource, "group"), textAt(resource, "version")];
      const own = root.replace(/^\/apis?\//u, "");
      const apiVersion = version === undefined ? own : `${group === undefined ? "" : `${group}/`}${version}`;
      kinds.push({ root, apiVersion, kind, name, isNamespaced: resource["namespaced"] === true });
    }
  }
  const [first, ...others] = kinds;
  if (first === undefined) throw new Error("the hub serves nothing");
  served = [first, ...others];
  const role = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
  const rules = [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }];
  await server.call({ method: "POST", path: role, body: { metadata: { name: "everything" }, rules } });
  await server.call({ method: "POST", path: `${role.replace("roles", "rolebindings")}`, body: binding });
  await server.call({ method: "POST", path: `${namespace}/serviceaccounts`, body: { metadata: { name: "alpha" } } });
  await server.call({ method: "POST", path: `${namespace}/configmaps`, body: { metadata: { name: "alpha" } } });
});
afterAll(() => server.stop());

const binding = {
  metadata: { name: "everything" },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "everything" },
  subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "rich" }],
};

/** A body as text: what fits the kind, and one to three nasty values in it. */
function nastyBody({ apiVersion, kind }: Served): string {
  const root = new Map<string, unknown>([
    ["apiVersion", JSON.stringify(apiVersion)],
    ["kind", JSON.stringify(kind)],
    ["metadata", new Map<string, unknown>([["name", '"alpha"']])],
  ]);
  const changes = 1 + Math.floor(random() * 3);
  for (let index = 0; index < changes; index += 1) setAt(root, pick(paths).split("."), pick(nastyValues));
  return render(root);
}

function setAt(node: Map<string, unknown>, [key = "", ...rest]: readonly string[], value: string): void {
  if (rest.length === 0) {
    node.set(key, value);
    return;
  }
  const child = node.get(key);
  const next = child instanceof Map ? (child as Map<string, unknown>) : new Map<string, unknown>();
  node.set(key, next);
  setAt(next, rest, value);
}

function render(node: Map<string, unknown>): string {
  const entries = [...node].map(
    ([key, value]) =>
      `${JSON.stringify(key)}:${value instanceof Map ? render(value as Map<string, unknown>) : String(value)}`,
  );
  return `{${entries.join(",")}}`;
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

function nastyRequest(): Sent {
  const kind = pick(served);
  const [resource = "", subresource] = kind.name.split("/");
  const place = kind.isNamespaced ? "/namespaces/default" : "";
  const object = `${kind.root}${place}/${resource}/${pick(["alpha", "alpha", ...prototypeNames])}`;
  const path = subresource === undefined ? object : `${object}/${subresource}`;
  const collection = subresource === undefined ? `${kind.root}${place}/${resource}` : path;
  const account = random() < 0.8 ? "rich" : "none";
  const method = pick(["POST", "POST", "PUT", "PATCH", "PATCH", "DELETE"]);
  const isPatch = method === "PATCH";
  const format = isPatch ? pick(patchTypes) : random() < 0.9 ? "json" : "yaml";
  const isJsonPatch = format === "json-patch+json";
  return {
    method,
    path: `${method === "POST" ? collection : path}?dryRun=All${isPatch ? `&fieldManager=test` : ""}`,
    body: isJsonPatch ? nastyJsonPatch() : random() < 0.04 ? pick(nastyValues) : nastyBody(kind),
    headers: { "content-type": `application/${format}`, "impersonate-user": account },
  };
}

function nastyJsonPatch(): string {
  const operation = pick(["add", "replace", "remove", "test", "copy", "move", ...prototypeNames]);
  const path = JSON.stringify(`/${pick(paths).replaceAll(".", "/")}`);
  const from = random() < 0.5 ? JSON.stringify(`/${pick(paths).replaceAll(".", "/")}`) : pick(nastyValues);
  const whole = `[{"op":${JSON.stringify(operation)},"path":${path},"from":${from},"value":${pick(nastyValues)}}]`;
  return random() < 0.1 ? pick(nastyValues) : whole;
}

describe("a body with wrong types and names of prototypes", () => {
  it(`A58 is the client's fault or is taken, never 500: ${requestCount} requests`, async () => {
    const faults: string[] = [];
    let taken = 0;
    for (let index = 0; index < requestCount && faults.length < 40; index += 1) {
      const sent = nastyRequest();
      const { statusCode, text } = await server.call(sent);
      if (statusCode < 300) taken += 1;
      if (statusCode >= 500 && !isKubernetesOwn500(text))
        faults.push(`${sent.method} ${sent.path} ${sent.headers["content-type"]} ${sent.body}: ${text}`);
    }
    expect(faults).toEqual([]);
    expect(taken).toBeGreaterThan(requestCount / 100);
  });

  it.each(prototypeNames)("A58 selects nothing by a field or a label with the name %s", async (name) => {
    const field = `fieldSelector=${name}%3Dx`;
    for (const query of [field, `${field}&watch=true`, `fieldSelector=metadata.${name}%3Dx`]) {
      expect((await server.call({ path: `${namespace}/configmaps?${query}` })).statusCode).toBe(400);
      expect((await server.call({ path: `${namespace}/pods?${query}` })).statusCode).toBe(400);
    }
    const body = { spec: { boundObjectRef: { apiVersion: "v1", kind: name, name: "alpha" } } };
    const token = await server.call({ method: "POST", path: `${namespace}/serviceaccounts/alpha/token`, body });
    expect(token.statusCode).toBe(400);
    const headers = { "impersonate-user": "rich", [`impersonate-extra-${name}`]: "value" };
    const review = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    const { statusCode, text } = await server.call({ method: "POST", path: review, headers, body: {} });
    expect(statusCode, text).toBe(201);
    expect(text).toContain(`${JSON.stringify(name.toLowerCase())}:["value"]`);
  });
});
