import type { JsonObject } from "../../core/json.ts";
import { objectAt, textAt } from "../../core/read-json.ts";
import { checkQualifiedName } from "../../core/formats/kube-names.ts";
import { isCpuOrMemory, isHugePages } from "../amounts/pod-amounts.ts";
import { forbidden, invalid, keyPath, required } from "../schema/field-error.ts";
import { isQuantityError, parseQuantity } from "../../core/formats/quantity.ts";
import type { FieldError } from "../schema/schema.ts";

// Source of this file: Kubernetes, pkg/apis/core/validation.

const ofContainers = ["cpu", "memory", "ephemeral-storage"];
/** Names of resources without a prefix. */
export const standardResources: ReadonlySet<string> = new Set([
  ...ofContainers,
  ...ofContainers.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "storage",
  "requests.storage",
  "services.nodeports",
  "services.loadbalancers",
]);

type ValidateName = (name: string, field: string) => FieldError[];

/** What is wrong with the requests and limits of a container, or of what has other names of resources. */
export function validateResources(
  resources: JsonObject | undefined,
  path: string,
  validateName: ValidateName = validateContainerResourceName,
): FieldError[] {
  const limits = objectAt(resources, "limits") ?? {};
  const requests = objectAt(resources, "requests") ?? {};
  const errors = [
    ...Object.keys(limits).flatMap((name) => [
      ...validateName(name, keyPath(`${path}.limits`, name)),
      ...validateAmount(limits, name, `${path}.limits`),
    ]),
    ...Object.keys(requests).flatMap((name) => [
      ...validateName(name, keyPath(`${path}.requests`, name)),
      ...validateAmount(requests, name, `${path}.requests`),
      ...validateRequest({ name, requests, limits }, path),
    ]),
  ];
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  const isHugeAlone = names.some(isHugePages) && !names.some(isCpuOrMemory);
  return isHugeAlone ? [...errors, forbidden(path, "HugePages require cpu or memory")] : errors;
}

interface Request {
  readonly name: string;
  readonly requests: JsonObject;
  readonly limits: JsonObject;
}

/** A request may not be over the limit; what cannot be shared must be equal to it. */
function validateRequest({ name, requests, limits }: Request, path: string): FieldError[] {
  const text = textAt(requests, name) ?? "";
  const limit = textAt(limits, name);
  const isShared = isOvercommitAllowed(name);
  if (limit === undefined) {
    return isShared ? [] : [required(`${path}.limits`, "Limit must be set for non overcommitable resources")];
  }
  const difference = nanosOf(text) - nanosOf(limit);
  if (difference !== 0n && !isShared) {
    return [invalid(`${path}.requests`, text, `must be equal to ${name} limit of ${limit}`)];
  }
  if (difference <= 0n) return [];
  return [invalid(`${path}.requests`, text, `must be less than or equal to ${name} limit of ${limit}`)];
}

function validateAmount(list: JsonObject, name: string, path: string): FieldError[] {
  const field = keyPath(path, name);
  const text = textAt(list, name) ?? "";
  const errors: FieldError[] = [];
  // Amounts are in canonical form: what has no sign is not negative, and digits alone are whole.
  if (text.startsWith("-") && nanosOf(text) < 0n) {
    errors.push(invalid(field, text, "must be greater than or equal to 0"));
  }
  if (!isWhole(text) && isExtendedResource(name)) errors.push(invalid(field, text, "must be an integer"));
  if (isHugePages(name) && !isPages(text, name)) {
    errors.push(invalid(field, text, `${text} is not positive integer multiple of ${name}`));
  }
  return errors;
}

/** What is wrong with the name of a resource of any kind of object. */
export function validateResourceName(name: string, field: string): FieldError[] {
  const errors = checkQualifiedName(name).map((text) => invalid(field, name, text));
  const isKnown = standardResources.has(name) || isHugePages(name) || name.startsWith("requests.hugepages-");
  if (errors.length > 0 || name.includes("/") || isKnown) return errors;
  return [invalid(field, name, "must be a standard resource type or fully qualified")];
}

/** What is wrong with the name of a resource of containers. */
export function validateContainerResourceName(name: string, field: string): FieldError[] {
  const errors = validateResourceName(name, field);
  if (!name.includes("/")) {
    const isOfContainers = ofContainers.includes(name) || isHugePages(name);
    if (!isOfContainers) errors.push(invalid(field, name, "must be a standard resource for containers"));
  } else if (!isNative(name) && !isExtendedResource(name)) {
    errors.push(invalid(field, name, "doesn't follow extended resource name standard"));
  }
  return errors;
}

/** False for what containers cannot share: its request is its limit. */
export function isOvercommitAllowed(name: string): boolean {
  return name.includes("/") ? isNative(name) : !isHugePages(name);
}

/** Whether an amount is one of whole pages, of the size that is in the name. */
function isPages(text: string, name: string): boolean {
  const size = nanosOf(name.slice("hugepages-".length));
  return size > 0n && size % 1_000_000_000n === 0n && nanosOf(text) % size === 0n;
}

function isNative(name: string): boolean {
  return !name.includes("/") || name.includes("kubernetes.io/");
}

/** A resource of containers of which only the name is known. */
export function isExtendedResource(name: string): boolean {
  if (isNative(name) || name.startsWith("requests.")) return false;
  return checkQualifiedName(`requests.${name}`).length === 0;
}

/** True for an amount without a fraction. */
export function isWhole(text: string): boolean {
  return /^\d{1,18}$/u.test(text) || nanosOf(text) % 1_000_000_000n === 0n;
}

/** An amount in units of 10^-9. Quantities were decoded: they are well formed. */
export function nanosOf(text: string): bigint {
  const parsed = parseQuantity(text);
  return isQuantityError(parsed) ? 0n : parsed.nanos;
}
