import type { KubeObject } from "../../model/kubernetes.ts";
import { methodNotAllowed } from "../failures/failures.ts";
import { withoutSystemFields } from "../metadata/system-fields.ts";
import type { Answer, OperationContext } from "../operations/operations.ts";
import { decodeObject } from "./decode-object.ts";
import type { HubScope } from "./hub-scope.ts";
import { insertObject } from "./insert-object.ts";
import { checkObjectBounds } from "./object-bounds.ts";
import { withoutDuplicateOwners, withRequestNamespace } from "./request-object.ts";
import { trackUpdate } from "./track-fields.ts";
import { writeOptions } from "./write-options.ts";

type CreateTarget = Parameters<Answer>[1];

/** POST: of a new object, or of something that is only answered (reviews, tokens). */
export async function createObject(
  scope: HubScope,
  context: OperationContext,
  target: CreateTarget,
  object: KubeObject,
): Promise<KubeObject> {
  const { definition, namespace, subresource } = target;
  checkObjectBounds(object);
  const answer = scope.answers.get(answerKey(target));
  if (answer !== undefined) return answer(context, target, object);
  if (subresource !== undefined || !definition.verbs.includes("get")) throw methodNotAllowed();
  const decoded = decodeObject(context, definition, object);
  const placed = withRequestNamespace(withoutSystemFields(decoded), namespace);
  const owned = withoutDuplicateOwners(placed, context.warnings, "before admission");
  const tracked = trackUpdate(scope, context, target, { live: undefined, object: owned });
  const admissionRequest = {
    definition,
    name: tracked.metadata.name ?? "",
    user: context.user,
    isDryRun: context.isDryRun,
    options: writeOptions("CreateOptions", context),
    warnings: context.warnings,
    ...(context.annotate === undefined ? {} : { annotate: context.annotate }),
    ...(namespace === undefined ? {} : { namespace }),
  };
  const admitted = await scope.admission.mutate({ ...admissionRequest, operation: "CREATE", object: tracked });
  const final = withoutDuplicateOwners(admitted, context.warnings, "after admission");
  return insertObject(scope, context, { target, object: final, admissionRequest, isNew: true });
}

function answerKey({ definition: { group, plural }, subresource }: CreateTarget): string {
  return subresource === undefined ? `${group}/${plural}` : `${group}/${plural}/${subresource}`;
}
