import type { GitCredentials } from "../git.ts";

/** Credentials, or how to read them: asked before every request, so that a rotated secret is taken up by itself. */
export type CredentialsSource = GitCredentials | (() => Promise<GitCredentials | undefined>);

export interface Authorization {
  /** The value of the Authorization header. */
  readonly header: string;
  /** What must never show in a message. */
  readonly secrets: readonly string[];
}

/** Basic authorization for a host, which every git host takes for tokens too. */
export function authorizationFor(host: string, credentials: GitCredentials): Authorization {
  const username = credentials.username ?? (credentials.kind === "token" ? tokenUsername(host) : "");
  const pair = `${username}:${credentials.secret}`;
  const header = `Basic ${Buffer.from(pair, "utf8").toString("base64")}`;
  return { header, secrets: [credentials.secret] };
}

export async function readCredentials(source: CredentialsSource | undefined): Promise<GitCredentials | undefined> {
  return typeof source === "function" ? source() : source;
}

/** The user name for a token. Source: the hosts' pages on access by https. */
function tokenUsername(host: string): string {
  if (/(?:^|\.)bitbucket\.org$/iu.test(host)) return "x-token-auth";
  if (/(?:^|[.-])gitlab(?:[.-]|$)/iu.test(host)) return "oauth2";
  return "x-access-token";
}
