import type { KubeObject } from "../../model/kubernetes.ts";
import type { AdmissionRequest } from "../operations/admission.ts";
import type { ResourceDefinition } from "../operations/resource-definition.ts";
import { admissionForbidden } from "./admission-forbidden.ts";

/** Each write of a namespace is held to all of its ResourceQuotas, each new Pod to all of its LimitRanges. */
const mostObjects = 20;
const partsOf: ReadonlyMap<string, string> = new Map([
  ["resourcequotas", "amounts"],
  ["limitranges", "limits"],
]);

export interface BoundedCounts {
  /** Throws 403 for one object more than a namespace may have, with those that are on their way into the store. */
  claim(request: Pick<AdmissionRequest, "definition" | "isDryRun"> & { readonly object: KubeObject }): void;
  /** The write of the object has ended. */
  release(object: KubeObject): void;
}

/** Bounds how many objects of some kinds a namespace has, however many come at once. */
export function createBoundedCounts(
  list: (group: string, plural: string, namespace: string) => readonly KubeObject[],
): BoundedCounts {
  const claims = new Map<KubeObject, ResourceDefinition>();
  return {
    claim: ({ definition, object, isDryRun }) => {
      const { group, plural, kind } = definition;
      const { namespace } = object.metadata;
      const parts = group === "" ? partsOf.get(plural) : undefined;
      if (parts === undefined || namespace === undefined) return;
      const coming = [...claims].filter(([one, of]) => of === definition && one.metadata.namespace === namespace);
      const objects = [...list(group, plural, namespace), ...coming.map(([one]) => one)];
      if (new Set(objects.map(({ metadata }) => metadata.uid)).size >= mostObjects) {
        const text = `a namespace has at most ${mostObjects} ${kind}s: put several ${parts} into one, or delete one`;
        throw admissionForbidden({ definition, object, name: "" }, text);
      }
      if (!isDryRun) claims.set(object, definition);
    },
    release: (object) => void claims.delete(object),
  };
}
