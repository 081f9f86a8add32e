import { isJsonEqual } from "../../core/json.ts";
import { isTrueAt, numberAt, objectAt, textAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import {
  configMapColumns,
  endpointsColumns,
  eventColumns,
  namespaceColumns,
  nodeColumns,
  resourceQuotaColumns,
  secretColumns,
  serviceAccountColumns,
  serviceColumns,
} from "../table/core-columns.ts";
import { podTemplateColumns, replicationControllerColumns } from "../table/group-columns.ts";
import { podColumns } from "../table/pod-columns.ts";
import { validateEndpoints } from "../validation/validate-endpoints.ts";
import { validateConfigMap, validateSecret } from "../validation/validate-config.ts";
import { validateLimitRange } from "../validation/validate-limit-range.ts";
import { validateQuota } from "../validation/validate-quota.ts";
import { validateNode, withNodeNetworks } from "../validation/validate-node.ts";
import { validatePodTemplate, validateReplicationController } from "../validation/validate-workload.ts";
import { validateServiceAccount } from "../validation/validate-service-account.ts";
import type { BuiltInRow } from "./define.ts";
import { halfVerbs, scaleByLabels } from "./define.ts";
import { withoutUngatedIn } from "./drop-ungated.ts";
import { eventHooks } from "./event-hooks.ts";
import { namespaceHooks } from "./namespace-hooks.ts";
import { podHooks } from "./pod-hooks.ts";
import { serviceHooks } from "./service-hooks.ts";
import { warnOfEndpoints } from "./warn-of-endpoints.ts";
import { warnOfNode, warnOfSecret, withWarnings } from "./warn-of-kinds.ts";
import { withTemplateWarnings } from "./warn-of-pods.ts";
import { replicatedHooks } from "./workload-hooks.ts";

const createOnly = ["create"];

/** Group "" version v1. */
export const coreRows: readonly BuiltInRow[] = [
  { kind: "Binding", verbs: createOnly },
  { kind: "ConfigMap", shortNames: ["cm"], columns: configMapColumns, hooks: { validate: validateConfigMap } },
  {
    kind: "Endpoints",
    plural: "endpoints",
    shortNames: ["ep"],
    columns: endpointsColumns,
    deprecationWarning: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
    hooks: { canCreateOnUpdate: true, validate: withWarnings(validateEndpoints, warnOfEndpoints) },
  },
  { kind: "Event", shortNames: ["ev"], columns: eventColumns, hooks: eventHooks },
  {
    kind: "LimitRange",
    shortNames: ["limits"],
    hooks: {
      canCreateOnUpdate: true,
      // One without a name gets a random one: that of its uid is.
      prepareForCreate: ({ metadata: { uid = "", name = uid, ...metadata }, ...range }) => ({
        ...range,
        metadata: { ...metadata, uid, name: name === "" ? uid : name },
      }),
      validate: validateLimitRange,
    },
  },
  {
    kind: "Namespace",
    isClusterScoped: true,
    shortNames: ["ns"],
    verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
    subresources: ["status", { name: "finalize", verbs: ["update"] }],
    columns: namespaceColumns,
    hooks: namespaceHooks,
  },
  {
    kind: "Node",
    isClusterScoped: true,
    shortNames: ["no"],
    subresources: ["status"],
    columns: nodeColumns,
    hooks: {
      keepsStatusOnCreate: true,
      prepareForCreate: (node) => withNodeNetworks(withoutDynamicConfig(node)),
      prepareForUpdate: (node) => withNodeNetworks(withoutDynamicConfig(node)),
      validate: withWarnings(validateNode, warnOfNode),
      selectableFields: { "spec.unschedulable": (node) => String(isTrueAt(node, "spec", "unschedulable")) },
    },
  },
  {
    kind: "Pod",
    shortNames: ["po"],
    categories: ["all"],
    subresources: [
      "status",
      { name: "log", verbs: ["get"] },
      { name: "binding", kind: { group: "", version: "v1", kind: "Binding" }, verbs: createOnly },
      { name: "eviction", kind: { group: "policy", version: "v1", kind: "Eviction" }, verbs: createOnly },
      { name: "ephemeralcontainers", verbs: halfVerbs },
    ],
    columns: podColumns,
    hooks: podHooks,
  },
  {
    kind: "PodTemplate",
    columns: podTemplateColumns,
    hooks: {
      returnsDeletedObject: true,
      raisesGeneration: (template, old) => !isJsonEqual(template["template"], old["template"]),
      prepareForCreate: (template) => withoutUngatedIn(template, "template"),
      prepareForUpdate: (template, old) => withoutUngatedIn(template, "template", old),
      validate: withTemplateWarnings(validatePodTemplate, "template"),
    },
  },
  {
    kind: "ReplicationController",
    shortNames: ["rc"],
    categories: ["all"],
    subresources: ["status", scaleByLabels],
    columns: replicationControllerColumns,
    hooks: {
      ...replicatedHooks(validateReplicationController),
      defaultPropagation: "Orphan",
      selectableFields: { "status.replicas": (set) => String(numberAt(set, "status", "replicas") ?? 0) },
    },
  },
  {
    kind: "ResourceQuota",
    shortNames: ["quota"],
    subresources: ["status"],
    columns: resourceQuotaColumns,
    hooks: { returnsDeletedObject: true, validate: validateQuota },
  },
  {
    kind: "Secret",
    columns: secretColumns,
    hooks: {
      selectableFields: { type: (secret) => textAt(secret, "type") ?? "" },
      validate: withWarnings(validateSecret, warnOfSecret),
    },
  },
  {
    kind: "ServiceAccount",
    shortNames: ["sa"],
    subresources: [
      {
        name: "token",
        kind: { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" },
        verbs: createOnly,
      },
    ],
    columns: serviceAccountColumns,
    hooks: { returnsDeletedObject: true, validate: validateServiceAccount },
  },
  {
    kind: "Service",
    shortNames: ["svc"],
    categories: ["all"],
    subresources: ["status"],
    columns: serviceColumns,
    hooks: serviceHooks,
  },
];

/** Of a function that Kubernetes has no more: the fields are read and dropped. */
function withoutDynamicConfig(node: KubeObject): KubeObject {
  const { configSource: _source, ...spec } = objectAt(node, "spec") ?? {};
  const { config: _config, ...status } = objectAt(node, "status") ?? {};
  return { ...node, spec, status };
}
