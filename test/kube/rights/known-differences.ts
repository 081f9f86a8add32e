import { textAt } from "../../../src/core/read-json.ts";
import type { MatrixRequest } from "./make-request.ts";
import type { MatrixAnswer } from "./matrix-hub.ts";

/** Undefined when both hubs decide the same; else one line that says what and how. */
export function matrixDifference(request: MatrixRequest, ours: MatrixAnswer, theirs: MatrixAnswer): string | undefined {
  const line = `${request.account} ${request.method} ${request.target}`;
  const [our, their] = [classOf(ours.code), classOf(theirs.code)];
  if (our !== their) {
    if (known.some(({ isIt }) => isIt(request, ours, theirs))) return undefined;
    return `${line}: ${ours.code}, not ${theirs.code}: ${shorten(ours)} <> ${shorten(theirs)}`;
  }
  // Go shows bytes that are no text, and control characters, in its own escapes.
  if (our !== "403" || /%(?:00|ff)/u.test(request.target)) return undefined;
  const [ourText, theirText] = [messageOf(ours), messageOf(theirs)];
  return ourText === theirText ? undefined : `${line}: ${ourText}, not ${theirText}`;
}

interface KnownDifference {
  readonly reason: string;
  readonly isIt: (request: MatrixRequest, ours: MatrixAnswer, theirs: MatrixAnswer) => boolean;
}

const known: readonly KnownDifference[] = [
  {
    reason:
      "A path that ends at its verb (/api/v1/watch) is 500 in kube-apiserver; nothing that a client sends is here.",
    isIt: (_request, ours, theirs) => ours.code === 400 && theirs.code === 500,
  },
  {
    reason: "A malformed URL breaks the stream of kube-apiserver; here it is answered.",
    isIt: (_request, ours, theirs) => ours.code === 400 && theirs.code === 0,
  },
];

/** Refusals by their code, for what the code says of rights and routes; the others of a client's fault are one. */
function classOf(code: number): string {
  if (code >= 200 && code < 300) return "2xx";
  return [401, 403, 404, 405].includes(code) || code < 400 || code >= 500 ? String(code) : "4xx";
}

function shorten(answer: MatrixAnswer): string {
  return messageOf(answer).replaceAll(/\s+/gu, " ").slice(0, 80);
}

function messageOf({ text }: MatrixAnswer): string {
  try {
    return textAt(JSON.parse(text), "message") ?? text;
  } catch {
    return text;
  }
}
