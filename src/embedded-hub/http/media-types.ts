import { ApiFailure } from "../failures/api-failure.ts";

export type Encoding = "json" | "yaml" | "protobuf";

export interface OutputForm {
  readonly encoding: Encoding;
  /** Another shape than the kind's own, as `as=` asks for. */
  readonly as?: "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList";
  /** Version of meta.k8s.io for `as`. */
  readonly version?: string;
}

export const mediaTypes: Readonly<Record<Encoding, string>> = {
  json: "application/json",
  yaml: "application/yaml",
  protobuf: "application/vnd.kubernetes.protobuf",
};

const encodings: readonly Encoding[] = ["json", "yaml", "protobuf"];
const shapes = ["Table", "PartialObjectMetadata", "PartialObjectMetadataList"] as const;

const streamTypes = ["application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"];

interface Clause {
  readonly type: string;
  readonly subtype: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

export interface AcceptOptions {
  /** What the endpoint can write; default all. */
  readonly encodings?: readonly Encoding[];
  /** In which the shapes of `as=` can be written. Default none: clauses with `as=` are passed over. */
  readonly shapeEncodings?: readonly Encoding[];
  /** Default true. */
  readonly hasTable?: boolean;
  /** Built-in kinds are refused in other words. Default false. */
  readonly listsStreams?: boolean;
}

/**
 * The best form that the client accepts and the hub can make; throws 406 when there is none.
 * Source: k8s.io/apiserver, endpoints/handlers/negotiation.
 */
export function negotiateOutput(accept: string | undefined, options: AcceptOptions = {}): OutputForm {
  const { encodings: offered = encodings, shapeEncodings = [] } = options;
  if (accept === undefined || accept.trim() === "") return { encoding: "json" };
  for (const clause of parseAccept(accept)) {
    const as = clause.parameters.get("as");
    const candidates = as === undefined ? offered : shapeEncodings;
    const encoding = candidates.find((candidate) => matches(clause, mediaTypes[candidate]));
    if (encoding === undefined) continue;
    if (as === "Table" && options.hasTable === false) continue;
    const form = as === undefined ? { encoding } : shapeOf(clause, as, encoding);
    if (form !== undefined) return form;
  }
  if (options.listsStreams === true) {
    const types = [...offered.map((encoding) => mediaTypes[encoding]), ...streamTypes].join(", ");
    const message = `406: Not Acceptable\n\nAvailable representations: ${types}`;
    throw new ApiFailure(406, "NotAcceptable", message, { details: {} });
  }
  const accepted = offered.map((encoding) => mediaTypes[encoding]).join(", ");
  throw new ApiFailure(406, "NotAcceptable", `only the following media types are accepted: ${accepted}`);
}

/** Which form of an OpenAPI document the client likes best; throws 406 when it accepts none of them. */
export function negotiateDocument(accept: string | undefined, protobufTypes: readonly string[]): "json" | "protobuf" {
  if (accept === undefined || accept.trim() === "") return "json";
  for (const clause of parseAccept(accept)) {
    if (matches(clause, mediaTypes.json)) return "json";
    if (protobufTypes.some((type) => matches(clause, type))) return "protobuf";
  }
  const accepted = [mediaTypes.json, ...protobufTypes].join(", ");
  throw new ApiFailure(406, "NotAcceptable", `only the following media types are accepted: ${accepted}`);
}

function shapeOf(clause: Clause, as: string, encoding: Encoding): OutputForm | undefined {
  const shape = shapes.find((candidate) => candidate === as);
  const version = clause.parameters.get("v") ?? "";
  const isKnown = clause.parameters.get("g") === "meta.k8s.io" && (version === "v1" || version === "v1beta1");
  if (shape === undefined || !isKnown) return undefined;
  if (shape === "Table" && encoding === "protobuf") return undefined;
  return { encoding, as: shape, version };
}

/** The media type of a body, without parameters, in lower case. */
export function contentTypeOf(header: string | undefined): string {
  return (header ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

/** The encoding of a request's body; an absent type is JSON. Throws 415. */
export function negotiateInput(header: string | undefined): Encoding {
  const type = contentTypeOf(header);
  if (type === "") return "json";
  const encoding = encodings.find((candidate) => mediaTypes[candidate] === type);
  if (encoding !== undefined) return encoding;
  throw unsupportedMediaType(encodings.map((candidate) => mediaTypes[candidate]));
}

export function unsupportedMediaType(accepted: readonly string[]): ApiFailure {
  return new ApiFailure(
    415,
    "UnsupportedMediaType",
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`,
  );
}

function matches({ type, subtype }: Clause, mediaType: string): boolean {
  const [offeredType = "", offeredSubtype = ""] = mediaType.split("/");
  return (type === "*" || type === offeredType) && (subtype === "*" || subtype === offeredSubtype);
}

function parseAccept(header: string): Clause[] {
  return header
    .split(",")
    .map(parseClause)
    .sort((a, b) => b.quality - a.quality);
}

function parseClause(text: string): Clause {
  const [range = "", ...rest] = text.split(";").map((part) => part.trim());
  const [type = "", subtype = ""] = range.toLowerCase().split("/");
  const parameters = new Map<string, string>();
  for (const parameter of rest) {
    const equals = parameter.indexOf("=");
    if (equals > 0) parameters.set(parameter.slice(0, equals).trim(), parameter.slice(equals + 1).trim());
  }
  const quality = Number(parameters.get("q") ?? "1");
  return {
    type,
    subtype: type === "*" && subtype === "" ? "*" : subtype,
    parameters,
    quality: Number.isNaN(quality) ? 0 : quality,
  };
}
