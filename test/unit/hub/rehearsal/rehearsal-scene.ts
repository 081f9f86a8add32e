import type { RehearsalInputs } from "../../../../src/hub/rehearsal/rehearse-changes.ts";
import { rehearseChanges } from "../../../../src/hub/rehearsal/rehearse-changes.ts";
import { rollcallProtocol } from "../../../../src/join/rollcall/hub/rollcall-protocol.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { describeRef, refOf } from "../../../../src/model/kubernetes.ts";
import type { PlannedChange } from "../../../../src/model/plan.ts";
import { resourceTypeOf, resourceTypes } from "../../../../src/model/resource-types.ts";
import { hubFacts } from "../../join/hub-scene.ts";

/** The workspace. */
export const namespace: KubeObject = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "fleet", uid: "n", resourceVersion: "1", labels: { "rollcall.dev/workspace": "" } },
};
/** An object that a file declared before. */
export const applied = {
  managedFields: [{ manager: "rollcall-git", operation: "Apply", fieldsType: "FieldsV1", fieldsV1: {} }],
};
/** An object of our own kinds, as a file of a Repository declares it. */
export function declared(kind: string, spec: object = {}, metadata: object = {}): KubeObject {
  const labels = { "rollcall.dev/repository": "rollcall.fleet" };
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind,
    metadata: { namespace: "fleet", name: "eu-1", labels, ...metadata },
    spec,
  };
}

/** The change that creates or updates an object. */
export function create(object: KubeObject, kind: "create" | "update" = "create"): PlannedChange {
  const ref = refOf(resourceTypeOf(object) ?? resourceTypes.secret, object);
  return { kind, ref, object, manager: "rollcall-git", fields: [{ path: "/spec", to: {} }] };
}

/** The work that follows from the changes, with names in place of references. */
export async function rehearse(changes: readonly PlannedChange[], inputs: Partial<RehearsalInputs> = {}) {
  const { work, notes } = await rehearseChanges({
    objects: [namespace],
    changes,
    protocols: new Map([["rollcall", rollcallProtocol]]),
    isServingKnown: true,
    areSecretsKnown: true,
    hubFacts: hubFacts(),
    isAllowedWorkspace: () => true,
    signal: new AbortController().signal,
    ...inputs,
  });
  const all = [...work].map(([name, { creates, updates, deletes, credentials, steps }]) => ({
    name,
    creates: creates.map(describeRef),
    updates: updates.map(describeRef),
    deletes: deletes.map(describeRef),
    credentials: credentials.map(({ purpose }) => purpose),
    steps,
  }));
  return { work: all, notes };
}
