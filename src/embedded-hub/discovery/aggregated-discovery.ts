import { createHash } from "node:crypto";
import type { ResourceDefinition, SubresourceDefinition } from "../operations/resource-definition.ts";
import type { ServedResources } from "./resource-lists.ts";
import { definitionsOf, foreignKind, sorted, sortedVerbs } from "./resource-lists.ts";

export interface AggregatedDocument {
  readonly contentType: string;
  readonly body: string;
  /** Quoted, as the header has it. */
  readonly etag: string;
}

/** Everything at `/api` or `/apis` in one document. Source: Kubernetes API, apidiscovery.k8s.io/v2. */
export function aggregatedDiscovery(served: ServedResources, root: "api" | "apis"): AggregatedDocument {
  const groups = served.groups().filter(({ name }) => (name === "") === (root === "api"));
  const body = JSON.stringify({
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: name === "" ? {} : { name },
      versions: versions.map((groupVersion) => ({
        version: groupVersion,
        resources: definitionsOf(served, name, groupVersion).map(resourceBody),
        freshness: "Current",
      })),
    })),
  });
  return {
    contentType: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
    body,
    etag: `"${createHash("sha512").update(body).digest("hex").toUpperCase()}"`,
  };
}

function resourceBody(definition: ResourceDefinition): object {
  const { plural, singular, isNamespaced, shortNames, categories, subresources } = definition;
  return {
    resource: plural,
    responseKind: responseKind(definition, undefined),
    scope: isNamespaced ? "Namespaced" : "Cluster",
    singularResource: singular,
    verbs: sortedVerbs(definition),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(subresources.length === 0
      ? {}
      : {
          subresources: sorted(definition).map((subresource) => ({
            subresource: subresource.name,
            responseKind: responseKind(definition, subresource),
            verbs: [...subresource.verbs].sort(),
          })),
        }),
  };
}

/** Built-in kinds of their own group are named without it, custom kinds with it. */
function responseKind(definition: ResourceDefinition, subresource: SubresourceDefinition | undefined): object {
  const { isCustom, group, version } = definition;
  const foreign = foreignKind(definition, subresource);
  if (foreign !== undefined) return foreign;
  const kind = subresource?.kind?.kind ?? definition.kind;
  return isCustom ? { group, version, kind } : { group: "", version: "", kind };
}
