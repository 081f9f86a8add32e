import { textAt } from "../core/read-json.ts";

/** Where a document declares something, and under which name. */
export interface DeclaredPlace {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

/** True for kinds of other projects whose documents cannot name a workspace: theirs is the default one. */
export function isOfDefaultWorkspace(kind: string): boolean {
  return kind === "MemberCluster" || kind === "ManagedCluster" || kind === "ClusterRegistrationRequest";
}

/**
 * The place of the declared object, where it differs from the document's own: the namespace of a ManagedCluster is
 * where Clusternet stores it on a hub, never a workspace; a request's cluster has another name than the request.
 */
export function placeOfMeant(
  kind: string,
  value: Readonly<Record<string, unknown>>,
  own: DeclaredPlace,
): DeclaredPlace {
  if (kind === "ManagedCluster") return { namespace: undefined, name: own.name };
  if (kind === "ClusterRegistrationRequest")
    return { namespace: undefined, name: textAt(value, "spec", "clusterName") };
  return own;
}
