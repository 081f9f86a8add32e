import { appendAll } from "../../core/append-all.ts";
import { badRequest, invalid } from "../failures/failures.ts";
import {
  forbidden as forbiddenValue,
  invalid as invalidValue,
  notSupported as unsupportedValue,
  required as requiredValue,
  tooLong,
} from "../schema/field-error.ts";
import type { DeleteBody, PageQuery } from "../operations/operations.ts";
import type { FieldError } from "../schema/schema.ts";

const managerLimit = 128;

/** What every write may carry in its URL. */
export interface WriteQuery {
  readonly fieldManager: string | undefined;
  readonly isDryRun: boolean;
  readonly fieldValidation: "Strict" | "Warn" | "Ignore";
}

/** Undefined when absent; throws 400 for anything but an integer, also for an empty text. */
export function readInteger(query: URLSearchParams, key: string): number | undefined {
  const text = query.get(key);
  if (text === null) return undefined;
  const isWhole = /^[-+]?\d+$/u.test(text);
  if (isWhole && isOf64Bits(text)) return Number(text);
  const reason = isWhole ? "value out of range" : "invalid syntax";
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${reason}`);
}

/** Of a whole number, without reading one that is as long as a URL. */
function isOf64Bits(text: string): boolean {
  const digits = text.replace(/^[-+]?0*/u, "");
  return digits.length <= 19 && BigInt(digits) <= (text.startsWith("-") ? 2n ** 63n : 2n ** 63n - 1n);
}

/** As Kubernetes reads booleans in a URL: everything but `false` and `0` is true, even nothing. */
export function readBoolean(query: URLSearchParams, key: string): boolean {
  const text = query.get(key);
  return text !== null && text.toLowerCase() !== "false" && text !== "0";
}

/** Throws 422 for an option that does not exist. `kind` names the options in the message. */
export function readWriteQuery(query: URLSearchParams, kind: "CreateOptions" | "UpdateOptions"): WriteQuery {
  const errors = [...checkManager(query.get("fieldManager")), ...checkDryRun(query), ...checkValidation(query)];
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind, name: "" }, errors);
  return writeQueryOf(query);
}

/** Adds `force`, which only an apply may have, and the manager, which an apply must have. */
export function readPatchQuery(query: URLSearchParams, isApply: boolean): WriteQuery & { readonly isForced: boolean } {
  const errors: FieldError[] = [];
  if (isApply && (query.get("fieldManager") ?? "") === "") {
    errors.push(requiredValue("fieldManager", "is required for apply patch"));
  }
  if (!isApply && query.has("force")) {
    errors.push(forbiddenValue("force", "may not be specified for non-apply patch"));
  }
  appendAll(errors, [...checkManager(query.get("fieldManager")), ...checkDryRun(query), ...checkValidation(query)]);
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind: "PatchOptions", name: "" }, errors);
  return { ...writeQueryOf(query), isForced: readBoolean(query, "force") };
}

/** Options of a list or watch besides selectors. Throws 422 for combinations that make no sense. */
export function readListQuery(query: URLSearchParams, isWatch: boolean): Omit<PageQuery, "namespace" | "matches"> {
  const limit = readInteger(query, "limit");
  readInteger(query, "timeoutSeconds"); // A watch alone uses it; a list refuses one that is no number.
  const continueToken = query.get("continue") ?? "";
  const resourceVersion = query.get("resourceVersion") ?? "";
  const resourceVersionMatch = query.get("resourceVersionMatch") ?? "";
  const errors = checkListVersions(query, isWatch, { continueToken, resourceVersion, resourceVersionMatch });
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind: "ListOptions", name: "" }, errors);
  return {
    resourceVersion,
    resourceVersionMatch,
    ...(limit === undefined ? {} : { limit }),
    ...(continueToken === "" ? {} : { continueToken }),
  };
}

/** Options of a delete that come in the URL; a body outranks them. `uid` and `resourceVersion` are preconditions. */
export function readDeleteQuery(query: URLSearchParams): DeleteBody & { readonly dryRun: readonly string[] } {
  const gracePeriodSeconds = readInteger(query, "gracePeriodSeconds");
  const propagationPolicy = query.get("propagationPolicy");
  const uid = query.get("uid") ?? "";
  const resourceVersion = query.get("resourceVersion") ?? "";
  const preconditions = { ...(uid === "" ? {} : { uid }), ...(resourceVersion === "" ? {} : { resourceVersion }) };
  return {
    dryRun: query.getAll("dryRun"),
    ...(Object.keys(preconditions).length === 0 ? {} : { preconditions }),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(query.has("orphanDependents") ? { orphanDependents: readBoolean(query, "orphanDependents") } : {}),
    ...(propagationPolicy === null ? {} : { propagationPolicy: propagationPolicy as "Background" }),
  };
}

export function checkDryRunValues(values: readonly string[]): FieldError[] {
  const wrong = values.find((value) => value !== "All");
  return wrong === undefined ? [] : [unsupportedValue("dryRun", values, ["All"])];
}

function writeQueryOf(query: URLSearchParams): WriteQuery {
  const fieldManager = query.get("fieldManager") ?? "";
  const validation = query.get("fieldValidation") ?? "";
  return {
    fieldManager: fieldManager === "" ? undefined : fieldManager,
    isDryRun: query.has("dryRun"),
    fieldValidation: validation === "Strict" || validation === "Ignore" ? validation : "Warn",
  };
}

const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/** kube-apiserver names the characters of one that is too long, too: each with the whole text. */
function checkManager(manager: string | null): FieldError[] {
  if (manager === null) return [];
  if (Buffer.byteLength(manager) > managerLimit) return [tooLong("fieldManager", managerLimit)];
  return [...manager.matchAll(unprintable)].map(({ 0: character, index }) => {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    const place = Buffer.byteLength(manager.slice(0, index));
    return invalidValue("fieldManager", manager, `invalid character U+${code} (at position ${place})`);
  });
}

function checkDryRun(query: URLSearchParams): FieldError[] {
  return checkDryRunValues(query.getAll("dryRun"));
}

function checkValidation(query: URLSearchParams): FieldError[] {
  const value = query.get("fieldValidation") ?? "";
  if (["", "Ignore", "Warn", "Strict"].includes(value)) return [];
  return [unsupportedValue("fieldValidation", value, ["", "Ignore", "Strict", "Warn"])];
}

function checkListVersions(
  query: URLSearchParams,
  isWatch: boolean,
  asked: { readonly continueToken: string; readonly resourceVersion: string; readonly resourceVersionMatch: string },
): FieldError[] {
  const { continueToken, resourceVersion, resourceVersionMatch: match } = asked;
  const sendsInitial = query.has("sendInitialEvents");
  if (isWatch) return checkWatchVersions(sendsInitial, asked);
  const errors: FieldError[] = [];
  if (match !== "") {
    if (resourceVersion === "") {
      errors.push(forbiddenValue(matchField, "resourceVersionMatch is forbidden unless resourceVersion is provided"));
    }
    if (continueToken !== "") errors.push(forbiddenValue(matchField, continuedText));
    if (match !== "Exact" && match !== "NotOlderThan") {
      errors.push(unsupportedValue(matchField, match, ["Exact", "NotOlderThan", ""]));
    }
    if (match === "Exact" && resourceVersion === "0") {
      errors.push(forbiddenValue(matchField, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (sendsInitial) errors.push(forbiddenValue("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  return errors;
}

const matchField = "resourceVersionMatch";
const continuedText = "resourceVersionMatch is forbidden when continue is provided";

function checkWatchVersions(
  sendsInitial: boolean,
  asked: { readonly continueToken: string; readonly resourceVersion: string; readonly resourceVersionMatch: string },
): FieldError[] {
  const { resourceVersion, resourceVersionMatch: match, continueToken } = asked;
  // A watch from the present implies initial events, with or without the parameter.
  const isFromPresent = !sendsInitial && match === "" && (resourceVersion === "" || resourceVersion === "0");
  if (isFromPresent && continueToken !== "") return [forbiddenValue(matchField, continuedText)];
  const errors: FieldError[] = [];
  if (sendsInitial && match !== "NotOlderThan") {
    errors.push(forbiddenValue(matchField, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
  }
  if (match === "") return errors;
  if (!sendsInitial) {
    const text = "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided";
    errors.push(forbiddenValue(matchField, text));
  }
  if (match !== "NotOlderThan") errors.push(unsupportedValue(matchField, match, ["NotOlderThan"]));
  if (continueToken !== "") errors.push(forbiddenValue(matchField, continuedText));
  return errors;
}
