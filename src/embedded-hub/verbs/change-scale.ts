import type { KubeObject } from "../../model/kubernetes.ts";
import { conflict, notFound } from "../failures/failures.ts";
import { asJson, asKubeObject } from "../metadata/kube-json.ts";
import type { ClientWrite, OperationContext, Target, Written } from "../operations/operations.ts";
import { changeObject } from "./change-object.ts";
import { decodeObject } from "./decode-object.ts";
import type { HubScope } from "./hub-scope.ts";
import { subjectOf } from "./hub-scope.ts";
import type { Source } from "./object-type.ts";
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
  const { object } = await changeObject(scope, context, {
    target,
    canCreate: false,
    options: writeOptions(content.kind === "update" ? "UpdateOptions" : "PatchOptions", context),
    desired: (parent) => {
      if (parent === undefined) throw notFound(subjectOf(target.definition, target.name));
      const live = withScaleManagers(scope, target, { parent, scale: scaleToPatch(parent, paths) });
      const scale = scaleToHave(scope, context, target, { live, content });
      checkScale(target.definition, scale, paths);
      checkUid(target, scale, parent);
      return withParentManagers(scope, target, withScale(parent, scale, paths), scale);
    },
  });
  return { object: scaleOf(object, paths), isCreated: false };
}

/** The Scale that a client asks for, with its managers. */
function scaleToHave(
  scope: HubScope,
  context: OperationContext,
  target: Target,
  { live, content }: { readonly live: KubeObject; readonly content: ClientWrite["content"] },
): KubeObject {
  const place = (scale: KubeObject): KubeObject => {
    const placed = withRequestNamespace(scale, target.namespace);
    checkRequestName(placed, target);
    return placed;
  };
  if (content.kind === "apply") return place(applyScale(scope, context, target, { live, patch: content }));
  const decode = (object: KubeObject, source: Source): KubeObject =>
    place(decodeObject(context, scaleDefinition, object, source));
  const after =
    content.kind === "update"
      ? decode(content.object, { kind: "body" })
      : decode(asKubeObject(patchJson(scaleDefinition.schema, content, asJson(live))), { kind: "patched" });
  return trackScaleUpdate(scope, context, { before: live, after });
}

/** A Scale of a built-in kind may name the uid of its object. */
function checkUid({ definition, name }: Target, scale: KubeObject, parent: KubeObject): void {
  const { uid = "" } = scale.metadata;
  if (definition.isCustom || uid === "" || uid === parent.metadata.uid) return;
  const { group, plural } = definition;
  const reason = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${parent.metadata.uid}`;
  throw conflict({ group, plural: `${plural}/scale`, name }, reason);
}
