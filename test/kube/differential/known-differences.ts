import type { Json } from "../../../src/core/json.ts";
import { isJsonObject } from "../../../src/core/json.ts";
import { textAt } from "../../../src/core/read-json.ts";
import type { Answer, Request } from "./replay.ts";

export interface KnownDifference {
  readonly reason: string;
  readonly isIt: (request: Request, embedded: Answer, real: Answer) => boolean;
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
    reason: "kube-apiserver names several faults of a custom object in the random order of a Go map.",
    isIt: (_request, embedded, real) =>
      embedded.code === 422 && JSON.stringify(unordered(embedded)) === JSON.stringify(unordered(real)),
  },
];

/** A refusal with the parts of its message in order. */
function unordered({ code, warnings, body }: Answer): Json {
  const { message, ...rest } = isJsonObject(body) ? body : {};
  const parts = (typeof message === "string" ? message : "").replace(/: \[(.*)\]$/u, ", $1").split(", ");
  return [code, [...warnings], rest, parts.sort()];
}

function bothSay(embedded: Answer, real: Answer, words: string): boolean {
  return [embedded, real].every(({ body }) => textAt(body, "message")?.includes(words) === true);
}
