import { cleanRemoteText } from "../core/remote-text.ts";
import { unnamedUser } from "../model/hub-writer-policy.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { annotationKeys } from "../model/well-known.ts";

/** Of addresses that are no mailbox: a user of the hub has only a name. */
const mailDomain = "users.noreply.rollcall.dev";

/** A person in a commit. */
export interface CommitPerson {
  readonly name: string;
  readonly email: string;
}

/** Who wrote an object, as the API server records it: each user once, the last writer last. `?`: users without a name. */
export interface WritersOf {
  /** Without Rollcall. */
  readonly users: readonly string[];
  /** So many of them wrote last before Rollcall did; undefined: Rollcall has not written since users are recorded. */
  readonly beforeCount: number | undefined;
}

/** `ownName` is the user that Rollcall is on the hub. Undefined when the object names no user. */
export function writersOf({ metadata }: KubeObject, ownName: string): WritersOf | undefined {
  const text = metadata.annotations?.[annotationKeys.writtenBy];
  if (text === undefined || text === "") return undefined;
  const users = text.split("\n");
  const place = users.lastIndexOf(ownName);
  return { users: users.filter((user) => user !== ownName), beforeCount: place < 0 ? undefined : place };
}

/**
 * The author of what these users did: of one user alone, with the name and an address of `users.noreply.rollcall.dev` that no two
 * users share. Undefined for several users, for none, and for a name that would read as another one in a commit.
 */
export function authorOf(users: readonly string[]): CommitPerson | undefined {
  const [user = unnamedUser, ...others] = users;
  if (others.length > 0 || user === unnamedUser || user !== shownUser(user) || /[<>]/u.test(user)) return undefined;
  return { name: user, email: `${encodeURIComponent(user)}@${mailDomain}` };
}

/** True for an address that {@link authorOf} gives. */
export function isUserAddress(email: string): boolean {
  return email.endsWith(`@${mailDomain}`);
}

/** The name as one line, without invisible characters. */
export function shownUser(user: string): string {
  return cleanRemoteText(user, { secrets: [], maximumLength: 256 });
}
