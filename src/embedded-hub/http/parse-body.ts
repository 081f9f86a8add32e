import { parseJsonWithLiterals } from "../../core/exact-json.ts";
import { isJsonObject } from "../../core/json.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { apiVersionOf } from "../../model/kubernetes.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { decodeKubeObject } from "../protobuf/kube-protobuf.ts";
import { ApiFailure } from "../failures/api-failure.ts";
import { findSurrogateEscape, wellFormed } from "../../core/well-formed.ts";
import { goText } from "../../core/formats/go-format.ts";
import { badRequest, tooLarge } from "../failures/failures.ts";
import type { ProblemPlaces } from "../operations/operations.ts";
import { goTypeOf, typeMetaFault, typeMetaFields } from "../metadata/type-meta.ts";
import { checkObjectBounds } from "../verbs/object-bounds.ts";
import { checkJsonBounds } from "./body-bounds.ts";
import { findDuplicateKeys, findKeys } from "./duplicate-keys.ts";
import { deepestJsonLevel, describeJsonError } from "../../core/go-json-error.ts";
import type { Encoding } from "./media-types.ts";
import { readYamlText } from "./parse-yaml.ts";
import type { YamlOutcome } from "./parse-yaml.ts";

/** What decoding needs of a body besides its value: keys that occur twice, to which strict decoding objects, and numbers. */
export interface DecodingProblems {
  /** One text for each. */
  readonly single: readonly string[];
  /** The same as a refusal has it. */
  readonly joined: readonly string[];
  /** Where they are, when the body is JSON. */
  readonly places?: ProblemPlaces;
  /** Numbers that are written in another way than their value is, by path, when the body is JSON. */
  readonly literals?: ReadonlyMap<string, string>;
}

export interface Parsed {
  readonly value: Json;
  readonly problems: DecodingProblems;
}

export const noProblems: DecodingProblems = { single: [], joined: [] };

/** What a YAML text is; it may be read by another thread. */
export type ReadYaml = (text: string) => YamlOutcome | Promise<YamlOutcome>;

export interface BodyForm {
  readonly encoding: Encoding;
  readonly expected: KindName;
  /** Default: on this thread. */
  readonly readYaml?: ReadYaml;
  /** What is thrown for a body that cannot be read. Default: 400 that names the kind and shows how the body begins. */
  readonly refuse?: (reason: string) => Error;
}

export interface KindName {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The object in a body; throws 400 with the reason. `expected` names the kind for the message. */
export async function parseBody(
  body: Buffer,
  { encoding, expected, readYaml, refuse = (reason) => unrecognized(body, expected, reason) }: BodyForm,
): Promise<{ readonly value: JsonObject; readonly problems: DecodingProblems }> {
  if (encoding === "protobuf") return { value: parseProtobuf(body, expected, refuse), problems: noProblems };
  const text = body.toString("utf8");
  const refuseJson = (reason: string): Error => refuse(`couldn't get version/kind; json parse error: ${reason}`);
  const { value, problems } =
    encoding === "yaml" ? await parseYaml(text, refuse, readYaml) : parseJson(text, refuseJson);
  if (isJsonObject(value)) {
    const fault = typeMetaFault(value);
    if (fault !== undefined) throw refuseJson(fault);
    const { apiVersion } = value;
    if (typeof apiVersion === "string" && apiVersion.split("/").length > 2) {
      throw refuse(`unexpected GroupVersion string: ${apiVersion}`);
    }
    return { value: withoutNullType(value), problems };
  }
  if (value === null) return { value: {}, problems };
  throw refuseJson(`json: cannot unmarshal ${goTypeOf(value)} into Go value of type ${goTypeMeta}`);
}

/** To Go, null means an absent field. */
function withoutNullType(value: JsonObject): JsonObject {
  if (typeMetaFields.every((key) => value[key] !== null)) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([key, one]) => !typeMetaFields.includes(key) || one !== null),
  );
}

/** The object of a create or update of a custom kind, which has to name its kind; throws 400, which shows the body. */
export function customObjectOfBody(value: JsonObject, expected: KindName, body: Buffer): KubeObject {
  const { kind, apiVersion } = value;
  if (typeof kind !== "string" || kind === "") {
    throw unrecognized(body, expected, `Object 'Kind' is missing in '${body.toString("utf8")}'`);
  }
  return withMetadata({ ...value, apiVersion: typeof apiVersion === "string" ? apiVersion : "" }, expected);
}

/** The object of a create or update; it is of the endpoint's kind when it names none. */
export function objectOfBody(value: JsonObject, expected: KindName): KubeObject {
  return withMetadata({ apiVersion: apiVersionOf(expected), kind: expected.kind, ...value }, expected);
}

/** The intent of an apply, which has to name its kind. */
export function objectOfPatch(value: JsonObject): KubeObject {
  const { kind, apiVersion, metadata = {} } = value;
  if (metadata !== null && !isJsonObject(metadata)) {
    const group =
      typeof apiVersion === "string" && !apiVersion.includes("/") ? `/${apiVersion}` : goText(apiVersion ?? "");
    const type = `${group}, Kind=${goText(kind ?? "")}`;
    const reason = `.metadata: expected map, got &{${goText(metadata)}}`;
    throw new ApiFailure(500, "", `failed to create typed patch object (/; ${type}): ${reason}`);
  }
  return withMetadata(value, { version: "", kind: "" });
}

/** Throws `refuse` for what is no JSON, 413 for what has too many values or levels. */
export function parseJson(text: string, refuse: (reason: string) => Error): Parsed {
  const parsed = parseIfJson(text);
  if (parsed === undefined) throw refuse(describeJsonError(text));
  return parsed;
}

/** Undefined for what is no JSON; throws 413 for what has too many values or levels. */
function parseIfJson(text: string): Parsed | undefined {
  if (!checkJsonBounds(text, deepestJsonLevel)) return undefined;
  try {
    const { value: read, literals } = parseJsonWithLiterals(text);
    const value = findSurrogateEscape(text) === undefined ? read : wellFormed(read);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) checkObjectBounds(value);
    const duplicates = findDuplicateKeys(text, deepestJsonLevel);
    if (duplicates === undefined) return undefined;
    const numbers = literals === undefined ? {} : { literals };
    if (duplicates.size === 0) return { value, problems: { ...noProblems, ...numbers } };
    const single = [...duplicates.keys()].map((path) => `duplicate field ${JSON.stringify(path)}`);
    let keys: ReadonlyMap<string, number> | undefined;
    const places: ProblemPlaces = {
      ofProblems: [...duplicates.values()],
      ofField: (path) => (keys ??= findKeys(text, deepestJsonLevel)).get(path) ?? text.length,
    };
    return { value, problems: { single, joined: single, places, ...numbers } };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

/** Throws `refuse` for what is no YAML, 413 for what has too many values or levels. */
export async function parseYaml(
  text: string,
  refuse: (reason: string) => Error,
  readYaml: ReadYaml = readYamlText,
): Promise<Parsed> {
  // JSON is YAML, and nearly every body is JSON: its parser is ten times faster. What is no JSON may be YAML in flow style.
  const json = text.trimStart().startsWith("{") ? parseIfJson(text) : undefined;
  // Unlike JSON, YAML escapes no character in two halves.
  const surrogateAt = json === undefined ? undefined : findSurrogateEscape(text);
  if (surrogateAt !== undefined)
    throw refuse(`yaml: ${lineOf(text, surrogateAt)}found invalid Unicode character escape code`);
  // A number like 1.0 or 1e400 means something else in YAML.
  if (json?.problems.single.length === 0 && json.problems.literals === undefined) return json;
  const outcome = await readYaml(text);
  if (outcome.kind === "malformed") throw refuse(outcome.reason);
  if (outcome.kind === "too large") throw tooLarge(outcome.message);
  const { value, duplicates } = outcome;
  if (duplicates.length === 0) return { value, problems: noProblems };
  const joined = `yaml: unmarshal errors:\n${duplicates.map((duplicate) => `  ${duplicate}`).join("\n")}`;
  return { value, problems: { single: duplicates, joined: [joined] } };
}

function unrecognized(body: Buffer, { kind }: KindName, reason: string): Error {
  return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${reason} (${sampleOf(body)})`);
}

/** As Go's parser of YAML names a line: not the first one. */
function lineOf(text: string, at: number): string {
  const line = text.slice(0, at).split("\n").length;
  return line === 1 ? "" : `line ${line}: `;
}

/** The beginning of a body, for messages: as text when it may be JSON, else in hex. */
function sampleOf(body: Buffer): string {
  if (body.length === 0) return "<empty>";
  const start = body.subarray(0, 30);
  const sample = start.toString(start[0] === 0x7b ? "utf8" : "hex");
  return body.length > 30 ? `${sample} ...` : sample;
}

function parseProtobuf(body: Buffer, expected: KindName, refuse: (reason: string) => Error): JsonObject {
  const { kind } = expected;
  const decoded = decodeKubeObject(body, { apiVersion: apiVersionOf(expected), kind });
  switch (decoded.kind) {
    case "object":
      return decoded.object;
    case "malformed":
      throw refuse(decoded.message);
    case "unknownKind": {
      const { objectKind, apiVersion: found } = decoded;
      const reason = `no kind ${JSON.stringify(objectKind)} is registered for version ${JSON.stringify(found)}`;
      throw badRequest(`${objectKind} in version ${JSON.stringify(found)} cannot be handled as a ${kind}: ${reason}`);
    }
  }
}

const goTypeMeta =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** Throws 400 for metadata that is no object. */
function withMetadata(value: JsonObject, { version, kind }: Pick<KindName, "version" | "kind">): KubeObject {
  const { metadata } = value;
  if (metadata !== undefined && metadata !== null && !isJsonObject(metadata)) {
    const reason = `json: cannot unmarshal ${goTypeOf(metadata)} into Go struct field ${kind}.metadata of type v1.ObjectMeta`;
    throw badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${reason}`);
  }
  return { ...value, metadata: metadata ?? {} } as unknown as KubeObject;
}
