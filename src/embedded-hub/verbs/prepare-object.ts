import { isJsonEqual } from "../../core/json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { HookContext, ResourceDefinition } from "../operations/resource-definition.ts";
import { emptyObjectOf } from "./decode-object.ts";
import { hasStatus } from "./hub-scope.ts";

/** A new object as the server starts it: an empty status, generation 1 where generations count, and elsewhere what was sent. */
export function prepareNew(definition: ResourceDefinition, object: KubeObject): KubeObject {
  const { status, ...withoutStatus } = object;
  const keepsStatus = !hasStatus(definition) || definition.hooks.keepsStatusOnCreate === true;
  const { generation: sent = 0, ...metadata } = object.metadata;
  const generation = countsGenerations(definition) ? 1 : sent;
  return {
    ...withoutStatus,
    ...statusField(keepsStatus ? status : emptyObjectOf(definition)["status"]),
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: generation === 0 ? metadata : { ...metadata, generation },
  };
}

function statusField(status: unknown): { readonly status?: unknown } {
  return status === undefined ? {} : { status };
}

/**
 * A changed object with its immutable parts reverted: a write of status keeps the rest, a write of the rest keeps
 * status; system fields stay; the generation rises by the rule of the kind.
 */
export function prepareChange(
  definition: ResourceDefinition,
  change: { readonly object: KubeObject; readonly live: KubeObject },
  context: HookContext,
): KubeObject {
  const { live } = change;
  const halved = keepOtherHalf(definition, change.object, live, context.subresource);
  const { generation: _, ...metadata } = halved.metadata;
  const { uid = live.metadata.uid, deletionGracePeriodSeconds = live.metadata.deletionGracePeriodSeconds } = metadata;
  const old = live.metadata;
  const fixed: KubeObject = {
    ...halved,
    metadata: {
      ...metadata,
      ...(uid === undefined ? {} : { uid }),
      ...(old.generation === undefined ? {} : { generation: old.generation }),
      ...(old.creationTimestamp === undefined ? {} : { creationTimestamp: old.creationTimestamp }),
      ...(old.deletionTimestamp === undefined ? {} : { deletionTimestamp: old.deletionTimestamp }),
      ...(deletionGracePeriodSeconds === undefined ? {} : { deletionGracePeriodSeconds }),
    },
  };
  const prepared = definition.hooks.prepareForUpdate?.(fixed, live, context) ?? fixed;
  if (!countsGenerations(definition) || context.subresource === "status") return prepared;
  if (!raisesGeneration(definition, prepared, live)) return prepared;
  return { ...prepared, metadata: { ...prepared.metadata, generation: (old.generation ?? 0) + 1 } };
}

function keepOtherHalf(
  definition: ResourceDefinition,
  object: KubeObject,
  live: KubeObject,
  subresource: string | undefined,
): KubeObject {
  if (!hasStatus(definition)) return object;
  const writesStatus = definition.subresources.some(
    (one) => one.name === subresource && (one.name === "status" || one.writesStatus === true),
  );
  if (!writesStatus) {
    const { status: _, ...rest } = object;
    return withStatus(rest, live["status"], object);
  }
  if (definition.isCustom) {
    const { managedFields: _old, ...liveMetadata } = live.metadata;
    const { managedFields, resourceVersion } = object.metadata;
    const metadata = {
      ...liveMetadata,
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(managedFields === undefined ? {} : { managedFields }),
    };
    const { status: _, ...rest } = live;
    return withStatus({ ...rest, metadata }, object["status"], live);
  }
  const { status: _, ...liveRest } = live;
  return withStatus({ ...liveRest, metadata: object.metadata }, object["status"], live);
}

function withStatus(rest: Omit<KubeObject, never> | object, status: unknown, named: KubeObject): KubeObject {
  const { apiVersion, kind, metadata } = named;
  const whole = { apiVersion, kind, metadata, ...rest };
  return status === undefined ? whole : { ...whole, status };
}

function countsGenerations({ isCustom, hooks }: ResourceDefinition): boolean {
  return isCustom || hooks.raisesGeneration !== undefined;
}

function raisesGeneration({ hooks }: ResourceDefinition, object: KubeObject, old: KubeObject): boolean {
  if (hooks.raisesGeneration !== undefined) return hooks.raisesGeneration(object, old);
  const { metadata: _new, ...content } = object;
  const { metadata: _old, ...oldContent } = old;
  return !isJsonEqual(content, oldContent);
}
