import type { KubeObject } from "../../model/kubernetes.ts";
import { conflict, notFound } from "../failures/failures.ts";
import { asJson, asKubeObject } from "../metadata/kube-json.ts";
import type { ClientWrite, OperationContext, PatchBody, Target, Written } from "../operations/operations.ts";
import { changeObject } from "./change-object.ts";
import { decodeObject, withDefaults } from "./decode-object.ts";
import type { HubScope } from "./hub-scope.ts";
import { subjectOf } from "./hub-scope.ts";
import { patchJson } from "./patch-json.ts";
import { checkRequestName, withRequestNamespace } from "./request-object.ts";
import type { ScalePaths } from "./scale-object.ts";
import { checkScale, scaleOf, scaleToPatch, withScale } from "./scale-object.ts";
import { applyScale, scaleDefinition, trackScaleUpdate, withParentManagers, withScaleManagers } from "./track-scale.ts";
import { writeOptions } from "./write-options.ts";

/** PUT and PATCH of `scale`: the object gets the number of replicas, the client gets the Scale. */
export async function changeScale(
  scope: HubScope,
  context: OperationContext,
  change: { readonly target: Target; readonly paths: ScalePaths; readonly content: ClientWrite["content"] },
): Promise<Written> {
  const { target, paths, content } = change;
  const scaleAfter =
    content.kind === "update"
      ? updatedScale(scope, context, target, content.object)
      : (live: KubeObject) => patchedScale(scope, context, target, { live, patch: content });
  const uid = content.kind === "update" ? (content.object.metadata.uid ?? "") : "";
  const { object } = await changeObject(scope, context, {
    target,
    canCreate: false,
    ...(uid === "" ? {} : { uid }),
    options: writeOptions(content.kind === "update" ? "UpdateOptions" : "PatchOptions", context),
    desired: (parent) => {
      if (parent === undefined) throw notFound(subjectOf(target.definition, target.name));
      const live = withScaleManagers(scope, target, { parent, scale: scaleToPatch(parent, paths) });
      const scale = scaleAfter(live);
      checkScale(target.definition, scale, paths);
      checkUid(target, scale, parent);
      const scaled = withParentManagers(scope, target, withScale(parent, scale, paths), scale);
      // A number in a part that was not there brings the part's defaults.
      return target.definition.isCustom ? withDefaults(target.definition, scaled) : scaled;
    },
  });
  return { object: scaleOf(object, paths), isCreated: false };
}

/** Makes the Scale of a PUT, with its managers. A body that is none is refused before its object is read. */
function updatedScale(
  scope: HubScope,
  context: OperationContext,
  target: Target,
  body: KubeObject,
): (live: KubeObject) => KubeObject {
  const after = placeScale(target, decodeObject(context, scaleDefinition, body));
  return (live) => trackScaleUpdate(scope, context, { before: live, after });
}

/** The Scale that a patch makes, with its managers. */
function patchedScale(
  scope: HubScope,
  context: OperationContext,
  target: Target,
  { live, patch }: { readonly live: KubeObject; readonly patch: PatchBody },
): KubeObject {
  if (patch.kind === "apply") return placeScale(target, applyScale(scope, context, target, { live, patch }));
  const patched = asKubeObject(patchJson(scaleDefinition.schema, patch, asJson(live)));
  const after = placeScale(target, decodeObject(context, scaleDefinition, patched, { kind: "patched" }));
  return trackScaleUpdate(scope, context, { before: live, after });
}

function placeScale(target: Target, scale: KubeObject): KubeObject {
  const placed = withRequestNamespace(scale, target.namespace);
  checkRequestName(placed, target);
  return placed;
}

/** A patched Scale of a built-in kind names its object by another name than an updated one. */
function checkUid({ definition, name }: Target, scale: KubeObject, parent: KubeObject): void {
  const { uid = "" } = scale.metadata;
  if (definition.isCustom || uid === "" || uid === parent.metadata.uid) return;
  const { group, plural } = definition;
  const reason = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${parent.metadata.uid}`;
  throw conflict({ group, plural: `${plural}/scale`, name }, reason);
}
