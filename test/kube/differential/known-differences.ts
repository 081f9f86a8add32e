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
];

function bothSay(embedded: Answer, real: Answer, words: string): boolean {
  return [embedded, real].every(({ body }) => textAt(body, "message")?.includes(words) === true);
}
