import { formatQuantity } from "../../core/formats/quantity.ts";
import type { JsonObject } from "../../core/json.ts";
import { objectAt, objectsAt, textAt } from "../../core/read-json.ts";
import type { Amounts } from "../amounts/pod-amounts.ts";
import { askedBy, askedByContainers, isHugePages, isPodLevel } from "../amounts/pod-amounts.ts";
import { forbidden, indexPath, invalid, keyPath, notSupported } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import { validateUsedClaims } from "./validate-resource-claims.ts";
import { validateResourceName, validateResources } from "./validate-resources.ts";

// Source of this file: Kubernetes, pkg/apis/core/validation.

/** What is wrong with the requests and limits that a Pod has for all of its containers. */
export function validatePodResources(spec: JsonObject, path: string, claimNames: ReadonlySet<string>): FieldError[] {
  const resources = objectAt(spec, "resources");
  if (resources === undefined) return [];
  if (textAt(spec, "os", "name") === "windows") return [forbidden(path, "may not be set for a windows pod")];
  return [
    ...(objectsAt(resources, "claims").length > 0
      ? [forbidden(`${path}.claims`, "claims may not be set for Resources at pod-level")]
      : []),
    ...validateResources(resources, path, validatePodResourceName),
    ...validateUsedClaims(resources, `${path}.claims`, claimNames),
    ...validateSums(spec, path),
    ...validateContainerLimits(spec, path),
  ];
}

function validatePodResourceName(name: string, field: string): FieldError[] {
  const errors = validateResourceName(name, field);
  if (errors.length > 0 || isPodLevel(name)) return errors;
  return [notSupported(field, name, ["cpu", "hugepages-", "memory"])];
}

/** All containers together stay within the requests of the Pod, and within its limits of what cannot be shared. */
function validateSums(spec: JsonObject, path: string): FieldError[] {
  const sums = askedByContainers(spec);
  const { requests, limits } = askedBy(spec);
  const hugeLimits = new Map([...sums.limits].filter(([name]) => isHugePages(name)));
  return [
    ...overs(sums.requests, requests).map(({ name, asked, most }) => {
      const text = `must be greater than or equal to aggregate container requests of ${asked}`;
      return invalid(keyPath(`${path}.requests`, name), most, text);
    }),
    ...overs(hugeLimits, limits).map(({ name, asked, most }) => {
      const text = `must be greater than or equal to aggregate container limits of ${asked}`;
      return invalid(keyPath(`${path}.limits`, name), most, text);
    }),
  ];
}

/** An API server writes the field of the containers below that of the Pod. */
function validateContainerLimits(spec: JsonObject, path: string): FieldError[] {
  const { limits } = askedBy(spec);
  return objectsAt(spec, "containers").flatMap((container, index) =>
    overs(askedBy(container).limits, limits).map(({ name, asked, most }) => {
      const field = `${keyPath(indexPath(`${path}.containers`, index), name)}.limits`;
      return invalid(field, asked, `must be less than or equal to pod limits of ${most}`);
    }),
  );
}

interface Over {
  readonly name: string;
  readonly asked: string;
  readonly most: string;
}

/** The amounts that are more than those of the same name. */
function overs(asked: Amounts, most: Amounts): Over[] {
  return [...asked].flatMap(([name, amount]) => {
    const bound = most.get(name);
    if (bound === undefined || amount.nanos <= bound.nanos) return [];
    return [{ name, asked: formatQuantity(amount), most: formatQuantity(bound) }];
  });
}
