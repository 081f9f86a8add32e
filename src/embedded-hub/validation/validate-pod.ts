import { appendAll } from "../../core/append-all.ts";
import type { JsonObject } from "../../core/json.ts";
import { canonicalJson, isJsonEqual } from "../../core/json.ts";
import { numberAt, objectAt, objectsAt, textAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { forbidden, indexPath, invalid, keyPath, required } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import { largestInt32 } from "./checks.ts";
import { validateTolerations } from "./validate-affinity.ts";
import { isGated, keptAffinity, validateGatedChange } from "./validate-gated-pod.ts";
import { validatePodSpec } from "./validate-pod-spec.ts";
import { validatePodStatus } from "./validate-pod-status.ts";

/** On a Pod that shows a static one of its node. */
export const mirrorAnnotation = "kubernetes.io/config.mirror";
const deletionCost = "controller.kubernetes.io/pod-deletion-cost";
const changeable =
  "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

/** What is wrong with a Pod, or with the change of it or its status. Source of this file: Kubernetes, core/validation. */
export function validatePod(
  pod: KubeObject,
  old: KubeObject | undefined,
  { subresource }: { readonly subresource?: string } = {},
): FieldError[] {
  const spec = objectAt(pod, "spec") ?? {};
  if (old === undefined) return [...validateWholePod(pod), ...validateNew(spec)];
  const oldSpec = objectAt(old, "spec") ?? {};
  const mirror = validateMirror(pod, old);
  if (subresource === "status") return [...mirror, ...validatePodStatus(pod, old)];
  return [...mirror, ...validateWholePod(pod), ...validateChange(spec, oldSpec)];
}

/** What is wrong with a Pod as it is, however it became so. */
export function validateWholePod(pod: KubeObject): FieldError[] {
  const spec = objectAt(pod, "spec") ?? {};
  return [
    ...validateAnnotations(pod),
    ...validatePodSpec(spec, "spec", true),
    ...validateTokenVolumes(spec),
    ...["containers", "initContainers"].flatMap((name) => validateImages(spec, `spec.${name}`, name)),
  ];
}

function validateAnnotations({ metadata: { annotations = {} }, ...pod }: KubeObject): FieldError[] {
  const cost = annotations[deletionCost];
  const mirror = annotations[mirrorAnnotation];
  const path = (key: string): string => keyPath("metadata.annotations", key);
  const hasNode = (textAt(pod, "spec", "nodeName") ?? "") !== "";
  return [
    ...(mirror === undefined || hasNode
      ? []
      : [invalid(path(mirrorAnnotation), mirror, "must set spec.nodeName if mirror pod annotation is set")]),
    ...(cost === undefined || isDeletionCost(cost)
      ? []
      : [invalid(path(deletionCost), cost, "must be a 32bit integer")]),
  ];
}

/** Without a plus sign, and without zeros at the beginning unless a minus sign is before them. */
function isDeletionCost(text: string): boolean {
  const isNumber = /^(?:0|[1-9]\d*|-\d+)$/u.test(text);
  return isNumber && Number(text) >= -(2 ** 31) && Number(text) <= largestInt32;
}

/** A Pod mirrors a static one from its beginning to its end. */
function validateMirror(pod: KubeObject, old: KubeObject): FieldError[] {
  const now = pod.metadata.annotations?.[mirrorAnnotation];
  const before = old.metadata.annotations?.[mirrorAnnotation];
  if (now === before) return [];
  const change = before === undefined ? "add" : "remove or update";
  const path = keyPath("metadata.annotations", mirrorAnnotation);
  return [forbidden(path, `may not ${change} mirror pod annotation`)];
}

function validateTokenVolumes(spec: JsonObject): FieldError[] {
  if ((textAt(spec, "serviceAccountName") ?? "") !== "") return [];
  return objectsAt(spec, "volumes").flatMap((volume, index) =>
    objectsAt(volume, "projected", "sources").flatMap((source, sourceIndex) => {
      if (objectAt(source, "serviceAccountToken") === undefined) return [];
      const item = indexPath(`${indexPath("spec.volumes", index)}.projected.sources`, sourceIndex);
      return [forbidden(`${item}.serviceAccountToken`, "must not be specified when serviceAccountName is not set")];
    }),
  );
}

function validateImages(spec: JsonObject, path: string, name: string): FieldError[] {
  return objectsAt(spec, name).flatMap((container, index) => {
    const image = textAt(container, "image") ?? "";
    if (image === image.trim()) return [];
    return [invalid(`${indexPath(path, index)}.image`, image, "must not have leading or trailing whitespace")];
  });
}

function validateNew(spec: JsonObject): FieldError[] {
  const hasNode = (textAt(spec, "nodeName") ?? "") !== "";
  return [
    ...(objectsAt(spec, "ephemeralContainers").length > 0
      ? [forbidden("spec.ephemeralContainers", "cannot be set on create")]
      : []),
    ...(isGated(spec) && hasNode
      ? [forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared")]
      : []),
  ];
}

/** Few fields of a Pod can be changed. */
function validateChange(spec: JsonObject, old: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of ["containers", "initContainers"]) {
    if (objectsAt(spec, name).length !== objectsAt(old, name).length) {
      return [...errors, forbidden(`spec.${name}`, "pod updates may not add or remove containers")];
    }
    for (const [index, container] of objectsAt(spec, name).entries()) {
      const field = `${indexPath(`spec.${name}`, index)}.image`;
      if ((textAt(container, "image") ?? "") === "") errors.push(required(field));
    }
    appendAll(errors, validateImages(spec, `spec.${name}`, name));
  }
  const deadline = validateDeadline(spec, old);
  appendAll(errors, deadline.errors);
  if (deadline.isFinal) return errors;
  appendAll(errors, validateAddedTolerations(spec, old));
  appendAll(errors, validateGatedChange(spec, old));
  if (!isJsonEqual(comparable(spec, old), comparable(old, old))) {
    errors.push(forbidden("spec", `pod updates may not change fields other than ${changeable}`));
  }
  return errors;
}

function validateDeadline(
  spec: JsonObject,
  old: JsonObject,
): { readonly errors: readonly FieldError[]; readonly isFinal: boolean } {
  const field = "spec.activeDeadlineSeconds";
  const seconds = numberAt(spec, "activeDeadlineSeconds");
  const before = numberAt(old, "activeDeadlineSeconds");
  if (seconds === undefined) {
    const text = "must not update from a positive integer to nil value";
    return { errors: before === undefined ? [] : [invalid(field, null, text)], isFinal: false };
  }
  if (seconds < 0 || seconds > largestInt32) {
    return { errors: [invalid(field, seconds, `must be between 0 and ${largestInt32}, inclusive`)], isFinal: true };
  }
  if (before === undefined || before >= seconds) return { errors: [], isFinal: false };
  return { errors: [invalid(field, seconds, "must be less than or equal to previous value")], isFinal: true };
}

function validateAddedTolerations(spec: JsonObject, old: JsonObject): FieldError[] {
  const withoutSeconds = ({ tolerationSeconds: _, ...toleration }: JsonObject): JsonObject => toleration;
  const textOf = (toleration: JsonObject): string => canonicalJson(withoutSeconds(toleration));
  const present = new Set(objectsAt(spec, "tolerations").map(textOf));
  const isLost = objectsAt(old, "tolerations").some((toleration) => !present.has(textOf(toleration)));
  if (isLost) {
    return [forbidden("spec.tolerations", "existing toleration can not be modified except its tolerationSeconds")];
  }
  return validateTolerations(spec, "spec.tolerations");
}

/** The spec with everything that may change as it was before. */
function comparable(spec: JsonObject, old: JsonObject): JsonObject {
  const { activeDeadlineSeconds: _, schedulingGates: _gates, tolerations: _tolerations, ...rest } = spec;
  const imagesOf = (name: string): JsonObject[] => {
    const before = objectsAt(old, name);
    return objectsAt(spec, name).map((container, index) => ({
      ...container,
      image: textAt(before[index], "image") ?? "",
    }));
  };
  const grace = numberAt(old, "terminationGracePeriodSeconds") ?? 0;
  const mayEnd = grace < 0 && numberAt(spec, "terminationGracePeriodSeconds") === 1;
  const { nodeSelector, affinity, ...others } = rest;
  return {
    ...others,
    ...(isGated(old) ? { affinity: keptAffinity(spec, old) } : { nodeSelector, affinity }),
    containers: imagesOf("containers"),
    initContainers: imagesOf("initContainers"),
    ...(mayEnd ? { terminationGracePeriodSeconds: grace } : {}),
  };
}
