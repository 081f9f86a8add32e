import { isJsonObject } from "../../core/json.ts";
import { textAt, textsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { ResourceHooks } from "../operations/resource-definition.ts";
import { validateNamespace } from "../validation/validate-small-kinds.ts";

const ownFinalizer = "kubernetes";
const nameLabel = "kubernetes.io/metadata.name";

/** A Namespace is held by its spec.finalizers while its content is deleted. Source: Kubernetes, registry/core/namespace. */
export const namespaceHooks: ResourceHooks = {
  nameRule: "label",
  returnsDeletedObject: true,
  validate: validateNamespace,
  selectableFields: { "status.phase": (namespace) => textAt(namespace, "status", "phase") ?? "" },
  prepareForCreate: (namespace) => {
    const finalizers = textsAt(namespace, "spec", "finalizers");
    return withNameLabel({
      ...withFinalizers(namespace, finalizers.includes(ownFinalizer) ? finalizers : [...finalizers, ownFinalizer]),
      status: { phase: "Active" },
    });
  },
  prepareForUpdate: (namespace, old, { subresource }) => {
    if (subresource === "status") return namespace;
    const isFinalizing = subresource === "finalize";
    return withNameLabel(isFinalizing ? namespace : withFinalizers(namespace, textsAt(old, "spec", "finalizers")));
  },
  isHeld: (namespace) => textsAt(namespace, "spec", "finalizers").length > 0,
  prepareForDelete: (namespace) => {
    const status = isJsonObject(namespace["status"]) ? namespace["status"] : {};
    // A Namespace has no grace period: only the time when its deletion began.
    const { deletionGracePeriodSeconds: _, ...metadata } = namespace.metadata;
    return { ...namespace, metadata, status: { ...status, phase: "Terminating" } };
  },
};

function withFinalizers(namespace: KubeObject, finalizers: readonly string[]): KubeObject {
  const { finalizers: _, ...spec } = isJsonObject(namespace["spec"]) ? namespace["spec"] : {};
  return { ...namespace, spec: finalizers.length === 0 ? spec : { ...spec, finalizers: [...finalizers] } };
}

function withNameLabel(namespace: KubeObject): KubeObject {
  const { metadata } = namespace;
  return { ...namespace, metadata: { ...metadata, labels: { ...metadata.labels, [nameLabel]: metadata.name ?? "" } } };
}
