// crds: CustomResourceDefinitions: what they make this hub serve, their conditions, their end.
import type { JsonObject } from "../../core/json.ts";
import { isTrueAt, objectAt, objectsAt, textAt, textsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { ResourceDefinition, ResourceHooks, SubresourceDefinition } from "../operations/resource-definition.ts";
import type { Schema } from "../schema/schema.ts";
import { customSchema } from "../types/custom-schema.ts";
import { compareVersions } from "../resources/compare-versions.ts";
import { columnsOfVersion } from "./crd-columns.ts";
import { compileJsonPath } from "../../core/json-path.ts";

/** In the order in which kube-apiserver lists them for custom kinds. */
const customVerbs = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const halfVerbs = ["get", "patch", "update"];
const everything: Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

/** One definition for each served version of a CRD, by the names it was granted. */
export function definitionsOfCrd(crd: KubeObject): readonly ResourceDefinition[] {
  const versions = objectsAt(crd, "spec", "versions");
  const stored = versions.find((version) => isTrueAt(version, "storage"));
  const group = textAt(crd, "spec", "group") ?? "";
  const storageVersion = textAt(stored, "name") ?? "";
  const schemas = versions.map(
    (version) => [`${group}/${textAt(version, "name") ?? ""}`, schemaOfVersion(version) ?? everything] as const,
  );
  const storage = {
    prefix: `/${group}/${textAt(crd, "status", "acceptedNames", "plural") ?? ""}/`,
    apiVersion: `${group}/${storageVersion}`,
    current: { sinceRevision: Number(crd.metadata.resourceVersion ?? "0"), schemas: new Map(schemas) },
  };
  return versions
    .filter((version) => isTrueAt(version, "served"))
    .map((version) => definitionOf(crd, version, storage));
}

/** True when the CRD's kinds can be served: its names were accepted once. */
export function isEstablished(crd: KubeObject): boolean {
  return isConditionTrue(crd, "Established");
}

/** True while the objects of a deleted CRD are being deleted. */
export function isTerminating(crd: KubeObject): boolean {
  return isConditionTrue(crd, "Terminating");
}

function isConditionTrue(crd: KubeObject, type: string): boolean {
  return objectsAt(crd, "status", "conditions").some(
    (condition) => textAt(condition, "type") === type && textAt(condition, "status") === "True",
  );
}

function definitionOf(
  crd: KubeObject,
  version: JsonObject,
  storage: ResourceDefinition["storage"],
): ResourceDefinition {
  const group = textAt(crd, "spec", "group") ?? "";
  const names = objectAt(crd, "status", "acceptedNames");
  const name = (field: string): string => textAt(names, field) ?? "";
  const plural = name("plural");
  const structural = schemaOfVersion(version);
  const deprecation = deprecationOf(version, crd, name("kind"));
  let schema: Schema | undefined;
  return {
    group,
    version: textAt(version, "name") ?? "",
    kind: name("kind"),
    listKind: name("listKind"),
    plural,
    singular: name("singular"),
    shortNames: textsAt(names, "shortNames"),
    categories: textsAt(names, "categories"),
    isNamespaced: textAt(crd, "spec", "scope") !== "Cluster",
    verbs: customVerbs,
    subresources: subresourcesOf(version),
    get schema() {
      schema ??= customSchema(structural ?? everything);
      return schema;
    },
    structuralSchema: structural ?? everything,
    isCustom: true,
    columns: columnsOfVersion(version),
    storage,
    hooks: hooksOf(version),
    isTerminating: isTerminating(crd),
    ...(deprecation === undefined ? {} : { deprecationWarning: deprecation }),
  };
}

function schemaOfVersion(version: JsonObject): Schema | undefined {
  // The CRD was validated when it was written: its schema has the form of one.
  return objectAt(version, "schema", "openAPIV3Schema");
}

function subresourcesOf(version: JsonObject): readonly SubresourceDefinition[] {
  const scale = objectAt(version, "subresources", "scale");
  const selectorPath = textAt(scale, "labelSelectorPath");
  return [
    ...(objectAt(version, "subresources", "status") === undefined ? [] : [{ name: "status", verbs: halfVerbs }]),
    ...(scale === undefined
      ? []
      : [
          {
            name: "scale",
            kind: { group: "autoscaling", version: "v1", kind: "Scale" },
            verbs: halfVerbs,
            scale: {
              specPath: textAt(scale, "specReplicasPath") ?? "",
              statusPath: textAt(scale, "statusReplicasPath") ?? "",
              ...(selectorPath === undefined ? {} : { selectorPath }),
            },
          },
        ]),
  ];
}

function hooksOf(version: JsonObject): ResourceHooks {
  const selectable = objectsAt(version, "selectableFields").map((field) => textAt(field, "jsonPath") ?? "");
  if (selectable.length === 0) return {};
  const entries = selectable.map((path) => {
    const read = compileJsonPath(path);
    return [path.replace(/^\./u, ""), (object: KubeObject) => selectableText(read?.(object)[0])] as const;
  });
  return { selectableFields: Object.fromEntries(entries) };
}

function selectableText(value: unknown): string {
  return ["string", "number", "bigint", "boolean"].includes(typeof value) ? String(value) : "";
}

/** The default text names the newest served version that is not deprecated, if it is newer. */
function deprecationOf(version: JsonObject, crd: KubeObject, kind: string): string | undefined {
  if (!isTrueAt(version, "deprecated")) return undefined;
  const own = textAt(version, "deprecationWarning");
  if (own !== undefined) return own;
  const group = textAt(crd, "spec", "group") ?? "";
  const name = textAt(version, "name") ?? "";
  const [newest] = objectsAt(crd, "spec", "versions")
    .filter((other) => isTrueAt(other, "served") && !isTrueAt(other, "deprecated"))
    .map((other) => textAt(other, "name") ?? "")
    .filter((other) => compareVersions(other, name) < 0)
    .sort(compareVersions);
  const advice = newest === undefined ? "" : `; use ${group}/${newest} ${kind}`;
  return `${group}/${name} ${kind} is deprecated${advice}`;
}
