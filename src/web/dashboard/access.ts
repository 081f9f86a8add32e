import { AppError } from "../../core/errors.ts";
import type { Clock } from "../../core/clock.ts";
import type { JsonObject } from "../../core/json.ts";
import { compareNames } from "../../core/compare-names.ts";
import { createGate, passThrough } from "../../core/gate.ts";
import type { WebRequest } from "../web.ts";
import { CrowdError } from "./few-at-once.ts";
import { readTokenCookie } from "./token-cookie.ts";
import { ShortMemory } from "../../core/short-memory.ts";
import { createTokenReviews } from "./token-reviews.ts";
import { createTurnsOfUsers } from "./turns-of-users.ts";

/** A user as a Kubernetes API server identifies them, and what it needs to decide on their rights. */
export interface KubeUser {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  /** What else an authorizer knows of a credential, such as the scopes of a token. */
  readonly extra?: JsonObject;
}

/** Something of the hub that one may be allowed to see. */
export interface SeenResource {
  readonly verb: "get" | "list";
  readonly resource: "clusters" | "clusterregistrationtokens" | "repositories";
  /** Absent: in all namespaces. */
  readonly namespace?: string;
}

/** Who reads the page, and what they may see. */
export interface Viewer {
  readonly user: string | undefined;
  readonly canSeeFleet: boolean;
  readonly canSeeRepository: boolean;
  /** Workspaces that are seen. */
  readonly workspaces: readonly string[];
  canSee(workspace: string): boolean;
  /** The same for all who may see the same. */
  readonly sightKey: string;
}

export type Admission =
  | { readonly kind: "viewer"; readonly viewer: Viewer }
  | {
      readonly kind: "refused";
      readonly status: 401 | 403 | 503;
      /** `Failed`: too much is asked for already, and the hub was not asked. */
      readonly code: "SignIn" | "Forbidden" | "HubAway" | "Failed";
      readonly why: string;
      /** Another token may be accepted. */
      readonly takesToken?: boolean;
    };

export interface Access {
  readonly mode: "Open" | "Token" | "Proxy";
  /** Who makes this request. */
  admit(request: Pick<WebRequest, "headers" | "remoteAddress">): Promise<Admission>;
  /** Who a token belongs to; for signing in. */
  admitToken(token: string): Promise<Admission>;
}

export interface AccessOptions {
  readonly clock: Clock;
  readonly daemonNamespace: string;
  readonly workspaces: () => readonly string[];
  /** Asks the hub's TokenReview; undefined when it does not accept the token. */
  readonly reviewToken: (token: string) => Promise<KubeUser | undefined>;
  /** Asks the hub's SubjectAccessReview. */
  readonly isAllowed: (user: KubeUser, resource: SeenResource) => Promise<boolean>;
}

const foreignCookie =
  "Another page of this host set a cookie of this page's name. Delete the cookies of this host in your browser, or open the page by https.";
/** A revoked right stops working within this time. */
const rememberedMs = 15_000;
const mostRemembered = 1000;
/** Each credential of a user may see something else, and costs a question for each workspace. */
const credentialsOfUser = { atOnce: 2, waiting: 20 };
/** Questions to the hub at the same time: the daemon's own calls must not wait behind them. */
const questionsAtOnce = 4;

/** All clients of the address see everything: for loopback only, and only under a name of this machine. */
export function openAccess(workspaces: () => readonly string[]): Access {
  const viewer = (): Viewer => ({
    user: undefined,
    canSeeFleet: true,
    canSeeRepository: true,
    workspaces: workspaces(),
    canSee: () => true,
    sightKey: "*",
  });
  return {
    mode: "Open",
    admit: async ({ headers }) =>
      isThisMachine(headers.host)
        ? { kind: "viewer", viewer: viewer() }
        : // A page from elsewhere whose name was pointed at this machine must not read this one.
          {
            kind: "refused",
            status: 403,
            code: "Forbidden",
            why: "This page answers to names of this machine only, such as localhost.",
          },
    admitToken: async () => signIn("This page is for this machine, and takes no token."),
  };
}

/** A Kubernetes bearer token, in the header or in the cookie of a sign-in, evaluated by the hub. */
export function tokenAccess(options: AccessOptions): Access {
  const { clock, reviewToken } = options;
  const userOf = createTokenReviews({ clock, review: reviewToken, keptMs: rememberedMs, most: mostRemembered });
  const viewerOf = createSight(options);
  const admitToken = async (token: string): Promise<Admission> =>
    withHub(async () => {
      const user = await userOf(token);
      if (!user) return withToken(signIn("The hub does not accept this token; it may have ended."));
      return withToken(await viewerOf(user));
    });
  return {
    mode: "Token",
    admit: async ({ headers }) => {
      const credential = credentialOf(headers);
      if (credential === undefined) return withToken(signIn("Sign in with a Kubernetes bearer token."));
      return "isForeign" in credential ? withToken(signIn(foreignCookie)) : admitToken(credential.token);
    },
    admitToken,
  };
}

/** The names of the headers in which a proxy names the user. */
export interface ProxyHeaders {
  readonly user: string;
  readonly groups: string;
}

/**
 * A proxy beside this process has authenticated the caller and names the user. Only a connection from this machine is
 * trusted: the page must listen on loopback then, which only the proxy in the same Pod reaches.
 */
export function proxyAccess(options: Omit<AccessOptions, "reviewToken">, names: ProxyHeaders): Access {
  const viewerOf = createSight(options);
  const refusal = signIn(`The proxy in front of this page did not send your user name in the header ${names.user}.`);
  return {
    mode: "Proxy",
    admit: async ({ headers, remoteAddress }) => {
      const sentName = headers[names.user.toLowerCase()];
      if (!isLoopbackAddress(remoteAddress) || typeof sentName !== "string" || sentName === "") return refusal;
      const username = utf8Of(sentName);
      const groups = [headers[names.groups.toLowerCase()] ?? []].flat().flatMap((text) => utf8Of(text).split(","));
      const user = { username, groups: groups.map((group) => group.trim()).filter((group) => group !== "") };
      return withHub(() => viewerOf(user));
    },
    admitToken: async () => refusal,
  };
}

/** Proxies pass names on as the bytes that they got, which are UTF-8; Node.js reads a header as Latin-1. */
function utf8Of(header: string): string {
  return Buffer.from(header, "latin1").toString("utf8");
}

function createSight(options: Omit<AccessOptions, "reviewToken">): (user: KubeUser) => Promise<Admission> {
  const sights = new ShortMemory<Admission>(options.clock, { keptMs: rememberedMs, most: mostRemembered });
  const turns = createTurnsOfUsers(credentialsOfUser);
  const questions = createGate(questionsAtOnce);
  const isAllowed: AccessOptions["isAllowed"] = (user, resource) =>
    passThrough(questions, () => options.isAllowed(user, resource));
  return (user) =>
    sights.recall(JSON.stringify([user.username, user.uid ?? "", user.groups, user.extra ?? {}]), async () => {
      const found = turns(user.username, () => findSight(user, { ...options, isAllowed }));
      if (found === undefined) throw new CrowdError(credentialsOfUser.waiting);
      const viewer = await found;
      if (viewer.workspaces.length > 0 || viewer.canSeeFleet || viewer.canSeeRepository)
        return { kind: "viewer", viewer };
      return {
        kind: "refused",
        status: 403,
        code: "Forbidden",
        why: `${user.username} may list clusters.rollcall.dev in no workspace of this hub.`,
      };
    });
}

async function findSight(
  user: KubeUser,
  { isAllowed, daemonNamespace, workspaces }: Omit<AccessOptions, "reviewToken">,
): Promise<Viewer> {
  const [canSeeFleet, canSeeRepository] = await Promise.all([
    isAllowed(user, { verb: "list", resource: "clusters" }),
    isAllowed(user, { verb: "get", resource: "repositories", namespace: daemonNamespace }),
  ]);
  const all = workspaces();
  const seen = new Set<string>();
  // One after the other: a person may see many workspaces, and the hub has other work.
  for (const namespace of all) {
    if (canSeeFleet || (await isAllowed(user, { verb: "list", resource: "clusters", namespace }))) seen.add(namespace);
  }
  const names = [...seen].sort(compareNames);
  return {
    user: user.username,
    canSeeFleet,
    canSeeRepository,
    workspaces: names,
    canSee: (workspace) => canSeeFleet || seen.has(workspace),
    sightKey: `${canSeeRepository ? "repository" : ""}/${canSeeFleet ? "*" : names.join(",")}`,
  };
}

/** If the hub cannot be asked, the request is refused with the reason. Of an open stream, `Failed` is the end. */
async function withHub(admit: () => Promise<Admission>): Promise<Admission> {
  try {
    return await admit();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return {
      kind: "refused",
      status: 503,
      code: error instanceof CrowdError ? "Failed" : "HubAway",
      why: `The hub could not be asked who you are (${error.code}).`,
    };
  }
}

function signIn(why: string): Admission {
  return { kind: "refused", status: 401, code: "SignIn", why };
}

function withToken(admission: Admission): Admission {
  return admission.kind === "refused" ? { ...admission, takesToken: true } : admission;
}

/**
 * The token of a request, and whether a browser added it by itself. The header counts before the cookie. `isForeign`: the
 * cookie is not believed (see {@link readTokenCookie}).
 */
export function credentialOf(
  headers: WebRequest["headers"],
): { readonly token: string; readonly isCookie: boolean } | { readonly isForeign: true } | undefined {
  const bearer = bearerOf(headers.authorization);
  if (bearer !== undefined) return { token: bearer, isCookie: false };
  const cookie = readTokenCookie({ headers });
  return cookie === undefined || cookie.isForeign ? cookie : { token: cookie.token, isCookie: true };
}

function bearerOf(header: string | undefined): string | undefined {
  return /^Bearer +([\w\-.~+/=]{1,8192})$/iu.exec(header ?? "")?.[1];
}

export function isLoopbackAddress(address: string | undefined): boolean {
  return address !== undefined && /^(?:127(?:\.\d{1,3}){3}|::1|::ffff:127(?:\.\d{1,3}){3})$/u.test(address);
}

function isThisMachine(host: string | undefined): boolean {
  const name = (host ?? "").replace(/:\d+$/u, "").toLowerCase();
  return name === "localhost" || name.endsWith(".localhost") || name === "[::1]" || /^127(?:\.\d{1,3}){3}$/u.test(name);
}
