import { describeJsonKind } from "../../core/formats/go-format.ts";
import type { Json } from "../../core/json.ts";
import { isJsonObject } from "../../core/json.ts";
import { describeJsonError } from "../../core/go-json-error.ts";
import { parseJson } from "../../core/parse-json.ts";
import type { ApiFailure } from "../failures/api-failure.ts";
import { badRequest } from "../failures/failures.ts";

export interface ContinuePoint {
  /** -1: the list continues in the present, which may be inconsistent. */
  readonly revision: number;
  /** The last key shown, without the prefix of its kind. */
  readonly after: string;
  /** How many objects follow at that revision, where it is known: a page need not count them. */
  readonly remainingCount?: number;
}

const format = "meta.k8s.io/v1";

/** An opaque token like kube-apiserver's: `start` is the first key that is not shown yet. */
export function encodeContinue({ revision, after, remainingCount }: ContinuePoint): string {
  const fields = { v: format, rv: revision, start: `${after}\u0000`, remaining: remainingCount };
  return Buffer.from(JSON.stringify(fields), "utf8").toString("base64url");
}

/** Throws 400, with the message of kube-apiserver, for anything that this hub did not make. */
export function decodeContinue(token: string): ContinuePoint {
  const { v, rv, start, remainingCount } = fieldsOf(token);
  if (v !== format) throw notValid(`server does not recognize this encoded version ${v}`);
  if (rv === 0) throw notValid(`incorrect encoded start resourceVersion (version ${format})`);
  if (start === "") throw notValid(`encoded start key empty (version ${format})`);
  if (start.split("/").includes("..")) throw notValid(start);
  return {
    revision: rv,
    // Of a kind without namespaces it begins with the slash behind the empty namespace.
    after: start.endsWith("\u0000") ? start.slice(0, -1) : start,
    ...(remainingCount === undefined ? {} : { remainingCount }),
  };
}

interface TokenFields {
  readonly v: string;
  readonly rv: number;
  readonly start: string;
  readonly remainingCount?: number;
}

function fieldsOf(token: string): TokenFields {
  const bad = token.search(/[^A-Za-z0-9_-]/u);
  if (bad >= 0 || token.length % 4 === 1) {
    throw notValid(`illegal base64 data at input byte ${bad >= 0 ? bad : token.length - 1}`);
  }
  const text = Buffer.from(token, "base64url").toString("utf8");
  const parsed = parseJson(text);
  if (parsed === undefined) throw notValid(describeJsonError(text));
  const value = parsed as Json;
  if (value !== null && !isJsonObject(value)) throw notValid(misfit(value, "value of type storage.continueToken"));
  const { v, rv, start, remaining } = value ?? {};
  return {
    ...(Number.isSafeInteger(remaining) && Number(remaining) > 0 ? { remainingCount: Number(remaining) } : {}),
    v: v === undefined || v === null ? "" : typeof v === "string" ? v : fail("v", v, "string"),
    rv: rv === undefined || rv === null ? 0 : Number.isSafeInteger(rv) ? Number(rv) : fail("rv", rv, "int64"),
    start:
      start === undefined || start === null ? "" : typeof start === "string" ? start : fail("start", start, "string"),
  };
}

function fail(name: string, value: Json, type: string): never {
  throw notValid(misfit(value, `struct field continueToken.${name} of type ${type}`));
}

function misfit(value: Json, target: string): string {
  const isFraction = typeof value === "number" && !Number.isInteger(value);
  return `json: cannot unmarshal ${describeJsonKind(value)}${isFraction ? ` ${value}` : ""} into Go ${target}`;
}

function notValid(reason: string): ApiFailure {
  return badRequest(`invalid continue token: continue key is not valid: ${reason}`);
}
