import type { JsonObject } from "../../core/json.ts";
import { isJsonEqual } from "../../core/json.ts";
import { isTrueAt, numberAt, objectAt, objectsAt, textAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { qosClassOf } from "../amounts/quality-of-service.ts";
import type { ResourceHooks } from "../operations/resource-definition.ts";
import { validatePod } from "../validation/validate-pod.ts";
import { withoutUngated } from "./drop-ungated.ts";
import { withPodWarnings } from "./warn-of-pods.ts";
import { validateDebugContainers, withDebugContainers } from "./debug-containers.ts";

const defaultGraceSeconds = 30;

/** Source: Kubernetes, registry/core/pod. */
export const podHooks: ResourceHooks = {
  keptFields: { status: [["spec"], ["metadata", "deletionTimestamp"], ["metadata", "ownerReferences"]] },
  returnsDeletedObject: true,
  // A Pod that gets its node is the same Pod.
  raisesGeneration: (pod, old) => !isJsonEqual(withoutNode(pod), withoutNode(old)),
  selectableFields: {
    "spec.nodeName": (pod) => textAt(pod, "spec", "nodeName") ?? "",
    "spec.restartPolicy": (pod) => textAt(pod, "spec", "restartPolicy") ?? "",
    "spec.schedulerName": (pod) => textAt(pod, "spec", "schedulerName") ?? "",
    "spec.serviceAccountName": (pod) => textAt(pod, "spec", "serviceAccountName") ?? "",
    "spec.hostNetwork": (pod) => String(isTrueAt(pod, "spec", "hostNetwork")),
    "status.phase": (pod) => textAt(pod, "status", "phase") ?? "",
    "status.podIP": (pod) => textAt(objectsAt(pod, "status", "podIPs")[0], "ip") ?? "",
    // It is known and never set.
    "status.podIPs": () => "",
    "status.nominatedNodeName": (pod) => textAt(pod, "status", "nominatedNodeName") ?? "",
  },
  validate: withPodWarnings((pod, old, { subresource }) => {
    if (subresource === "ephemeralcontainers") return validateDebugContainers(pod, old);
    // What a binding may change is its own to evaluate.
    if (subresource === "binding") return [];
    return validatePod(pod, old, subresource === undefined ? {} : { subresource });
  }),
  prepareForCreate: (pod, { now }) => ({
    ...pod,
    ...withSpecOf(pod, undefined),
    status: { phase: "Pending", qosClass: qosClassOf(pod), ...gatedCondition(pod, now) },
  }),
  prepareForUpdate: (pod, old, { subresource, now }) => {
    if (subresource === "binding") return asScheduled(pod, now);
    if (subresource !== "status") {
      const written = subresource === "ephemeralcontainers" ? withDebugContainers(pod, old) : pod;
      return { ...written, ...withSpecOf(written, old) };
    }
    // Who writes status may not write owners.
    const { ownerReferences: _, ...metadata } = pod.metadata;
    const { ownerReferences } = old.metadata;
    const status = objectAt(pod, "status") ?? {};
    const qosClass = status["qosClass"] ?? textAt(old, "status", "qosClass");
    return {
      ...pod,
      metadata: ownerReferences === undefined ? metadata : { ...metadata, ownerReferences },
      status: qosClass === undefined ? status : { ...status, qosClass },
    };
  },
  gracePeriodSeconds: (pod, asked) => {
    const isOver = ["Failed", "Succeeded"].includes(textAt(pod, "status", "phase") ?? "");
    // A Pod that no node has taken has nothing to end.
    if (isOver || (textAt(pod, "spec", "nodeName") ?? "") === "") return 0;
    const seconds = asked ?? numberAt(pod, "spec", "terminationGracePeriodSeconds") ?? defaultGraceSeconds;
    return seconds < 0 ? 1 : seconds;
  },
};

function withSpecOf(pod: KubeObject, old: KubeObject | undefined): JsonObject {
  const spec = objectAt(pod, "spec");
  if (spec === undefined) return {};
  // A negative one means the shortest.
  const grace = (numberAt(spec, "terminationGracePeriodSeconds") ?? 0) < 0 ? { terminationGracePeriodSeconds: 1 } : {};
  return { spec: { ...withoutUngated(spec, objectAt(old, "spec")), ...grace } };
}

function withoutNode(pod: KubeObject): JsonObject {
  const { nodeName: _, ...spec } = objectAt(pod, "spec") ?? {};
  return spec;
}

/** Of a Pod with scheduling gates: a scheduler passes over it, so the server writes why. */
function gatedCondition(pod: KubeObject, now: string): JsonObject {
  if (objectsAt(pod, "spec", "schedulingGates").length === 0) return {};
  const message = "Scheduling is blocked due to non-empty scheduling gates";
  const times = { lastProbeTime: null, lastTransitionTime: now };
  return { conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulingGated", message, ...times }] };
}

/** A Pod with a node: one write gives it both. Source: Kubernetes, pkg/registry/core/pod/storage BindingREST. */
function asScheduled(pod: KubeObject, now: string): KubeObject {
  const others = objectsAt(pod, "status", "conditions").filter((condition) => condition["type"] !== "PodScheduled");
  const scheduled = { type: "PodScheduled", status: "True", lastProbeTime: null, lastTransitionTime: now };
  return { ...pod, status: { ...objectAt(pod, "status"), conditions: [...others, scheduled] } };
}
