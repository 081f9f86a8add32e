import type { JsonObject } from "../../core/json.ts";
import { apiVersionOf } from "../../model/kubernetes.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { ApplyContext } from "../apply/server-side-apply.ts";
import { recordUpdate } from "../apply/server-side-apply.ts";
import { fieldSetOf } from "../apply/field-set.ts";
import { fieldElement } from "../apply/path-element.ts";
import { checkObjectBounds } from "./object-bounds.ts";
import { formatTime } from "../metadata/system-fields.ts";
import type { OperationContext, Target } from "../operations/operations.ts";
import { inVersion } from "../operations/in-version.ts";
import type { ResourceDefinition, ResourceHooks } from "../operations/resource-definition.ts";
import { emptyObjectOf } from "./decode-object.ts";
import { asJson, asKubeObject } from "../metadata/kube-json.ts";
import type { HubScope } from "./hub-scope.ts";
import { hasStatus } from "./hub-scope.ts";

const keptByDefault: ResourceHooks["keptFields"] = { "": [["status"]], status: [["spec"]] };

/** What managed fields need to know of a request. */
export function applyContextOf(scope: HubScope, { definition, subresource }: Omit<Target, "name">): ApplyContext {
  const { group, plural, kind, schema, hooks } = definition;
  const apiVersion = apiVersionOf(definition);
  const kept = hasStatus(definition) ? { ...keptByDefault, ...hooks.keptFields } : {};
  // Other subresources keep what the object keeps.
  const paths = kept[subresource ?? ""] ?? kept[""];
  const served = (other: string): ResourceDefinition | undefined => {
    const found = scope.registry.definitionOf(group, plural, other.slice(other.indexOf("/") + 1));
    return found !== undefined && apiVersionOf(found) === other ? found : undefined;
  };
  const convert = (object: JsonObject, from: string, to: string): JsonObject => {
    const [old, other] = [served(from), served(to)];
    return old === undefined || other === undefined ? object : asJson(inVersion(asKubeObject(object), old, other));
  };
  return {
    apiVersion,
    kind,
    schema,
    schemaOfVersion: (other) => served(other)?.schema,
    ...(definition.isCustom ? {} : { convert }),
    emptyObject: emptyObjectOf(definition),
    ...(subresource === undefined ? {} : { subresource }),
    ...(paths === undefined ? {} : { resetFields: fieldSetOf(...paths.map((path) => path.map(fieldElement))) }),
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
