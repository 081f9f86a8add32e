import { isJsonObject } from "../../core/json.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { numberAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { ApiFailure } from "../failures/api-failure.ts";
import { badRequest, internalError, invalid } from "../failures/failures.ts";
import type { Target } from "../operations/operations.ts";
import type { ResourceDefinition, SubresourceDefinition } from "../operations/resource-definition.ts";
import { invalid as invalidField } from "../schema/field-error.ts";
import { selectorText } from "../table/column.ts";

export type ScalePaths = NonNullable<SubresourceDefinition["scale"]>;

/** The paths of the numbers of a Scale; undefined when the target is no Scale. */
export function scalePathsOf({ definition, subresource }: Omit<Target, "name">): ScalePaths | undefined {
  if (subresource === undefined) return undefined;
  return definition.subresources.find(({ name }) => name === subresource)?.scale;
}

/** The Scale of an object. Throws 500 when a custom object has no number of replicas at its CRD's path. */
export function scaleOf(object: KubeObject, paths: ScalePaths): KubeObject {
  const replicas = valueAtPath(object, paths.specPath);
  if (typeof replicas === "number") return scaleWith(object, paths, replicas);
  throw internalError(`the spec replicas field ${JSON.stringify(paths.specPath)} does not exist`);
}

/** The Scale that a patch starts from: without a number of replicas {@link checkScale} refuses what the patch left so. */
export function scaleToPatch(object: KubeObject, paths: ScalePaths): KubeObject {
  const replicas = valueAtPath(object, paths.specPath);
  return scaleWith(object, paths, typeof replicas === "number" ? replicas : unsetReplicas);
}

/**
 * What admission sees of a write: the object, or its Scale where that is written.
 * Source: Kubernetes, toScaleUpdateValidation.
 */
export function seenByAdmission(target: Omit<Target, "name">, object: KubeObject): KubeObject {
  const paths = scalePathsOf(target);
  if (paths === undefined) return object;
  const replicas = valueAtPath(object, paths.specPath);
  return scaleWith(object, paths, typeof replicas === "number" ? replicas : 0);
}

/** Means a number that was never set, as in kube-apiserver. */
const unsetReplicas = -(2 ** 31);

function scaleWith(object: KubeObject, paths: ScalePaths, replicas: number): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const current = valueAtPath(object, paths.statusPath);
  const selector = selectorOf(object, paths);
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: typeof current === "number" ? current : 0, ...(selector === "" ? {} : { selector }) },
  };
}

/** The object with the number of replicas that a Scale asks for. */
export function withScale(object: KubeObject, scale: KubeObject, paths: ScalePaths): KubeObject {
  const replicas = numberAt(scale, "spec", "replicas") ?? 0;
  const { resourceVersion = object.metadata.resourceVersion } = scale.metadata;
  const metadata = { ...object.metadata, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
  if (scale.kind !== "Scale") throw new ApiFailure(400, "BadRequest", `expected a Scale, got ${scale.kind}`);
  return setAtPath({ ...object, metadata }, paths.specPath, replicas);
}

/** Throws 422 for a negative number of replicas, 400 for none. Custom kinds name the object, built-in ones the Scale. */
export function checkScale(definition: ResourceDefinition, scale: KubeObject, paths: ScalePaths): void {
  const replicas = numberAt(scale, "spec", "replicas") ?? 0;
  if (replicas >= 0) return;
  if (definition.isCustom && replicas === unsetReplicas) {
    throw badRequest(`the spec replicas field ${JSON.stringify(paths.specPath)} cannot be empty`);
  }
  const { name } = scale.metadata;
  const { group, kind, isCustom } = definition;
  throw isCustom
    ? invalid({ group, kind, name }, [invalidField(paths.specPath, replicas, "should be a non-negative integer")])
    : invalid({ group: "autoscaling", kind: "Scale", name }, [
        invalidField("spec.replicas", replicas, "must be greater than or equal to 0"),
      ]);
}

function selectorOf(object: KubeObject, paths: ScalePaths): string {
  if (paths.labelsPath !== undefined) return selectorText({ matchLabels: valueAtPath(object, paths.labelsPath) });
  if (paths.selectorPath === undefined) return "";
  const selector = valueAtPath(object, paths.selectorPath);
  if (typeof selector === "string") return selector;
  return isJsonObject(selector) ? selectorText(selector) : "";
}

/** The steps of a path like `.spec.replicas`. */
export function stepsOf(path: string): string[] {
  return path.split(".").filter((step) => step !== "");
}

function valueAtPath(object: KubeObject, path: string): unknown {
  return stepsOf(path).reduce<unknown>(
    (value, step) => (isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined),
    object,
  );
}

function setAtPath(object: KubeObject, path: string, value: number): KubeObject {
  const set = (parent: JsonObject, [step = "", ...rest]: readonly string[]): JsonObject => {
    const child = parent[step];
    const next: Json = rest.length === 0 ? value : set(isJsonObject(child) ? child : {}, rest);
    return { ...parent, [step]: next };
  };
  const [first = "", ...rest] = stepsOf(path);
  const top = object[first];
  return { ...object, [first]: rest.length === 0 ? value : set(isJsonObject(top) ? top : {}, rest) };
}
