import type { KubeObject, ResourceType } from "../model/kubernetes.ts";

/** What becomes of one object of a foreign hub. */
export type AdoptResult =
  /** It is taken over by a file with this content. */
  | { readonly kind: "file"; readonly folder: "clusters" | "tokens" | "groups"; readonly object: KubeObject }
  /** Nothing is lost without it: it is not taken over, with a reason. */
  | { readonly kind: "left"; readonly reason: string }
  /** It cannot be taken over as it is. */
  | { readonly kind: "refused"; readonly reason: string; readonly fix: string };

/** How the hub of one project is read. Pure. */
export interface AdoptSource {
  /** As a person calls the project. */
  readonly title: string;
  /** The kind without which a hub is none of this project, in the versions that it may have, the best first. */
  readonly mainTypes: readonly [ResourceType, ...ResourceType[]];
  readonly otherTypes: readonly ResourceType[];
  /** Kinds that only the project's own controllers serve, with what it means to lose them. */
  readonly unserved: readonly { readonly type: ResourceType; readonly meaning: string }[];
  /** The kind that a file creates beside its own object: an object with one of that name is not taken over. */
  readonly conflictsWith?: ResourceType;
  readonly evaluate: (object: KubeObject) => AdoptResult;
}

export interface AdoptedFile {
  readonly path: string;
  readonly text: string;
  /** `Kind/namespace/name`, as messages call it. */
  readonly object: string;
}

export interface Refusal {
  readonly object: string;
  readonly reason: string;
  readonly fix: string;
}
