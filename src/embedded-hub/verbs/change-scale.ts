import type { KubeObject, ManagedFieldsEntry } from "../../model/kubernetes.ts";
import { notFound } from "../failures/failures.ts";
import type { OperationContext, Target, Written } from "../operations/operations.ts";
import { changeObject } from "./change-object.ts";
import type { HubScope } from "./hub-scope.ts";
import { subjectOf } from "./hub-scope.ts";
import { checkRequestName, withRequestNamespace } from "./request-object.ts";
import type { ScalePaths } from "./scale-object.ts";
import { checkScale, scaleOf, withScale } from "./scale-object.ts";
import { trackUpdate } from "./track-fields.ts";
import { writeOptions } from "./write-options.ts";

/** PUT and PATCH of `scale`: the object gets the number of replicas, the client gets the Scale. */
export async function changeScale(
  scope: HubScope,
  context: OperationContext,
  change: {
    readonly target: Target;
    readonly paths: ScalePaths;
    readonly options: "UpdateOptions" | "PatchOptions";
    /** The Scale to have, made from the object as it is. */
    readonly desired: (live: KubeObject) => KubeObject;
  },
): Promise<Written> {
  const { target, paths } = change;
  const { object } = await changeObject(scope, context, {
    target,
    canCreate: false,
    options: writeOptions(change.options, context),
    desired: (live) => {
      if (live === undefined) throw notFound(subjectOf(target.definition, target.name));
      const scale = withRequestNamespace(change.desired(live), target.namespace);
      checkRequestName(scale, target);
      checkScale(target.definition, scale, paths);
      const scaled = withScale(live, scale, paths);
      // As kube-apiserver has it: a Scale of a custom kind is written in nobody's name, others without a time.
      if (target.definition.isCustom) return scaled;
      return withoutScaleTimes(trackUpdate(scope, context, target, { live, object: scaled }));
    },
  });
  return { object: scaleOf(object, paths), isCreated: false };
}

function withoutScaleTimes(object: KubeObject): KubeObject {
  const { managedFields, ...metadata } = object.metadata;
  if (managedFields === undefined) return object;
  const entries = managedFields.map((entry): ManagedFieldsEntry => {
    if (entry.subresource !== "scale") return entry;
    const { time: _, ...rest } = entry;
    return rest;
  });
  // Entries without a time come first.
  const sorted = [
    ...entries.filter(({ time }) => time === undefined),
    ...entries.filter(({ time }) => time !== undefined),
  ];
  return { ...object, metadata: { ...metadata, managedFields: sorted } };
}
