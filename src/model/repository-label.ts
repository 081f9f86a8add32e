import type { KubeObject } from "./kubernetes.ts";
import { labelKeys } from "./well-known.ts";

/** The name of a Repository in labels, in sealed records and at its forge: `<namespace>.<name>`. */
export function repositoryLabelOf({ metadata }: { readonly metadata: KubeObject["metadata"] }): string {
  return `${metadata.namespace ?? ""}.${metadata.name}`;
}

/** True when the object belongs to the repository of that label. */
export function belongsTo({ metadata }: KubeObject, repositoryLabel: string): boolean {
  return metadata.labels?.[labelKeys.repository] === repositoryLabel;
}
