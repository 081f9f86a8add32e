import type { JsonObject } from "../../core/json.ts";
import { apiVersionOf } from "../../model/kubernetes.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { fieldElement } from "../apply/path-element.ts";
import type { ReplicasPaths } from "../apply/scale-managers.ts";
import { parentManagersOf, scaleManagersOf } from "../apply/scale-managers.ts";
import { withManagedFields } from "../apply/object-metadata.ts";
import type { ApplyContext } from "../apply/server-side-apply.ts";
import { applyObject, recordUpdate } from "../apply/server-side-apply.ts";
import { ApiFailure } from "../failures/api-failure.ts";
import { asJson, asKubeObject } from "../metadata/kube-json.ts";
import { formatTime } from "../metadata/system-fields.ts";
import type { OperationContext, PatchBody, Target } from "../operations/operations.ts";
import { defineBuiltIn } from "../resources/define.ts";
import { appliedObject } from "./applied-object.ts";
import { emptyObjectOf, convertApplied } from "./decode-object.ts";
import type { HubScope } from "./hub-scope.ts";
import { scalePathsOf, stepsOf } from "./scale-object.ts";

export const scaleDefinition = defineBuiltIn("autoscaling", "v1", { kind: "Scale" });

/** Of a Scale that is written: the object that it belongs to, and the Scale as it is. */
export interface LiveScale {
  readonly parent: KubeObject;
  readonly scale: KubeObject;
}

/** The Scale with those managers of its object that own the number of replicas. */
export function withScaleManagers(scope: HubScope, target: Target, { parent, scale }: LiveScale): KubeObject {
  const entries = scaleManagersOf(parent.metadata.managedFields, replicasPathsOf(scope, target));
  return asKubeObject(withManagedFields(asJson(scale), entries));
}

/** The object with the managers that follow from those of the Scale that was written. */
export function withParentManagers(scope: HubScope, target: Target, parent: KubeObject, scale: KubeObject): KubeObject {
  const { managedFields } = parent.metadata;
  const entries = parentManagersOf(managedFields, scale.metadata.managedFields, replicasPathsOf(scope, target));
  return asKubeObject(withManagedFields(asJson(parent), entries));
}

/** The Scale `after` with managers, after an update. One without owners stays untracked. */
export function trackScaleUpdate(
  scope: HubScope,
  context: OperationContext,
  change: { readonly before: KubeObject; readonly after: KubeObject },
): KubeObject {
  const tracked = recordUpdate(applyContextOfScale(scope), {
    before: asJson(change.before),
    after: asJson(change.after),
    manager: context.fieldManager,
  });
  return asKubeObject(tracked);
}

/**
 * Server-side apply of a Scale. Throws 409 for conflicts, and, as kube-apiserver does, 500 when it would change the Scale
 * of a custom kind: it has no way to write that.
 */
export function applyScale(
  scope: HubScope,
  context: OperationContext,
  target: Target,
  change: { readonly live: KubeObject; readonly patch: Extract<PatchBody, { readonly kind: "apply" }> },
): KubeObject {
  const { live, patch } = change;
  const { isCustom } = target.definition;
  const { apiVersion, kind } = patch.object;
  const isScale = apiVersion === "autoscaling/v1" && kind === "Scale";
  if (isCustom && isScale && (live.metadata.managedFields ?? []).length === 0) {
    throw unwritable("failed to create manager for existing fields: failed to convert live object (/");
  }
  let isChanged = false;
  const result = applyObject(applyContextOfScale(scope), {
    live: asJson(live),
    intent: asJson(patch.object),
    manager: context.fieldManager,
    isForced: patch.isForced,
    complete: (object: JsonObject) => {
      isChanged = true;
      return isCustom ? object : asJson(convertApplied(scaleDefinition, asKubeObject(object), patch.object));
    },
  });
  const applied = appliedObject(context, result);
  if (isCustom && isChanged) throw unwritable(`failed to convert new object (/${live.metadata.name}`);
  return applied;
}

function unwritable(what: string): ApiFailure {
  const why = "to proper version: request to convert CR to an invalid group/version: autoscaling/v1";
  return new ApiFailure(500, "", `${what}; autoscaling/v1, Kind=Scale) ${why}`);
}

function applyContextOfScale(scope: HubScope): ApplyContext {
  return {
    apiVersion: apiVersionOf(scaleDefinition),
    kind: scaleDefinition.kind,
    schema: scaleDefinition.schema,
    emptyObject: emptyObjectOf(scaleDefinition),
    subresource: "scale",
    time: formatTime(scope.clock.nowMs()),
  };
}

function replicasPathsOf({ registry }: HubScope, { definition }: Target): ReplicasPaths {
  return {
    apiVersion: apiVersionOf(definition),
    pathOf: (apiVersion) => {
      const version = apiVersion.slice(apiVersion.indexOf("/") + 1);
      const found = registry.definitionOf(definition.group, definition.plural, version);
      if (found === undefined || apiVersionOf(found) !== apiVersion) return undefined;
      const paths = scalePathsOf({ definition: found, subresource: "scale" });
      return paths === undefined ? "none" : stepsOf(paths.specPath).map(fieldElement);
    },
  };
}
