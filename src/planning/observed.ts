import type { KubeObject, ObjectRef, ResourceType } from "../model/kubernetes.ts";

/** What is on the hub at one moment, read from watch caches, or offline from the status records. */
export interface Observed {
  /** False while a kind is not listed whole: then nothing is removed. */
  readonly isComplete: boolean;
  get(ref: ObjectRef): KubeObject | undefined;
  list(type: ResourceType): readonly KubeObject[];
  /** Namespaces that carry label rollcall.dev/workspace. */
  isWorkspace(namespace: string): boolean;
}
