import type { RawAnswer } from "../../support/raw-hub.ts";
import type { RawRequest } from "./make-raw-request.ts";

/** Undefined when both decide the same; else one line that names what and how. */
export function rawDifference(request: RawRequest, ours: RawAnswer, theirs: RawAnswer): string | undefined {
  const [our, their] = [classOf(ours), classOf(theirs)];
  if (our === their || known.some(({ isIt }) => isIt(request, ours, theirs))) return undefined;
  const [line = ""] = request.text.split("\n");
  return `${request.form}: ${JSON.stringify(line)}: ${our}, not ${their}: ${shorten(ours)} <> ${shorten(theirs)}`;
}

interface KnownDifference {
  readonly reason: string;
  readonly isIt: (request: RawRequest, ours: RawAnswer, theirs: RawAnswer) => boolean;
}

/** None of them decides on rights. */
const known: readonly KnownDifference[] = [
  {
    reason:
      "The parser of this hub refuses more: methods that nobody registered, other bytes, line ends, folded headers.",
    isIt: (_, ours) => [400, 417].includes(ours.code) && !ours.text.includes("{"),
  },
  {
    reason: "Node ends the connection of a CONNECT without an answer.",
    isIt: ({ text }, ours) => ours.code === 0 && text.startsWith("CONNECT "),
  },
  {
    reason: "The parser of this hub takes two spaces before the version for one.",
    isIt: ({ text }, _, theirs) => theirs.code === 400 && /^[^\n]* {2}HTTP\//u.test(text),
  },
  {
    reason: "Go answers `OPTIONS *` by itself, before anybody is asked who he is.",
    isIt: ({ text }, _, theirs) => theirs.code === 200 && text.startsWith("OPTIONS * "),
  },
  {
    reason: "This hub refuses a body beside an Upgrade, which it would not read.",
    isIt: ({ text }, ours) => ours.code === 400 && /^Upgrade: /mu.test(text) && ours.text.includes("another protocol"),
  },
  {
    reason: "This hub does not look at what is expected beside an Upgrade.",
    isIt: ({ text }, _, theirs) => theirs.code === 417 && /^Upgrade: /mu.test(text),
  },
  {
    reason: "kube-apiserver waits for the end of a chunked body that never comes before it answers.",
    isIt: (_, ours, theirs) => ours.code >= 400 && theirs.isMissing === true,
  },
  {
    reason: "kube-apiserver answers 500 for a path that ends at its verb (/api/v1/watch), this hub 400.",
    isIt: (_, ours, theirs) =>
      ours.code === 400 && theirs.code === 500 && ours.text.includes("unable to determine kind"),
  },
];

function classOf({ code, isMissing }: RawAnswer): string {
  if (isMissing === true) return "missing";
  if (code >= 200 && code < 300) return "2xx";
  if ([501, 505].includes(code)) return "4xx"; // A fault of the client's, too.
  return [401, 403, 404, 405].includes(code) || code < 400 || code >= 500 ? String(code) : "4xx";
}

function shorten({ text }: RawAnswer): string {
  return text.replaceAll(/\s+/gu, " ").slice(0, 100);
}
