import { isJsonEqual } from "../../core/json.ts";
import { objectsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { ResourceDefinition, ResourceHooks } from "../operations/resource-definition.ts";
import { eventColumns } from "../table/core-columns.ts";
import {
  apiServiceColumns,
  certificateRequestColumns,
  controllerRevisionColumns,
  crdColumns,
  deploymentColumns,
  endpointSliceColumns,
  ingressClassColumns,
  ingressColumns,
  leaseColumns,
  networkPolicyColumns,
  podDisruptionBudgetColumns,
  priorityClassColumns,
  replicaSetColumns,
  roleBindingColumns,
  runtimeClassColumns,
} from "../table/group-columns.ts";
import {
  validateClusterRole,
  validateClusterRoleBinding,
  validateRole,
  validateRoleBinding,
} from "../validation/validate-rbac.ts";
import { validateEndpointSlice } from "../validation/validate-endpoints.ts";
import { validateIngressStatus } from "../validation/validate-balancer-status.ts";
import { validateIngress, validateIngressClass } from "../validation/validate-ingress.ts";
import { validateNetworkPolicy } from "../validation/validate-network-policy.ts";
import { validateRuntimeClass, warnOfRuntimeClass } from "../validation/validate-runtime-class.ts";
import { validateControllerRevision, validateDeployment, validateReplicaSet } from "../validation/validate-workload.ts";
import {
  refuseSystemPriorityDelete,
  validateDisruptionBudget,
  validatePriorityClass,
} from "../validation/validate-small-kinds.ts";
import { admissionRows } from "./admission-rows.ts";
import { apiServiceHooks } from "./api-service-hooks.ts";
import { autoscalingRows, oldAutoscalingRows } from "./autoscaler-rows.ts";
import { certificateRequestHooks } from "./certificate-request-hooks.ts";
import { crdHooks } from "./crd-hooks.ts";
import { coreRows } from "./core-rows.ts";
import type { BuiltInRow } from "./define.ts";
import { defineBuiltIn, halfVerbs } from "./define.ts";
import { withoutUngatedIn } from "./drop-ungated.ts";
import { toCoreEvent, toNewEvent } from "./event-forms.ts";
import { newEventHooks } from "./event-hooks.ts";
import { keepLabels } from "./keep-metadata.ts";
import { leaseHooks } from "./lease-hooks.ts";
import { batchRows } from "./stored-rows.ts";
import { storageRows } from "./storage-rows.ts";
import { warnOfSlice } from "./warn-of-endpoints.ts";
import { warnOfIngress, warnOfNetworkPolicy, withWarnings } from "./warn-of-kinds.ts";
import { withTemplateWarnings } from "./warn-of-pods.ts";
import { replicatedHooks, specRaisesGeneration } from "./workload-hooks.ts";

interface BuiltInGroup {
  readonly group: string;
  readonly version: string;
  readonly rows: readonly BuiltInRow[];
}

const createOnly = ["create"];
const workloadHooks: ResourceHooks = { raisesGeneration: specRaisesGeneration };
const rbacHooks: ResourceHooks = { nameRule: "path-segment", canCreateOnUpdate: true };

/** In the order of kube-apiserver's discovery. */
const groups: readonly BuiltInGroup[] = [
  { group: "", version: "v1", rows: coreRows },
  {
    group: "apiregistration.k8s.io",
    version: "v1",
    rows: [
      {
        kind: "APIService",
        isClusterScoped: true,
        categories: ["api-extensions"],
        subresources: ["status"],
        columns: apiServiceColumns,
        hooks: apiServiceHooks,
      },
    ],
  },
  {
    group: "apps",
    version: "v1",
    rows: [
      {
        kind: "ControllerRevision",
        columns: controllerRevisionColumns,
        hooks: { validate: validateControllerRevision },
      },
      {
        kind: "Deployment",
        shortNames: ["deploy"],
        categories: ["all"],
        subresources: ["status", "scale"],
        columns: deploymentColumns,
        hooks: {
          // Its status takes no labels either.
          keptFields: { status: [["spec"], ["metadata", "labels"]] },
          raisesGeneration: (object, old) =>
            specRaisesGeneration(object, old) || !isJsonEqual(object.metadata.annotations, old.metadata.annotations),
          prepareForUpdate: (object, old, { subresource }) =>
            subresource === "status"
              ? { ...object, metadata: keepLabels(object, old) }
              : withoutUngatedIn(object, "spec.template", old),
          prepareForCreate: (object) => withoutUngatedIn(object, "spec.template"),
          validate: withTemplateWarnings(validateDeployment, "spec.template"),
        },
      },
      {
        kind: "ReplicaSet",
        shortNames: ["rs"],
        categories: ["all"],
        subresources: ["status", "scale"],
        columns: replicaSetColumns,
        hooks: replicatedHooks(validateReplicaSet),
      },
    ],
  },
  {
    group: "events.k8s.io",
    version: "v1",
    rows: [
      {
        kind: "Event",
        shortNames: ["ev"],
        columns: eventColumns,
        hooks: newEventHooks,
        storage: { prefix: "//events/", apiVersion: "v1", toServed: toNewEvent, toStored: toCoreEvent },
      },
    ],
  },
  {
    group: "authentication.k8s.io",
    version: "v1",
    rows: [
      { kind: "SelfSubjectReview", isClusterScoped: true, verbs: createOnly },
      { kind: "TokenReview", isClusterScoped: true, verbs: createOnly },
    ],
  },
  {
    group: "authorization.k8s.io",
    version: "v1",
    rows: [
      { kind: "LocalSubjectAccessReview", verbs: createOnly },
      { kind: "SelfSubjectAccessReview", isClusterScoped: true, verbs: createOnly },
      { kind: "SelfSubjectRulesReview", isClusterScoped: true, verbs: createOnly },
      { kind: "SubjectAccessReview", isClusterScoped: true, verbs: createOnly },
    ],
  },
  { group: "autoscaling", version: "v2", rows: autoscalingRows },
  { group: "autoscaling", version: "v1", rows: oldAutoscalingRows },
  { group: "batch", version: "v1", rows: batchRows },
  {
    group: "certificates.k8s.io",
    version: "v1",
    rows: [
      {
        kind: "CertificateSigningRequest",
        isClusterScoped: true,
        shortNames: ["csr"],
        subresources: [{ name: "approval", verbs: halfVerbs, writesStatus: true }, "status"],
        columns: certificateRequestColumns,
        hooks: certificateRequestHooks,
      },
    ],
  },
  {
    group: "networking.k8s.io",
    version: "v1",
    rows: [
      {
        kind: "IngressClass",
        plural: "ingressclasses",
        isClusterScoped: true,
        columns: ingressClassColumns,
        hooks: { ...workloadHooks, validate: validateIngressClass },
      },
      {
        kind: "Ingress",
        plural: "ingresses",
        shortNames: ["ing"],
        subresources: ["status"],
        columns: ingressColumns,
        hooks: {
          ...workloadHooks,
          validate: withWarnings(
            (ingress, old, { subresource }) =>
              subresource === "status" ? validateIngressStatus(ingress) : validateIngress(ingress, old),
            warnOfIngress,
          ),
        },
      },
      {
        kind: "NetworkPolicy",
        plural: "networkpolicies",
        shortNames: ["netpol"],
        columns: networkPolicyColumns,
        hooks: { ...workloadHooks, validate: withWarnings(validateNetworkPolicy, warnOfNetworkPolicy) },
      },
    ],
  },
  {
    group: "policy",
    version: "v1",
    rows: [
      {
        kind: "PodDisruptionBudget",
        shortNames: ["pdb"],
        subresources: ["status"],
        columns: podDisruptionBudgetColumns,
        hooks: {
          ...workloadHooks,
          canUpdateUnconditionally: false,
          takesAnyFinalizer: true,
          validate: validateDisruptionBudget,
        },
      },
    ],
  },
  {
    group: "rbac.authorization.k8s.io",
    version: "v1",
    rows: [
      {
        kind: "ClusterRoleBinding",
        isClusterScoped: true,
        columns: roleBindingColumns,
        hooks: { ...rbacHooks, validate: validateClusterRoleBinding },
      },
      { kind: "ClusterRole", isClusterScoped: true, hooks: { ...rbacHooks, validate: validateClusterRole } },
      { kind: "RoleBinding", columns: roleBindingColumns, hooks: { ...rbacHooks, validate: validateRoleBinding } },
      { kind: "Role", hooks: { ...rbacHooks, validate: validateRole } },
    ],
  },
  { group: "storage.k8s.io", version: "v1", rows: storageRows },
  {
    group: "admissionregistration.k8s.io",
    version: "v1",
    rows: admissionRows,
  },
  {
    group: "apiextensions.k8s.io",
    version: "v1",
    rows: [
      {
        kind: "CustomResourceDefinition",
        isClusterScoped: true,
        shortNames: ["crd", "crds"],
        categories: ["api-extensions"],
        subresources: ["status"],
        columns: crdColumns,
        hooks: crdHooks,
      },
    ],
  },
  {
    group: "scheduling.k8s.io",
    version: "v1",
    rows: [
      {
        kind: "PriorityClass",
        plural: "priorityclasses",
        isClusterScoped: true,
        shortNames: ["pc"],
        columns: priorityClassColumns,
        hooks: {
          raisesGeneration: () => false,
          validate: validatePriorityClass,
          refusesDelete: refuseSystemPriorityDelete,
        },
      },
    ],
  },
  {
    group: "coordination.k8s.io",
    version: "v1",
    rows: [
      {
        kind: "Lease",
        columns: leaseColumns,
        hooks: leaseHooks,
      },
    ],
  },
  {
    group: "node.k8s.io",
    version: "v1",
    rows: [
      {
        kind: "RuntimeClass",
        plural: "runtimeclasses",
        isClusterScoped: true,
        columns: runtimeClassColumns,
        hooks: {
          canCreateOnUpdate: true,
          canUpdateUnconditionally: false,
          takesAnyFinalizer: true,
          validate: withWarnings(validateRuntimeClass, warnOfRuntimeClass),
        },
      },
    ],
  },
  {
    group: "discovery.k8s.io",
    version: "v1",
    rows: [
      {
        kind: "EndpointSlice",
        columns: endpointSliceColumns,
        hooks: {
          raisesGeneration: sliceRaisesGeneration,
          prepareForCreate: withoutEmptyLists,
          prepareForUpdate: withoutEmptyLists,
          validate: withWarnings(validateEndpointSlice, warnOfSlice),
        },
      },
    ],
  },
];

/** All built-in kinds, groups in the order of kube-apiserver's discovery. */
export function builtInResources(): readonly ResourceDefinition[] {
  return groups.flatMap(({ group, version, rows }) => rows.map((row) => defineBuiltIn(group, version, row)));
}

/** An EndpointSlice has no spec: everything but metadata counts, and its labels do. */
function sliceRaisesGeneration(object: KubeObject, old: KubeObject): boolean {
  const { metadata, ...content } = object;
  const { metadata: oldMetadata, ...oldContent } = old;
  return !isJsonEqual(content, oldContent) || !isJsonEqual(metadata.labels, oldMetadata.labels);
}

/** Both lists are null when they are empty. The topology of earlier versions is read and dropped. */
function withoutEmptyLists(slice: KubeObject): KubeObject {
  const endpoints = objectsAt(slice, "endpoints").map(({ deprecatedTopology: _, ...endpoint }) => endpoint);
  const { ports } = slice;
  return {
    ...slice,
    endpoints: endpoints.length === 0 ? null : endpoints,
    ports: Array.isArray(ports) && ports.length === 0 ? null : ports,
  };
}
