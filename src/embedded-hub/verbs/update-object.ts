import type { KubeObject } from "../../model/kubernetes.ts";
import type { OperationContext, Target, Written } from "../operations/operations.ts";
import { changeObject } from "./change-object.ts";
import { changeScale } from "./change-scale.ts";
import { decodeObject } from "./decode-object.ts";
import type { HubScope } from "./hub-scope.ts";
import { checkObjectBounds } from "./object-bounds.ts";
import { checkRequestName, withoutDuplicateOwners, withRequestNamespace } from "./request-object.ts";
import { scalePathsOf } from "./scale-object.ts";
import { trackUpdate } from "./track-fields.ts";
import { writeOptions } from "./write-options.ts";

/** PUT. `authorizeCreate` is asked before an absent object is created, for kinds that allow that. */
export async function updateObject(
  scope: HubScope,
  context: OperationContext,
  target: Target,
  request: { readonly object: KubeObject; readonly authorizeCreate?: () => void },
): Promise<Written> {
  checkObjectBounds(request.object);
  const paths = scalePathsOf(target);
  if (paths !== undefined) {
    return changeScale(scope, context, { target, paths, content: { kind: "update", object: request.object } });
  }
  const placed = withRequestNamespace(decodeObject(context, target.definition, request.object), target.namespace);
  checkRequestName(placed, target);
  const object = withoutDuplicateOwners(placed, context.warnings, "before admission");
  const { uid = "" } = object.metadata;
  return changeObject(scope, context, {
    target,
    canCreate: target.definition.hooks.canCreateOnUpdate === true && target.subresource === undefined,
    options: writeOptions("UpdateOptions", context),
    desired: (live) => trackUpdate(scope, context, target, { live, object }),
    ...(uid === "" ? {} : { uid }),
    ...(request.authorizeCreate === undefined ? {} : { authorizeCreate: request.authorizeCreate }),
  });
}
