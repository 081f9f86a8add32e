import type { FakeComment } from "../../support/forge/forge-state.ts";
import { daemonUserId } from "./simulated-forge.ts";

/** What a comment of the daemon lists, read by its text: names of clusters. */
export interface ReadPlan {
  readonly base: string;
  readonly head: string;
  readonly isVoid: boolean;
  readonly removed: ReadonlySet<string>;
  readonly withheld: ReadonlySet<string>;
  /** Of the withheld ones, those that wait for `rollcall resume` only. */
  readonly leavesOnceResumed: ReadonlySet<string>;
  /** What waits on the base already. */
  readonly waiting: ReadonlySet<string>;
  readonly created: ReadonlySet<string>;
  readonly changed: ReadonlySet<string>;
}

const marker = /^<!-- rollcall:plan repository=rollcall-system\.fleet base=(\w+) head=(\w+)( void)? -->/u;

/** The plan in a comment; undefined of any other comment. */
export function readPlan({ authorId, body: encoded }: FakeComment): ReadPlan | undefined {
  const body = encoded.replaceAll(/&#(\d+);/gu, (_, code: string) => String.fromCodePoint(Number(code)));
  const [, base, head, isVoid] = marker.exec(body) ?? [];
  if (authorId !== daemonUserId || base === undefined || head === undefined) return undefined;
  // Between its title and the next one.
  const section = (title: string): string =>
    new RegExp(`${title}[^]*?(?=\\n###|\\n> \\[!|$)`, "u").exec(body)?.[0] ?? "";
  const withheld = section("withheld, and will not happen");
  return {
    base,
    head,
    isVoid: isVoid !== undefined,
    removed: clustersIn(section("This removes")),
    withheld: clustersIn(withheld),
    leavesOnceResumed: clustersIn(linesWith(withheld, /it leaves after rollcall resume/u)),
    waiting: namesIn(section("### Removals that wait on the base")),
    created: clustersIn(section("### Creates ")),
    changed: clustersIn(section("### Changes ")),
  };
}

/** Names in lines that are of clusters: one or several of a line. */
function clustersIn(text: string): ReadonlySet<string> {
  return namesIn(linesWith(text, /^(?:> )?- \*\*(?:Cluster|\d+ clusters?)\*\*/u));
}

function linesWith(text: string, what: RegExp): string {
  return text
    .split("\n")
    .filter((line) => what.test(line))
    .join("\n");
}

function namesIn(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(/<code>fleet\/([\w.-]+)<\/code>/gu)].map(([, name = ""]) => name));
}
