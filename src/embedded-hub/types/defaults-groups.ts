import type { JsonObject } from "../../core/json.ts";
import type { DefaultRule } from "./default-rule.ts";
import { isEmptyObject, objectAt, objectsAt, textAt, withMissing } from "./default-rule.ts";

const rbacGroup = "rbac.authorization.k8s.io";

/** Networking, RBAC, discovery, scheduling, storage, authentication and custom resource definitions. */
export const groupDefaults: Readonly<Record<string, DefaultRule>> = {
  "networking.NetworkPolicyPort": (port) => withMissing(port, { protocol: "TCP" }),
  "networking.NetworkPolicySpec": (spec) => {
    const policyTypes = objectsAt(spec, "egress").length > 0 ? ["Ingress", "Egress"] : ["Ingress"];
    return withMissing(spec, { policyTypes });
  },
  "networking.IngressClassParametersReference": (reference) => withMissing(reference, { scope: "Cluster" }),
  "rbac.ClusterRoleBinding": withRoleGroup,
  "rbac.RoleBinding": withRoleGroup,
  "rbac.Subject": (subject) =>
    subject["kind"] === "User" || subject["kind"] === "Group" ? withMissing(subject, { apiGroup: rbacGroup }) : subject,
  "discovery.EndpointPort": (port) => withMissing(port, { name: "", protocol: "TCP" }),
  "scheduling.PriorityClass": (priority) => withMissing(priority, { preemptionPolicy: "PreemptLowerPriority" }),
  "storage.StorageClass": (storage) =>
    withMissing(storage, { reclaimPolicy: "Delete", volumeBindingMode: "Immediate" }),
  "storage.CSIDriverSpec": (spec) =>
    withMissing(spec, {
      attachRequired: true,
      podInfoOnMount: false,
      storageCapacity: false,
      fsGroupPolicy: "ReadWriteOnceWithFSType",
      volumeLifecycleModes: ["Persistent"],
      requiresRepublish: false,
      seLinuxMount: false,
    }),
  "authentication.TokenRequestSpec": (spec) => withMissing(spec, { expirationSeconds: 3600 }),
  "apiextensions.CustomResourceDefinition": completeCustomResourceDefinition,
  "apiextensions.ServiceReference": (reference) => withMissing(reference, { port: 443 }),
  "apiregistration.ServiceReference": (reference) => withMissing(reference, { port: 443 }),
};

function withRoleGroup(binding: JsonObject): JsonObject {
  const roleRef = objectAt(binding, "roleRef");
  return textAt(roleRef, "apiGroup") === "" ? { ...binding, roleRef: { ...roleRef, apiGroup: rbacGroup } } : binding;
}

function completeCustomResourceDefinition(definition: JsonObject): JsonObject {
  const spec = withMissing(objectAt(definition, "spec"), { conversion: { strategy: "None" } });
  const names = objectAt(spec, "names");
  const kind = textAt(names, "kind");
  const completeNames = {
    ...names,
    ...(textAt(names, "singular") === "" && kind !== "" ? { singular: kind.toLowerCase() } : {}),
    ...(textAt(names, "listKind") === "" && kind !== "" ? { listKind: `${kind}List` } : {}),
  };
  const status = objectAt(definition, "status");
  const stored = objectsAt(spec, "versions").find((version) => version["storage"] === true);
  const hasStored = Array.isArray(status["storedVersions"]) && status["storedVersions"].length > 0;
  const storedVersions = stored === undefined ? [] : [textAt(stored, "name")];
  return {
    ...definition,
    spec: { ...spec, names: isEmptyObject(completeNames) ? names : completeNames },
    status: hasStored || stored === undefined ? status : { ...status, storedVersions },
  };
}
