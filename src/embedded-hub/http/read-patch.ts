import { isJsonObject } from "../../core/json.ts";
import { ApiFailure } from "../failures/api-failure.ts";
import { badRequest } from "../failures/failures.ts";
import type { PatchBody } from "../operations/operations.ts";
import type { ResourceDefinition } from "../operations/resource-definition.ts";
import { contentTypeOf, unsupportedMediaType } from "./media-types.ts";
import type { DecodingProblems } from "./parse-body.ts";
import { goTypeOf, objectOfPatch, parseJson, parseYaml } from "./parse-body.ts";

export type PatchKind = PatchBody["kind"];

const patchTypes: Readonly<Record<PatchKind, string>> = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
};

/** Custom kinds know no strategic merge: their lists have no patch strategies. Throws 415. */
export function patchKindOf(contentType: string | undefined, { isCustom }: ResourceDefinition): PatchKind {
  const offered: readonly PatchKind[] = isCustom ? ["json", "merge", "apply"] : ["json", "merge", "strategic", "apply"];
  const type = contentTypeOf(contentType);
  const kind = offered.find((candidate) => patchTypes[candidate] === type);
  if (kind !== undefined) return kind;
  if (isCustom) throw unsupportedMediaType(offered.map((candidate) => patchTypes[candidate]));
  throw new ApiFailure(415, "UnsupportedMediaType", "415: Unsupported Media Type", { details: {} });
}

/** Throws 400 for a body that is no patch of its kind. */
export function parsePatch(
  body: Buffer,
  kind: PatchKind,
  isForced: boolean,
): { readonly patch: PatchBody; readonly problems: DecodingProblems } {
  const text = body.toString("utf8");
  const refuse = (reason: string): Error => badRequest(`error decoding patch: ${reason}`);
  switch (kind) {
    case "json": {
      const { value, problems } = parseJson(text, refuse);
      const single = problems.single.map((problem) => `json patch ${problem}`);
      return { patch: { kind, operations: value }, problems: { single, joined: single } };
    }
    case "merge":
    case "strategic": {
      const { value, problems } = parseJson(text, refuse);
      return { patch: { kind, patch: value }, problems };
    }
    case "apply":
      return parseApply(text, isForced);
  }
}

function parseApply(
  text: string,
  isForced: boolean,
): { readonly patch: PatchBody; readonly problems: DecodingProblems } {
  const refuse = (reason: string): Error => badRequest(`error decoding YAML: error converting YAML to JSON: ${reason}`);
  const { value, problems } = parseYaml(text, refuse);
  if (value !== null && !isJsonObject(value)) {
    const reason = `json: cannot unmarshal ${goTypeOf(value)} into Go value of type map[string]interface {}`;
    throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${reason}`);
  }
  return { patch: { kind: "apply", object: objectOfPatch(value ?? {}), isForced }, problems };
}
