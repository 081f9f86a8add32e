// discovery: how clients learn what this hub serves: lists of groups and resources, OpenAPI, version, health.
import { createHash } from "node:crypto";
import { apiVersionOf } from "../../model/kubernetes.ts";
import type { ResourceDefinition, SubresourceDefinition } from "../operations/resource-definition.ts";
import type { ServedGroup } from "../resources/registry.ts";

/** The part of the registry that discovery reads. */
export interface ServedResources {
  definitions(): readonly ResourceDefinition[];
  groups(): readonly ServedGroup[];
}

/** `/api` */
export function apiVersions(serverAddress: string): object {
  return {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress }],
  };
}

/** `/apis` */
export function apiGroupList(served: ServedResources): object {
  const groups = served.groups().filter(({ name }) => name !== "");
  return { kind: "APIGroupList", apiVersion: "v1", groups: groups.map(groupBody) };
}

/** `/apis/<group>`; undefined when nothing of it is served. */
export function apiGroup(served: ServedResources, name: string): object | undefined {
  const group = name === "" ? undefined : served.groups().find((candidate) => candidate.name === name);
  return group === undefined ? undefined : { kind: "APIGroup", apiVersion: "v1", ...groupBody(group) };
}

/** `/api/v1` and `/apis/<group>/<version>`; undefined when it is not served. */
export function apiResourceList(served: ServedResources, group: string, version: string): object | undefined {
  const definitions = definitionsOf(served, group, version);
  if (definitions.length === 0) return undefined;
  return {
    kind: "APIResourceList",
    ...(group === "" ? {} : { apiVersion: "v1" }),
    groupVersion: apiVersionOf({ group, version }),
    resources: definitions.flatMap((definition) => [
      resourceBody(definition),
      ...sorted(definition).map((subresource) => subresourceBody(definition, subresource)),
    ]),
  };
}

/** The definitions of one version of a group, by name. */
export function definitionsOf(served: ServedResources, group: string, version: string): readonly ResourceDefinition[] {
  return served
    .definitions()
    .filter((definition) => definition.group === group && definition.version === version)
    .sort((a, b) => (a.plural < b.plural ? -1 : 1));
}

/** Subresources in the order of discovery: built-in ones by name, custom ones as they are defined. */
export function sorted({ isCustom, subresources }: ResourceDefinition): readonly SubresourceDefinition[] {
  return isCustom ? subresources : [...subresources].sort((a, b) => (a.name < b.name ? -1 : 1));
}

const verbsOfEnding: readonly string[] = ["delete", "deletecollection", "get", "list", "watch"];

/** Verbs in the order of discovery. A custom kind whose definition is being deleted names those that make nothing. */
export function sortedVerbs({ isCustom, isTerminating, verbs }: ResourceDefinition): readonly string[] {
  if (isTerminating === true) return verbs.filter((verb) => verbsOfEnding.includes(verb));
  return isCustom ? verbs : [...verbs].sort();
}

function groupBody({ name, versions }: ServedGroup): object {
  const entries = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: entries, preferredVersion: entries[0] };
}

function resourceBody(definition: ResourceDefinition): object {
  const { plural, singular, isNamespaced, kind, verbs, shortNames, categories } = definition;
  return {
    name: plural,
    singularName: singular,
    namespaced: isNamespaced,
    kind,
    verbs: sortedVerbs(definition),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(verbs.includes("watch") ? { storageVersionHash: storageVersionHash(definition) } : {}),
  };
}

function subresourceBody(definition: ResourceDefinition, subresource: SubresourceDefinition): object {
  const { plural, isNamespaced } = definition;
  return {
    name: `${plural}/${subresource.name}`,
    singularName: "",
    namespaced: isNamespaced,
    ...(foreignKind(definition, subresource) ?? { kind: subresource.kind?.kind ?? definition.kind }),
    verbs: [...subresource.verbs].sort(),
  };
}

/** The kind of a subresource that is of another group or version than its resource. */
export function foreignKind(
  { group, version }: ResourceDefinition,
  subresource: SubresourceDefinition | undefined,
): SubresourceDefinition["kind"] {
  const kind = subresource?.kind;
  return kind?.group === group && kind.version === version ? undefined : kind;
}

/** What kube-apiserver makes of the stored kind: clients compare it to learn of a change. */
function storageVersionHash({ storage, kind, group, isCustom }: ResourceDefinition): string {
  // It stores definitions of custom kinds as v1beta1 still.
  const apiVersion = group === "apiextensions.k8s.io" && !isCustom ? `${group}/v1beta1` : storage.apiVersion;
  const full = apiVersion.includes("/") ? apiVersion : `/${apiVersion}`;
  return createHash("sha256").update(`${full}/${kind}`).digest().subarray(0, 8).toString("base64");
}
