import { textAt } from "../../../src/core/read-json.ts";
import type { MatrixRequest } from "./make-request.ts";
import type { MatrixAnswer } from "./matrix-hub.ts";

/** Undefined when both hubs decide the same; else one line that names what and how. */
export function matrixDifference(request: MatrixRequest, ours: MatrixAnswer, theirs: MatrixAnswer): string | undefined {
  const line = `${request.account} ${request.method} ${request.target}`;
  if (ours.isMissing === true || theirs.isMissing === true) {
    const [who, { text }] = ours.isMissing === true ? ["the embedded hub", ours] : ["kube-apiserver", theirs];
    return `${line}: no answer of ${who}: ${text}`;
  }
  const [our, their] = [classOf(ours.code), classOf(theirs.code)];
  if (our !== their) {
    if (known.some(({ isIt }) => isIt(request, ours, theirs))) return undefined;
    return `${line}: ${ours.code}, not ${theirs.code}: ${shorten(ours)} <> ${shorten(theirs)}`;
  }
  if (our !== "403") return undefined;
  // Bytes that are no UTF-8: kube-apiserver prints them, here they are U+FFFD, which matches no name and no rule.
  const [ourText, theirText] = [messageOf(ours), messageOf(theirs).replaceAll("\\xff", "\ufffd")];
  return ourText === theirText ? undefined : `${line}: ${ourText}, not ${theirText}`;
}

interface KnownDifference {
  readonly reason: string;
  readonly isIt: (request: MatrixRequest, ours: MatrixAnswer, theirs: MatrixAnswer) => boolean;
}

const known: readonly KnownDifference[] = [
  {
    reason:
      "Of a Pod without a namespace kube-apiserver says first that it has no account, this hub that it has no place.",
    isIt: ({ method }, ours, theirs) =>
      method === "POST" &&
      messageOf(ours) === "Namespace parameter required." &&
      messageOf(theirs).includes("error looking up service account /"),
  },
  {
    reason: "kube-apiserver answers 500 for a path that ends at its verb (/api/v1/watch), this hub 400.",
    isIt: ({ target }, ours, theirs) => ours.code === 400 && theirs.code === 500 && endsAtVerb(target),
  },
  {
    reason: "kube-apiserver answers 500 for a read of one object at a resourceVersion that is no number, this hub 400.",
    isIt: ({ method, target }, ours, theirs) =>
      ours.code === 400 &&
      theirs.code === 500 &&
      ["GET", "HEAD"].includes(method) &&
      /[?&]resourceVersion=x(?:&|$)/u.test(target),
  },
  {
    reason: "kube-apiserver breaks the stream of HTTP/2 for a malformed escape, this hub answers 400.",
    isIt: ({ target }, ours, theirs) =>
      ours.code === 400 && theirs.code === 0 && /%(?![0-9a-f]{2})/iu.test(target.split("?")[0] ?? ""),
  },
];

function endsAtVerb(target: string): boolean {
  return /^\/+(?:api\/[^/]*|apis\/[^/]*\/[^/]*)\/(?:watch|proxy)\/*$/u.test(decoded(target));
}

function decoded(target: string): string {
  return (target.split("?")[0] ?? "").replaceAll(/%([0-9a-f]{2})/giu, (_, hex: string) =>
    String.fromCharCode(parseInt(hex, 16)),
  );
}

/** Refusals by their code, for what the code means for rights and routes; the others of a client's fault are one. */
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
