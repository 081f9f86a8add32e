import { textAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { ResourceHooks } from "../operations/resource-definition.ts";
import { validateCoreEvent, validateNewEvent } from "../validation/validate-event.ts";

const ofInvolved = (field: string) => (event: KubeObject) => textAt(event, "involvedObject", field) ?? "";
const ofRegarding = (field: string) => (event: KubeObject) => textAt(event, "regarding", field) ?? "";

/** Field selectors of core Events; `kubectl describe` asks by them. */
export const eventHooks: ResourceHooks = {
  validatesMetadataLast: true,
  // Writers name an Event after its object, a dot and something new: `generateName` may end with the dot.
  nameRule: "path-segment",
  takesAnyFinalizer: true,
  canCreateOnUpdate: true,
  isWithoutDependents: true,
  validate: validateCoreEvent,
  selectableFields: {
    "involvedObject.kind": ofInvolved("kind"),
    "involvedObject.namespace": ofInvolved("namespace"),
    "involvedObject.name": ofInvolved("name"),
    "involvedObject.uid": ofInvolved("uid"),
    "involvedObject.apiVersion": ofInvolved("apiVersion"),
    "involvedObject.resourceVersion": ofInvolved("resourceVersion"),
    "involvedObject.fieldPath": ofInvolved("fieldPath"),
    reason: (event) => textAt(event, "reason") ?? "",
    reportingComponent: (event) => textAt(event, "reportingComponent") ?? "",
    source: (event) => textAt(event, "source", "component") ?? textAt(event, "reportingComponent") ?? "",
    type: (event) => textAt(event, "type") ?? "",
  },
};

/** The same Events as events.k8s.io names their fields. */
export const newEventHooks: ResourceHooks = {
  nameRule: "path-segment",
  canCreateOnUpdate: true,
  isWithoutDependents: true,
  validate: validateNewEvent,
  selectableFields: {
    "regarding.kind": ofRegarding("kind"),
    "regarding.namespace": ofRegarding("namespace"),
    "regarding.name": ofRegarding("name"),
    "regarding.uid": ofRegarding("uid"),
    "regarding.apiVersion": ofRegarding("apiVersion"),
    "regarding.resourceVersion": ofRegarding("resourceVersion"),
    "regarding.fieldPath": ofRegarding("fieldPath"),
    reason: (event) => textAt(event, "reason") ?? "",
    reportingController: (event) => textAt(event, "reportingController") ?? "",
    type: (event) => textAt(event, "type") ?? "",
  },
};
