import { stringify } from "yaml";
import type { JsonObject } from "../../../src/core/json.ts";
import { isJsonObject } from "../../../src/core/json.ts";
import { objectAt } from "../../../src/core/read-json.ts";
import type { BaseObject } from "../../support/scalars/base-objects.ts";
import { baseObjects } from "../../support/scalars/base-objects.ts";
import { collectionPath } from "../../support/scalars/make-cases.ts";
import type { Request } from "./replay.ts";
import type { Draw } from "./sequences.ts";

/** Kinds whose objects controllers of the two hubs change in their own time. */
const unsteady = ["Namespace", "Node", "CustomResourceDefinition", "APIService"];
const kinds = baseObjects.filter(({ kind }) => !unsteady.includes(kind));
const replicated = ["ReplicaSet", "ReplicationController"];
const withStatus = ["Deployment", ...replicated, "Ingress", "PodDisruptionBudget", "Service", "Pod", "ResourceQuota"];
/** Stored here, without a controller. */
const stored = ["Job", "CronJob", "HorizontalPodAutoscaler"];
const strategic = "application/strategic-merge-patch+json";
const merge = "application/merge-patch+json";

function pick<T>(draw: Draw, items: readonly T[]): T {
  const item = items[Math.floor(draw() * items.length)];
  if (item === undefined) throw new RangeError("nothing to pick from");
  return item;
}

/** A sequence of `count` requests with all verbs over all kinds; `NS` is the placeholder of the namespace. */
export function makeKindSequence(draw: Draw, count: number): readonly Request[] {
  return Array.from({ length: count }, () => makeRequest(draw, pick(draw, kinds)));
}

function makeRequest(draw: Draw, base: BaseObject): Request {
  const collection = collectionPath(base);
  const name = `${base.isClusterScoped === true ? "ns-NS-" : ""}${base.plural}-${pick(draw, ["a", "b"])}${base.group === "events.k8s.io" ? "-new" : ""}`;
  const path = `${collection}/${name}`;
  const options = [
    `fieldManager=${pick(draw, ["one", "two"])}`,
    pick(draw, ["", "&fieldValidation=Strict", "&fieldValidation=Ignore", "&dryRun=All"]),
  ].join("");
  const by = draw() < 0.05 ? { user: "nobody" } : {};
  const made: Made = { draw, base, collection, path, options, object: objectOf(draw, base, name) };
  return { ...pick(draw, verbs)(made), ...by };
}

interface Made {
  readonly draw: Draw;
  readonly base: BaseObject;
  readonly collection: string;
  readonly path: string;
  readonly options: string;
  readonly object: JsonObject;
}

type Verb = (made: Made) => Request;

const create: Verb = ({ draw, collection, options, object }) =>
  draw() < 0.3
    ? { method: "POST", path: `${collection}?${options}`, contentType: "application/yaml", body: stringify(object) }
    : { method: "POST", path: `${collection}?${options}`, body: object };

const apply: Verb = ({ draw, path, options, object }) => ({
  method: "PATCH",
  path: `${path}?${options}${draw() < 0.5 ? "&force=true" : ""}`,
  contentType: "application/apply-patch+yaml",
  body: object,
});

const update: Verb = ({ draw, path, options, object }) => {
  const metadata = { ...objectAt(object, "metadata"), ...(draw() < 0.2 ? { resourceVersion: "1" } : {}) };
  return { method: "PUT", path: `${path}?${options}`, body: { ...object, metadata } };
};

const patch: Verb = ({ draw, path, options, object }) => {
  const { apiVersion: _version, kind: _kind, metadata, ...content } = object;
  const { name: _name, namespace: _namespace, ...rest } = isJsonObject(metadata) ? metadata : {};
  const labels = draw() < 0.2 ? { labels: null } : rest;
  const body = draw() < 0.5 ? { metadata: labels } : { ...content, metadata: labels };
  return { method: "PATCH", path: `${path}?${options}`, contentType: pick(draw, [strategic, merge]), body };
};

const jsonPatch: Verb = ({ draw, path, options }) => ({
  method: "PATCH",
  path: `${path}?${options}`,
  contentType: "application/json-patch+json",
  body: JSON.stringify([
    pick(draw, [
      { op: "add", path: "/metadata/labels/l", value: "2" },
      { op: "replace", path: "/metadata/annotations", value: { note: "b" } },
      { op: "remove", path: "/metadata/labels/l" },
      { op: "test", path: "/metadata/labels/l", value: "1" },
      { op: "add", path: "/spec/unknown", value: 1 },
      { op: "remove", path: "/metadata/name" },
    ]),
  ]),
});

const forms = [
  "application/json",
  "application/json;as=Table;v=v1;g=meta.k8s.io",
  "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
  "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
];

const get: Verb = ({ draw, path }) => ({ method: "GET", path, accept: pick(draw, forms) });

const list: Verb = ({ draw, collection }) => {
  const selector = pick(draw, ["run=NS", "run=NS,l=1", "run=NS,l!=1", "run=NS,l in (1,2)", "run=NS,!l"]);
  const query = [`labelSelector=${encodeURIComponent(selector)}`, pick(draw, ["", "&limit=500"])].join("");
  return { method: "GET", path: `${collection}?${query}`, accept: pick(draw, forms) };
};

const remove: Verb = ({ draw, path }) => {
  const preconditions = pick(draw, [{}, {}, { uid: "00000000-0000-0000-0000-000000000000" }, { resourceVersion: "1" }]);
  const dryRun = draw() < 0.2 ? { dryRun: ["All"] } : {};
  return { method: "DELETE", path, body: { propagationPolicy: "Background", preconditions, ...dryRun } };
};

const removeAll: Verb = ({ draw, collection }) => {
  const selector = encodeURIComponent(pick(draw, ["run=NS,l=1", "run=NS,l=3"]));
  return {
    method: "DELETE",
    path: `${collection}?labelSelector=${selector}`,
    body: { propagationPolicy: "Background" },
  };
};

const subresource: Verb = (made) => {
  const { draw, base, path, options, object } = made;
  if (base.kind === "CertificateSigningRequest") return decision(made);
  const kind =
    [...withStatus, ...stored].includes(base.kind) && draw() < 0.8 ? "status" : pick(draw, ["scale", "status", "none"]);
  const place = `${path}/${kind}`;
  if (draw() < 0.5) return { method: "GET", path: place };
  const body = kind === "scale" ? { spec: { replicas: 0 } } : { metadata: { annotations: { status: "a" } } };
  return draw() < 0.7
    ? { method: "PATCH", path: `${place}?${options}`, contentType: merge, body }
    : { method: "PUT", path: `${place}?${options}`, body: object };
};

/** What becomes of a request for a certificate. */
const decision: Verb = ({ draw, path, options, object }) => {
  const place = `${path}/${pick(draw, ["approval", "status"])}`;
  if (draw() < 0.2) return { method: "GET", path: place };
  const types = pick(draw, [["Approved"], ["Denied"], ["Failed"], ["Approved", "Failed"], ["Approved", "Denied"], []]);
  const conditions = types.map((type) => ({ type, status: pick(draw, ["True", "True", "False"]), reason: "A" }));
  const body = { metadata: objectAt(object, "metadata") ?? {}, status: { conditions } };
  const query = `${place}?${options}`;
  if (draw() < 0.3) return { method: "PUT", path: query, body: { ...object, ...body } };
  const contentType = pick(draw, [merge, strategic, "application/apply-patch+yaml"]);
  const { apiVersion = null, kind = null } = object;
  return { method: "PATCH", path: query, contentType, body: { apiVersion, kind, ...body } };
};

const verbs: readonly Verb[] = [
  ...[create, create, create, apply, apply, apply, update, update, patch, patch],
  ...[jsonPatch, get, get, list, remove, removeAll, subresource],
];

function objectOf(
  draw: Draw,
  { group, version, kind, isClusterScoped, content }: BaseObject,
  name: string,
): JsonObject {
  const metadata = {
    name,
    ...(isClusterScoped === true ? {} : { namespace: draw() < 0.03 ? "other" : "NS" }),
    labels: { run: "NS", ...(draw() < 0.5 ? { l: pick(draw, ["1", "2", "bad value"]) } : {}) },
    ...(draw() < 0.3 ? { annotations: { note: pick(draw, ["a", "b"]) } } : {}),
    ...(draw() < 0.1 ? { finalizers: [pick(draw, ["example.org/hold", "hold", "a b"])] } : {}),
    ...(draw() < 0.1 ? { ownerReferences: [pick(draw, owners)] } : {}),
  };
  const apiVersion = group === "" ? version : `${group}/${version}`;
  const full: JsonObject = { apiVersion, kind, metadata, ...idle(kind, content) };
  const changed = draw() < 0.15 ? withoutOne(draw, full) : full;
  return draw() < 0.08 ? { ...changed, unknown: { deep: [1] } } : changed;
}

const owners: readonly JsonObject[] = [
  { apiVersion: "v1", kind: "ConfigMap", name: "a" },
  { apiVersion: "v1", kind: "ConfigMap", name: "", uid: "u" },
  { apiVersion: "", kind: "ConfigMap", name: "a", uid: "u", controller: true },
  { apiVersion: "v1", kind: "Event", name: "a", uid: "u" },
];

/** Workloads without Pods, which controllers leave as they are. */
function idle(kind: string, content: JsonObject): JsonObject {
  const spec = objectAt(content, "spec");
  if (spec === undefined) return content;
  if (kind === "Deployment") return { spec: { ...spec, replicas: 0, paused: true } };
  return replicated.includes(kind) ? { spec: { ...spec, replicas: 0 } } : content;
}

/** Leaves out a field of the object, or of what is in one. */
function withoutOne(draw: Draw, object: JsonObject): JsonObject {
  const names = Object.keys(object).filter((name) => !["apiVersion", "kind", "metadata"].includes(name));
  if (names.length === 0) return object;
  const name = pick(draw, names);
  const inner = object[name];
  const keys = isJsonObject(inner) ? Object.keys(inner) : [];
  if (keys.length === 0 || draw() < 0.3) return without(object, name);
  return { ...object, [name]: without(isJsonObject(inner) ? inner : {}, pick(draw, keys)) };
}

function without(object: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]): boolean => key !== name));
}
