import { memoizeWeak } from "../../core/memoize-weak.ts";
import type { JsonObject } from "../../core/json.ts";
import { objectsAt, textAt } from "../../core/read-json.ts";
import { checkLabel, checkSubdomain } from "../../core/formats/kube-names.ts";
import { duplicate, indexPath, invalidStruct, notFound, required } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import { hold } from "./checks.ts";

// Source of this file: Kubernetes, pkg/apis/core/validation.

/** The names by which containers of a Pod may use its resource claims. */
export function claimNamesOf(spec: JsonObject): ReadonlySet<string> {
  const names = objectsAt(spec, "resourceClaims").map((claim) => textAt(claim, "name") ?? "");
  return new Set(names.filter((name) => name !== ""));
}

/** What is wrong with the resource claims of a Pod: each is one that exists, or is made from a template. */
export function validateResourceClaims(spec: JsonObject, path: string): FieldError[] {
  const names = new Set<string>();
  return objectsAt(spec, "resourceClaims").flatMap((claim, index) => {
    const item = indexPath(path, index);
    const name = textAt(claim, "name") ?? "";
    const isRepeated = names.has(name);
    if (name !== "") names.add(name);
    return [
      ...(name === ""
        ? [required(`${item}.name`)]
        : isRepeated
          ? [duplicate(`${item}.name`, name)]
          : hold(checkLabel, name, `${item}.name`)),
      ...validateSource(claim, item),
    ];
  });
}

function validateSource(claim: JsonObject, path: string): FieldError[] {
  const own = textAt(claim, "resourceClaimName");
  const template = textAt(claim, "resourceClaimTemplateName");
  const names = { ResourceClaimName: own ?? null, ResourceClaimTemplateName: template ?? null };
  const printed = { Name: textAt(claim, "name") ?? "", ...names };
  const choice = "`resourceClaimName` or `resourceClaimTemplateName`";
  return [
    ...(own !== undefined && template !== undefined
      ? [invalidStruct(path, printed, `at most one of ${choice} may be specified`)]
      : []),
    ...(own === undefined && template === undefined
      ? [invalidStruct(path, printed, `must specify one of: ${choice.replace(" or", ",")}`)]
      : []),
    ...(own === undefined ? [] : hold(checkSubdomain, own, `${path}.resourceClaimName`)),
    ...(template === undefined ? [] : hold(checkSubdomain, template, `${path}.resourceClaimTemplateName`)),
  ];
}

/** What is wrong with the claims that a container uses: a whole one, or several requests of it, each once. */
export function validateUsedClaims(
  resources: JsonObject | undefined,
  path: string,
  podClaims: ReadonlySet<string>,
): FieldError[] {
  const used: UsedClaims = { keys: new Set(), requests: new Map() };
  return objectsAt(resources, "claims").flatMap((claim, index) => {
    const item = indexPath(path, index);
    const name = textAt(claim, "name") ?? "";
    if (name === "") return [required(item)];
    return [
      ...validateUse({ name, request: textAt(claim, "request") ?? "" }, item, used),
      ...(podClaims.has(name) ? [] : [missingClaim(item, name, podClaims)]),
    ];
  });
}

function missingClaim(path: string, name: string, podClaims: ReadonlySet<string>): FieldError {
  const error = notFound(path, name);
  const known = podClaims.size === 0 ? " which is empty" : `: ${listed(podClaims)}`;
  return { ...error, message: `${error.message}: must be one of the names in pod.spec.resourceClaims${known}` };
}

/** Each missing claim names them all: of many, as many as these characters hold. */
const longestList = 1000;

/** Sorted once for all containers of a Pod. */
const listed = memoizeWeak((names: ReadonlySet<string>): string => {
  const text = [...names].sort().join(", ");
  return text.length <= longestList ? text : `${text.slice(0, longestList)}...`;
});

interface UsedClaims {
  /** Claims, and requests of claims as `claim/request`. */
  readonly keys: Set<string>;
  /** How many requests of a claim are used. */
  readonly requests: Map<string, number>;
}

function validateUse(
  { name, request }: { readonly name: string; readonly request: string },
  path: string,
  { keys, requests }: UsedClaims,
): FieldError[] {
  if (keys.has(name)) return [duplicate(path, name)];
  const key = request === "" ? name : `${name}/${request}`;
  const isRepeated = keys.has(key);
  const requestCount = requests.get(name) ?? 0;
  keys.add(key);
  if (request === "") return Array.from({ length: requestCount }, () => duplicate(path, name));
  if (!isRepeated) requests.set(name, requestCount + 1);
  return [...hold(checkLabel, request, `${path}.request`), ...(isRepeated ? [duplicate(path, key)] : [])];
}
