import type { IncomingMessage } from "node:http";

export const forgeToken = "t0ken-of-the-forge";
export const forgeRepository = "acme/fleet";
export const commitA = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
export const commitB = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

export interface FakeStatus {
  readonly id: number;
  readonly commit: string;
  readonly context: string;
  readonly state: string;
  readonly description: string;
  readonly targetUrl: string | null;
}

export interface FakePull {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly head: string;
  readonly headCommit: string;
  readonly base: string;
  readonly isOpen: boolean;
  readonly isDraft: boolean;
  /** The repository of the head; null when it was deleted. */
  readonly headRepositoryId: number | null;
}

export interface FakeComment {
  readonly id: number;
  readonly pull: number;
  readonly authorId: number;
  readonly authorType: "User" | "Bot";
  readonly isSystem: boolean;
  /** Gitea: a comment on a line of the change. */
  readonly isOnCode?: boolean;
  body: string;
}

export interface FakeDeployKey {
  readonly id: number;
  readonly title: string;
  readonly key: string;
  readonly isWriter: boolean;
}

/** What the server knows; tests may change it. */
export interface ForgeState {
  statuses: FakeStatus[];
  pulls: FakePull[];
  comments: FakeComment[];
  /** Whom the token belongs to; undefined: an app, which is no user. */
  userId: number | undefined;
  nextId: number;
  readonly commits: string[];
  /** Settings of the repository, as its API answers them. */
  repositorySettings: Readonly<Record<string, unknown>>;
  /** Commits of every pull request, oldest first. */
  pullCommits: readonly { readonly message: string; readonly email: string }[];
  /** Branches that were pushed, with their heads. */
  readonly branches: Map<string, string>;
  /** Whether there is the repository. */
  isThere: boolean;
  /** The token may not see the repository. */
  isHidden: boolean;
  /** What the repository was called (`owner/name`) before it was renamed; undefined: it never was. */
  formerName: string | undefined;
  deployKeys: FakeDeployKey[];
  /** A page has no more items, however many are asked for. */
  mostPerPage: number;
}

/** Of a repository that has these commits, whose main is the first. */
export function createForgeState(commits: readonly string[]): ForgeState {
  return {
    statuses: [],
    pulls: [],
    comments: [],
    userId: 7,
    nextId: 100,
    repositorySettings: {},
    pullCommits: [],
    commits: [...commits],
    branches: new Map([["main", commits[0] ?? ""]]),
    isThere: true,
    isHidden: false,
    formerName: undefined,
    deployKeys: [],
    mostPerPage: 100,
  };
}

export interface ForgeCall {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface RouteRequest {
  readonly state: ForgeState;
  readonly params: readonly string[];
  readonly query: URLSearchParams;
  readonly body: Record<string, unknown>;
  readonly origin: string;
}

export interface RouteAnswer {
  readonly status: number;
  readonly json?: unknown;
  readonly headers?: Record<string, string>;
}

export interface Route {
  readonly method: string;
  /** Of the whole path; its groups are the parameters. */
  readonly path: RegExp;
  readonly answer: (request: RouteRequest) => RouteAnswer;
  /** True when its path begins at the server's root. Default: below the prefix. */
  readonly isBesidePrefix?: boolean;
}

export interface ForgeRoutes {
  readonly prefix: string;
  /** True when the request carries the token as the forge wants it. */
  readonly isAuthorized: (headers: IncomingMessage["headers"]) => boolean;
  readonly unauthorized: unknown;
  readonly notFound: unknown;
  /** How a write is answered that names a repository as it was called before. */
  readonly statusOfMovedWrites: 301 | 307;
  readonly routes: readonly Route[];
}

/** A page of a list, and the Link header that goes with it (whose addresses a client must not need). */
export function pageOf<T>(
  items: readonly T[],
  query: URLSearchParams,
  sizeName: string,
): { page: T[]; headers: Record<string, string> } {
  const size = Math.min(100, Number(query.get(sizeName) ?? 30));
  const number = Number(query.get("page") ?? 1);
  const isMore = items.length > number * size;
  const link = `<https://evil.example.com/next?page=${number + 1}>; rel="next", <https://evil.example.com/last>; rel="last"`;
  return { page: items.slice((number - 1) * size, number * size), headers: isMore ? { link } : {} };
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
