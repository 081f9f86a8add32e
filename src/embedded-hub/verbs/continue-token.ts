import { isJsonObject } from "../../core/json.ts";
import { describeJsonError } from "../../core/go-json-error.ts";
import { parseJson } from "../../core/parse-json.ts";
import { badRequest } from "../failures/failures.ts";

export interface ContinuePoint {
  /** -1: the list goes on in the present, which may be inconsistent. */
  readonly revision: number;
  /** The last key shown, without the prefix of its kind. */
  readonly after: string;
}

const format = "meta.k8s.io/v1";

/** An opaque token like kube-apiserver's: `start` is the first key that is not shown yet. */
export function encodeContinue({ revision, after }: ContinuePoint): string {
  return Buffer.from(JSON.stringify({ v: format, rv: revision, start: `${after}\u0000` }), "utf8").toString(
    "base64url",
  );
}

/** Throws 400 for anything that this hub did not make. */
export function decodeContinue(token: string): ContinuePoint {
  const value = parse(Buffer.from(token, "base64url").toString("utf8"));
  if (!isJsonObject(value)) throw badRequest("invalid continue token: continue key is not valid");
  const { v, rv, start } = value;
  if (v !== format)
    throw badRequest(
      `invalid continue token: continue key is not valid: server does not recognize this encoded version ${JSON.stringify(v)}`,
    );
  if (typeof rv !== "number" || !Number.isSafeInteger(rv) || rv === 0) {
    throw badRequest(
      "invalid continue token: continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
    );
  }
  if (typeof start !== "string" || start === "" || start.split("/").includes("..")) {
    throw badRequest(
      "invalid continue token: continue key is not valid: encoded start key empty (version meta.k8s.io/v1)",
    );
  }
  return { revision: rv, after: start.endsWith("\u0000") ? start.slice(0, -1) : start };
}

function parse(text: string): unknown {
  const value = parseJson(text);
  if (value !== undefined) return value;
  throw badRequest(`invalid continue token: continue key is not valid: ${describeJsonError(text)}`);
}
