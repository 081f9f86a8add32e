import type { Json } from "../../../src/core/json.ts";
import { isJsonObject } from "../../../src/core/json.ts";
import { objectAt, objectsAt, textAt, valueAt } from "../../../src/core/read-json.ts";
import type { Answer, Request } from "./replay.ts";
import { inKeyOrder } from "./replay.ts";

export interface KnownDifference {
  readonly reason: string;
  readonly isIt: (request: Request, embedded: Answer, real: Answer) => boolean;
  /** The two objects have different versions, from then on. Default false. */
  readonly isOfVersion?: boolean;
}

/** Where the two hubs answer differently and may. Every other difference fails the test. */
export const knownDifferences: readonly KnownDifference[] = [
  {
    reason:
      "A patch that gives an object of another type is refused with the object in the message; the order of keys in " +
      "that text is that of kube-apiserver's memory.",
    isIt: ({ method }, embedded, real) =>
      method === "PATCH" && embedded.code === real.code && bothSay(embedded, real, "patch: Invalid value: "),
  },
  {
    reason:
      "Of several faults of an apply kube-apiserver names those that it finds before the first unknown field, in the " +
      "random order of a Go map; the embedded hub names all.",
    isIt: (_request, embedded, real) =>
      embedded.code === real.code && bothSay(embedded, real, "failed to create typed patch object"),
  },
  {
    reason: "The embedded hub warns of what it stores without effect.",
    isIt: (_request, embedded, real) => {
      const warnings = embedded.warnings.filter((text) => !text.includes("this hub has no controller"));
      return (
        warnings.length < embedded.warnings.length &&
        JSON.stringify(inKeyOrder({ ...embedded, warnings })) === JSON.stringify(inKeyOrder({ ...real }))
      );
    },
  },
  {
    reason: "kube-apiserver names several faults of a custom object in the random order of a Go map.",
    isIt: (_request, embedded, real) =>
      embedded.code === 422 && JSON.stringify(unordered(embedded)) === JSON.stringify(unordered(real)),
  },
  {
    reason:
      "An apply that takes the last label or annotation from under a manager of the whole map leaves null in what kube-apiserver " +
      "stores of a custom object. No client sees it, but the next write that changes nothing is stored: it takes the null away.",
    isOfVersion: true,
    isIt: (_request, embedded, real) =>
      hasManagedEmptyMap(embedded.body) &&
      JSON.stringify(withoutRewrites(embedded.body)) === JSON.stringify(withoutRewrites(real.body)),
  },
];

/** A manager owns `labels` or `annotations` as a whole, and there are none. */
function hasManagedEmptyMap(body: Json): boolean {
  if (Array.isArray(body))
    return (body as readonly Json[]).some((event) => hasManagedEmptyMap(objectAt(event, "object") ?? null));
  return ["labels", "annotations"].some(
    (name) =>
      valueAt(body, "metadata", name) === undefined &&
      objectsAt(body, "metadata", "managedFields").some(
        (entry) => valueAt(entry, "fieldsV1", "f:metadata", `f:${name}`) !== undefined,
      ),
  );
}

/** Without versions, and of a watch without events that repeat the one before of the same object. */
function withoutRewrites(body: Json): Json {
  if (!Array.isArray(body)) return withoutVersion(body);
  const last = new Map<string, string>();
  return (body as readonly Json[]).map(withoutVersion).filter((event) => {
    const uid = textAt(event, "object", "metadata", "uid") ?? "";
    const text = JSON.stringify(objectAt(event, "object") ?? null);
    const isRepeated = last.get(uid) === text && textAt(event, "type") === "MODIFIED";
    last.set(uid, text);
    return !isRepeated;
  });
}

function withoutVersion(value: Json): Json {
  return JSON.parse(JSON.stringify(inKeyOrder(value)).replaceAll(/"resourceVersion":"[^"]*",?/gu, "")) as Json;
}

/** A refusal with the parts of its message in order. */
function unordered({ code, warnings, body }: Answer): Json {
  const { message, ...rest } = isJsonObject(body) ? body : {};
  const parts = (typeof message === "string" ? message : "").replace(/: \[(.*)\]$/u, ", $1").split(", ");
  return [code, [...warnings], rest, parts.sort()];
}

function bothSay(embedded: Answer, real: Answer, words: string): boolean {
  return [embedded, real].every(({ body }) => textAt(body, "message")?.includes(words) === true);
}
