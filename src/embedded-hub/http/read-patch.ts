import { describeJsonKind } from "../../core/formats/go-format.ts";
import { isJsonObject } from "../../core/json.ts";
import type { Json } from "../../core/json.ts";
import { textAt } from "../../core/read-json.ts";
import { ApiFailure } from "../failures/api-failure.ts";
import { badRequest } from "../failures/failures.ts";
import type { PatchBody } from "../operations/operations.ts";
import type { ResourceDefinition } from "../operations/resource-definition.ts";
import { goTypeOf } from "../metadata/type-meta.ts";
import { decodingProblems } from "../verbs/decoding-problems.ts";
import { checkPatchBounds } from "../verbs/object-bounds.ts";
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
  /** Fields are not checked (`fieldValidation=Ignore`): other decoders read the patch, with other messages. */
  readonly isUnchecked: boolean;
  /** Default: on this thread. */
  readonly readYaml?: ReadYaml;
}

interface ParsedPatch {
  readonly patch: PatchBody;
  readonly problems: DecodingProblems;
}

/** Throws 400 for a body that is no patch of its kind. Source: k8s.io/apiserver, endpoints/handlers/patch.go. */
export async function parsePatch(body: Buffer, form: PatchForm): Promise<ParsedPatch> {
  const { kind, isForced, isUnchecked, readYaml } = form;
  const text = body.toString("utf8");
  const refuse = refusalOf(form);
  switch (kind) {
    case "json": {
      const { value, problems } = parseJson(text, refuse);
      if (isUnchecked && value !== null && !Array.isArray(value)) {
        throw refuse(`json: cannot unmarshal ${describeJsonKind(value)} into Go value of type jsonpatch.Patch`);
      }
      checkPatchBounds({ kind, operations: value });
      refuseInfinite(problems, (reason) => refuse(`${reason} Go struct field jsonPatchOp.value of type float64`));
      const single = operationProblems(value, problems).map((problem) => `json patch ${problem}`);
      const literals = literalsOfOperations(value, problems.literals);
      const numbers = literals === undefined ? {} : { literals };
      return { patch: { kind, operations: value }, problems: { single, joined: single, ...numbers } };
    }
    case "merge":
    case "strategic": {
      const { value, problems } = parseJson(text, refuse);
      if (kind === "merge" && isUnchecked && (typeof value !== "object" || value === null)) throw refuse("no document");
      refuseInfinite(problems, (reason) => refuse(`${reason} Go value of type float64`));
      // Fields that occur twice are found in the patch, unknown ones only in what it makes of the object.
      const { places: _, ...unplaced } = problems;
      return { patch: { kind, patch: value }, problems: unplaced };
    }
    case "apply":
      return parseApply(text, isForced, readYaml);
  }
}

/** The libraries that read patches fail in different words. */
function refusalOf({ kind, isUnchecked }: PatchForm): (reason: string) => Error {
  if (kind === "strategic" || (kind === "json" && isUnchecked)) return badRequest;
  if (kind === "merge" && isUnchecked) return () => badRequest("Invalid JSON Patch");
  return (reason) => badRequest(`error decoding patch: ${reason}`);
}

const operationFields = ["op", "path", "from", "value"];

/** Fields of operations that occur twice or do not exist, in the order of the text. */
function operationProblems(operations: Json, { single, places }: DecodingProblems): readonly string[] {
  const unknown = (Array.isArray(operations) ? (operations as readonly Json[]) : []).flatMap((operation, index) =>
    Object.keys(isJsonObject(operation) ? operation : {})
      .filter((field) => !operationFields.includes(field))
      .map((field) => `[${index}].${field}`),
  );
  return decodingProblems({ decodingProblems: single, ...(places && { problemPlaces: places }) }, unknown);
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
  const paths = new Map<string, string | undefined>();
  const placed = [...literals].flatMap(([path, literal]): [string, string][] => {
    const [, index = "", rest = ""] = /^\[(\d+)\]\.value(.*)$/su.exec(path) ?? [];
    // Once for all values of an operation.
    if (!paths.has(index)) paths.set(index, pathOfPointer(textAt(operations, Number(index), "path")));
    const place = paths.get(index);
    return index === "" || place === undefined ? [] : [[`${place}${rest}`, literal]];
  });
  return new Map(placed);
}

/** `/spec/ports/0/port` as other paths are written: `spec.ports[0].port`. */
function pathOfPointer(pointer: string | undefined): string | undefined {
  if (pointer === undefined) return undefined;
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
