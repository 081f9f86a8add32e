import type { KubeObject } from "../../model/kubernetes.ts";
import { applyObject } from "../apply/server-side-apply.ts";
import { notFound } from "../failures/failures.ts";
import type { OperationContext, PatchBody, Target, Written } from "../operations/operations.ts";
import { appliedObject } from "./applied-object.ts";
import { changeObject } from "./change-object.ts";
import { changeScale } from "./change-scale.ts";
import { convertApplied, decodeObject } from "./decode-object.ts";
import type { HubScope } from "./hub-scope.ts";
import { subjectOf } from "./hub-scope.ts";
import { asJson, asKubeObject } from "../metadata/kube-json.ts";
import { checkObjectBounds, checkPatchBounds, mostValuesOf } from "./object-bounds.ts";
import type { Source } from "./object-type.ts";
import { patchJson } from "./patch-json.ts";
import { checkRequestName, withRequestNamespace } from "./request-object.ts";
import { scalePathsOf } from "./scale-object.ts";
import { applyContextOf, trackUpdate } from "./track-fields.ts";
import { writeOptions } from "./write-options.ts";

/** PATCH in its four forms. `authorizeCreate` is asked before an apply creates the object. */
export async function patchObject(
  scope: HubScope,
  context: OperationContext,
  target: Target,
  request: { readonly patch: PatchBody; readonly authorizeCreate?: () => void },
): Promise<Written> {
  const { patch } = request;
  checkPatchBounds(patch);
  const paths = scalePathsOf(target);
  if (paths !== undefined) return changeScale(scope, context, { target, paths, content: patch });
  return changeObject(scope, context, {
    target,
    canCreate: patch.kind === "apply" && target.subresource === undefined,
    options: writeOptions("PatchOptions", context),
    desired: (live) => {
      const patched = patch.kind === "apply" ? apply(scope, context, target, { patch, live }) : edit(patch, live);
      const placed = withRequestNamespace(patched, target.namespace);
      checkRequestName(placed, target);
      return placed;
    },
    ...(request.authorizeCreate === undefined ? {} : { authorizeCreate: request.authorizeCreate }),
  });

  function edit(plain: Exclude<PatchBody, { readonly kind: "apply" }>, live: KubeObject | undefined): KubeObject {
    if (live === undefined) throw notFound(subjectOf(target.definition, target.name));
    const { definition } = target;
    const patched = asKubeObject(patchJson(definition.schema, plain, asJson(live)));
    checkObjectBounds(patched);
    const isStrategic = plain.kind === "strategic" && !definition.isCustom;
    const source: Source = isStrategic ? { kind: "strategic", patch: plain.patch } : { kind: "patched" };
    const object = decodeObject(context, definition, patched, source);
    return trackUpdate(scope, context, target, { live, object });
  }
}

function apply(
  scope: HubScope,
  context: OperationContext,
  target: Target,
  {
    patch,
    live,
  }: { readonly patch: Extract<PatchBody, { readonly kind: "apply" }>; readonly live: KubeObject | undefined },
): KubeObject {
  const result = applyObject(applyContextOf(scope, target), {
    mostOwned: mostValuesOf(target.definition.kind),
    live: live === undefined ? undefined : asJson(live),
    intent: asJson(patch.object),
    manager: context.fieldManager,
    isForced: patch.isForced,
    complete: (object) => asJson(convertApplied(target.definition, asKubeObject(object), patch.object)),
  });
  const applied = appliedObject(context, result);
  checkObjectBounds(applied);
  return applied;
}
