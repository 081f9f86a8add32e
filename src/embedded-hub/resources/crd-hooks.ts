import { appendAll } from "../../core/append-all.ts";
import { isJsonObject } from "../../core/json.ts";
import type { JsonObject } from "../../core/json.ts";
import { isTrueAt, objectsAt, textAt, textsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { ResourceHooks } from "../operations/resource-definition.ts";
import { withCondition } from "./crd-conditions.ts";
import { warnOfFormats } from "./warn-of-formats.ts";
import { validateCrd } from "./validate-crd.ts";
import { specRaisesGeneration } from "./workload-hooks.ts";

export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

/** What is special about CustomResourceDefinitions. Source: apiextensions-apiserver, registry/customresourcedefinition. */
export const crdHooks: ResourceHooks = {
  keptFields: { status: [["spec"], ["metadata"]] },
  canUpdateUnconditionally: false,
  takesAnyFinalizer: true,
  raisesGeneration: specRaisesGeneration,
  validate: (crd, old, { subresource, warnings }) => {
    if (subresource === "status") return [];
    const errors = validateCrd(crd, old);
    if (errors.length === 0) appendAll(warnings, warnOfFormats(crd, old));
    return errors;
  },
  prepareForCreate: (crd) => {
    const named = withDefaults(crd);
    return {
      ...named,
      status: { conditions: null, acceptedNames: { plural: "", kind: "" }, storedVersions: storedVersions(named, []) },
    };
  },
  prepareForUpdate: (crd, old, { subresource }) => {
    if (subresource === "status") return crd;
    const named = withDefaults(crd);
    const status = isJsonObject(named["status"]) ? named["status"] : {};
    const kept = textsAt(old, "status", "storedVersions");
    return { ...named, status: { ...status, storedVersions: storedVersions(named, kept) } };
  },
  /** The objects of its kinds are deleted first. */
  prepareForDelete: (crd, { now }) => {
    const { deletionGracePeriodSeconds: _, ...metadata } = crd.metadata;
    const finalizers = metadata.finalizers ?? [];
    const held = finalizers.includes(cleanupFinalizer) ? finalizers : [...finalizers, cleanupFinalizer];
    return withCondition(
      { ...crd, metadata: { ...metadata, finalizers: held } },
      {
        type: "Terminating",
        status: "True",
        reason: "InstanceDeletionPending",
        message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
      },
      now,
    );
  },
  isHeld: (crd) => crd.metadata.deletionTimestamp === undefined,
};

function withDefaults(crd: KubeObject): KubeObject {
  const spec = isJsonObject(crd["spec"]) ? crd["spec"] : {};
  const names = isJsonObject(spec["names"]) ? spec["names"] : {};
  const kind = textAt(names, "kind") ?? "";
  const completed: JsonObject = {
    ...names,
    singular: textAt(names, "singular") ?? kind.toLowerCase(),
    listKind: textAt(names, "listKind") ?? (kind === "" ? "" : `${kind}List`),
  };
  return { ...crd, spec: { ...spec, names: completed, conversion: spec["conversion"] ?? { strategy: "None" } } };
}

function storedVersions(crd: KubeObject, kept: readonly string[]): string[] {
  const stored = objectsAt(crd, "spec", "versions").find((version) => isTrueAt(version, "storage"));
  const name = textAt(stored, "name");
  return name === undefined || kept.includes(name) ? [...kept] : [...kept, name];
}
