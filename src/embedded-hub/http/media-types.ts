import { ApiFailure } from "../failures/api-failure.ts";
import type { AcceptClause } from "./accept-clauses.ts";
import { covers, namesOneOf, parseAccept } from "./accept-clauses.ts";

export type Encoding = "json" | "yaml" | "protobuf";

export interface OutputForm {
  readonly encoding: Encoding;
  /** The client asked for lines (`pretty=1`); only failures have them. */
  readonly isInLines?: boolean;
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

/** What the REST framework of kube-apiserver writes for one object, and for a list that may be a watch. */
export const objectTypes: readonly string[] = encodings.map((encoding) => mediaTypes[encoding]);
export const collectionTypes: readonly string[] = [
  ...objectTypes,
  `${mediaTypes.json};stream=watch`,
  `${mediaTypes.protobuf};stream=watch`,
];

export interface AcceptOptions {
  /** What the endpoint can write without `as=`; default all. */
  readonly encodings?: readonly Encoding[];
  /** Whether it can write the shapes of `as=`. Default false: clauses with `as=` are passed over. */
  readonly hasShapes?: boolean;
  /** Whether a Table is one of them. Default true. */
  readonly hasTable?: boolean;
}

/**
 * Throws 406 when the client names none of the types, and does not accept everything. kube-apiserver asks this where its
 * REST framework serves, before {@link negotiateOutput}.
 */
export function checkAccepted(accept: string | undefined, produced: readonly string[]): void {
  if (accept === undefined || accept === "" || namesOneOf(accept, produced)) return;
  const message = `406: Not Acceptable\n\nAvailable representations: ${produced.join(", ")}`;
  throw new ApiFailure(406, "NotAcceptable", message, { details: {} });
}

/**
 * The best form that the client accepts and the hub can make; throws 406 when there is none.
 * Source: k8s.io/apiserver, endpoints/handlers/negotiation.
 */
export function negotiateOutput(accept: string | undefined, options: AcceptOptions = {}): OutputForm {
  const form = findForm(accept, options);
  if (form !== undefined) return form;
  const message = `only the following media types are accepted: ${objectTypes.join(", ")}`;
  throw new ApiFailure(406, "NotAcceptable", message);
}

/** How a failure is written: where the client accepts nothing that there is, as JSON in lines. */
export function negotiateFailure(accept: string | undefined): Encoding | "jsonInLines" {
  const form = findForm(accept, {});
  if (form === undefined) return "jsonInLines";
  return form.isInLines === true && form.encoding === "json" ? "jsonInLines" : form.encoding;
}

/** Which form of an OpenAPI document the client likes best; undefined when it accepts none of them. */
export function negotiateDocument(
  accept: string | undefined,
  protobufTypes: readonly string[],
): "json" | "protobuf" | undefined {
  if (accept === undefined || accept === "") return "json";
  for (const clause of parseAccept(accept)) {
    if (coversDocument(clause, mediaTypes.json)) return "json";
    if (protobufTypes.some((type) => coversDocument(clause, type))) return "protobuf";
  }
  return undefined;
}

/** Documents are served by another library, which accepts any type with a subtype. */
function coversDocument(clause: AcceptClause, mediaType: string): boolean {
  const type = clause.type === "*" ? (mediaType.split("/")[0] ?? "") : clause.type;
  return covers({ ...clause, type }, mediaType);
}

function findForm(accept: string | undefined, options: AcceptOptions): OutputForm | undefined {
  if (accept === undefined || accept === "") return { encoding: "json" };
  for (const clause of parseAccept(accept)) {
    for (const encoding of encodings) {
      const form = covers(clause, mediaTypes[encoding]) ? formOf(clause, encoding, options) : undefined;
      if (form !== undefined) return form;
    }
  }
  return undefined;
}

function formOf(clause: AcceptClause, encoding: Encoding, options: AcceptOptions): OutputForm | undefined {
  const { encodings: offered = encodings, hasShapes = false, hasTable = true } = options;
  const { parameters } = clause;
  const stream = parameters.get("stream");
  if (stream !== undefined && (stream !== "watch" || encoding === "yaml")) return undefined;
  if (parameters.has("sv")) return undefined;
  const inLines = parameters.get("pretty") === "1" ? { isInLines: true } : {};
  if (!["as", "g", "v"].some((key) => parameters.has(key))) {
    return offered.includes(encoding) ? { encoding, ...inLines } : undefined;
  }
  const shape = shapes.find((candidate) => candidate === parameters.get("as"));
  const version = parameters.get("v") ?? "";
  const isKnown = parameters.get("g") === "meta.k8s.io" && (version === "v1" || version === "v1beta1");
  if (!hasShapes || shape === undefined || !isKnown) return undefined;
  if (shape === "Table" && (!hasTable || encoding === "protobuf")) return undefined;
  return { encoding, as: shape, version, ...inLines };
}

/** The media type of a body, without parameters, in lower case. */
export function contentTypeOf(header: string | undefined): string {
  return (header ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

/** The encoding of a request's body; an absent type is JSON. Throws 415. */
export function negotiateInput(header: string | undefined): Encoding {
  if (header === undefined || header === "") return "json";
  const type = isMediaType(header) ? contentTypeOf(header) : "";
  const encoding = encodings.find((candidate) => mediaTypes[candidate] === type);
  if (encoding !== undefined) return encoding;
  throw unsupportedMediaType(objectTypes);
}

/** Whether parameters have values, and each occurs once. Source: Go, mime.ParseMediaType. */
function isMediaType(header: string): boolean {
  const [, ...parameters] = header.replace(/; *$/u, "").split(";");
  const keys = parameters.map((parameter) => {
    const [key = "", value = ""] = parameter.split("=");
    return key.trim() === "" || value.trim() === "" ? undefined : key.trim().toLowerCase();
  });
  return !keys.includes(undefined) && new Set(keys).size === keys.length;
}

export function unsupportedMediaType(accepted: readonly string[]): ApiFailure {
  return new ApiFailure(
    415,
    "UnsupportedMediaType",
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`,
  );
}
