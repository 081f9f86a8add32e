import type { KubeObject } from "../../model/kubernetes.ts";
import type { ApplyContext } from "../apply/server-side-apply.ts";
import { recordUpdate } from "../apply/server-side-apply.ts";
import { fieldSetOf } from "../apply/field-set.ts";
import { fieldElement } from "../apply/path-element.ts";
import { checkObjectBounds } from "./object-bounds.ts";
import { formatTime } from "../metadata/system-fields.ts";
import type { OperationContext, Target } from "../operations/operations.ts";
import { emptyObjectOf } from "./decode-object.ts";
import { asJson, asKubeObject } from "../metadata/kube-json.ts";
import type { HubScope } from "./hub-scope.ts";
import { apiVersionOfDefinition, hasStatus } from "./hub-scope.ts";

const statusFields = fieldSetOf([fieldElement("status")]);
const specFields = fieldSetOf([fieldElement("spec")]);
/** The status of a Deployment takes no labels either. */
const deploymentFields = fieldSetOf([fieldElement("spec")], [fieldElement("metadata"), fieldElement("labels")]);

/** What managed fields need to know of a request. */
export function applyContextOf(scope: HubScope, { definition, subresource }: Omit<Target, "name">): ApplyContext {
  const { group, plural, kind, schema } = definition;
  const apiVersion = apiVersionOfDefinition(definition);
  const ofStatus = group === "apps" && plural === "deployments" ? deploymentFields : specFields;
  const resetFields = subresource === "status" ? ofStatus : hasStatus(definition) ? statusFields : undefined;
  return {
    apiVersion,
    kind,
    schema,
    schemaOfVersion: (other) => {
      const version = other.slice(other.indexOf("/") + 1);
      const found = scope.registry.definitionOf(group, plural, version);
      return found !== undefined && apiVersionOfDefinition(found) === other ? found.schema : undefined;
    },
    emptyObject: emptyObjectOf(definition),
    ...(subresource === undefined ? {} : { subresource }),
    ...(resetFields === undefined ? {} : { resetFields }),
    time: formatTime(scope.clock.nowMs()),
  };
}

/** The object with managed fields that name the request's manager for what it changed. */
export function trackUpdate(
  scope: HubScope,
  context: OperationContext,
  target: Omit<Target, "name">,
  change: { readonly live: KubeObject | undefined; readonly object: KubeObject },
): KubeObject {
  // As in kube-apiserver: a scheduler owns no field of the Pods that it binds.
  if (target.subresource === "binding" || context.isUntracked === true) return change.object;
  const tracked = recordUpdate(applyContextOf(scope, target), {
    before: change.live === undefined ? undefined : asJson(change.live),
    after: asJson(change.object),
    manager: context.fieldManager,
  });
  checkObjectBounds(tracked);
  return asKubeObject(tracked);
}
