import { isJsonObject } from "../../core/json.ts";
import type { Json } from "../../core/json.ts";
import { textAt } from "../../core/read-json.ts";
import { ApiFailure } from "../failures/api-failure.ts";
import { badRequest } from "../failures/failures.ts";
import type { PatchBody } from "../operations/operations.ts";
import type { ResourceDefinition } from "../operations/resource-definition.ts";
import { goTypeOf } from "../metadata/type-meta.ts";
import { contentTypeOf, unsupportedMediaType } from "./media-types.ts";
import type { DecodingProblems, ReadYaml } from "./parse-body.ts";
import { objectOfPatch, parseJson, parseYaml } from "./parse-body.ts";

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

export interface PatchForm {
  readonly kind: PatchKind;
  readonly isForced: boolean;
  /** Default: on this thread. */
  readonly readYaml?: ReadYaml;
}

interface ParsedPatch {
  readonly patch: PatchBody;
  readonly problems: DecodingProblems;
}

/** Throws 400 for a body that is no patch of its kind. */
export async function parsePatch(body: Buffer, { kind, isForced, readYaml }: PatchForm): Promise<ParsedPatch> {
  const text = body.toString("utf8");
  const refuse = (reason: string): Error => badRequest(`error decoding patch: ${reason}`);
  switch (kind) {
    case "json": {
      const { value, problems } = parseJson(text, refuse);
      refuseInfinite(problems, (reason) => refuse(`${reason} Go struct field jsonPatchOp.value of type float64`));
      const single = problems.single.map((problem) => `json patch ${problem}`);
      const literals = literalsOfOperations(value, problems.literals);
      const numbers = literals === undefined ? {} : { literals };
      return { patch: { kind, operations: value }, problems: { single, joined: single, ...numbers } };
    }
    case "merge":
    case "strategic": {
      const { value, problems } = parseJson(text, refuse);
      const refuseNumber = kind === "merge" ? refuse : badRequest;
      refuseInfinite(problems, (reason) => refuseNumber(`${reason} Go value of type float64`));
      return { patch: { kind, patch: value }, problems };
    }
    case "apply":
      return parseApply(text, isForced, readYaml);
  }
}

/** Throws what `refuse` makes when a number is more than a float holds. */
function refuseInfinite({ literals }: DecodingProblems, refuse: (reason: string) => Error): void {
  for (const literal of literals?.values() ?? []) {
    if (!Number.isFinite(Number(literal))) throw refuse(`json: cannot unmarshal number ${literal} into`);
  }
}

/** Literals of the values of JSON patch operations, by their paths in the object. */
function literalsOfOperations(
  operations: Json,
  literals: ReadonlyMap<string, string> | undefined,
): ReadonlyMap<string, string> | undefined {
  if (literals === undefined || !Array.isArray(operations)) return undefined;
  const placed = [...literals].flatMap(([path, literal]): [string, string][] => {
    const [, index = "", rest = ""] = /^\[(\d+)\]\.value(.*)$/su.exec(path) ?? [];
    const pointer = textAt(operations, Number(index), "path");
    return index === "" || pointer === undefined ? [] : [[`${pathOfPointer(pointer)}${rest}`, literal]];
  });
  return new Map(placed);
}

/** `/spec/ports/0/port` as other paths are written: `spec.ports[0].port`. */
function pathOfPointer(pointer: string): string {
  const steps = pointer.split("/").slice(1);
  const path = steps.map((step) =>
    /^\d+$/u.test(step) ? `[${step}]` : `.${step.replaceAll("~1", "/").replaceAll("~0", "~")}`,
  );
  return path.join("").replace(/^\./u, "");
}

async function parseApply(text: string, isForced: boolean, readYaml: ReadYaml | undefined): Promise<ParsedPatch> {
  const refuse = (reason: string): Error => badRequest(`error decoding YAML: error converting YAML to JSON: ${reason}`);
  const { value, problems } = await parseYaml(text, refuse, readYaml);
  if (value !== null && !isJsonObject(value)) {
    const reason = `json: cannot unmarshal ${goTypeOf(value)} into Go value of type map[string]interface {}`;
    throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${reason}`);
  }
  return { patch: { kind: "apply", object: objectOfPatch(value ?? {}), isForced }, problems };
}
