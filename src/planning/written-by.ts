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

/**
 * Users who wrote the object since Rollcall did, the last one last; `?` stands for users without a name. None when that is
 * not known. `ownName` is the user that Rollcall is on the hub; undefined: the API server does not record its users, and
 * what the object says may be of anyone.
 */
export function usersOf({ metadata }: KubeObject, ownName: string | undefined): readonly string[] {
  const text = metadata.annotations?.[annotationKeys.writtenBy];
  if (ownName === undefined || text === undefined || text === "") return [];
  const users = text.split("\n");
  return users.slice(users.lastIndexOf(ownName) + 1);
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
