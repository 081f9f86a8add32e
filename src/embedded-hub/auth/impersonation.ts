import { internalError } from "../failures/failures.ts";
import { wellKnownUsers } from "./auth.ts";
import type { Authorizer, RequestAttributes, UserInfo } from "./auth.ts";
import { requestForbidden } from "./forbidden.ts";
import { parseServiceAccountUsername, serviceAccountGroups } from "./service-account-token.ts";

interface Wanted {
  readonly username: string;
  readonly groups: readonly string[];
  readonly uid?: string;
  readonly extra: readonly (readonly [string, string])[];
}

/**
 * The user that a request acts as. `rawHeaders` are Node's: names and values in turn, repeated names repeated (a
 * joined `Impersonate-Group` could not be taken apart again). Throws ApiFailure 403 when the one who asks may not act
 * as that user, group, uid or extra, and 500 (as kube-apiserver does) for groups without a user.
 * Source: k8s.io/apiserver, endpoints/filters/impersonation.go.
 */
export function impersonate(rawHeaders: readonly string[], requester: UserInfo, authorizer: Authorizer): UserInfo {
  const wanted = readHeaders(rawHeaders);
  if (wanted === undefined) return requester;
  for (const attributes of checksOf(wanted, requester)) {
    const { isAllowed, reason } = authorizer.authorize(attributes);
    if (!isAllowed) throw requestForbidden(attributes, reason);
  }
  const account = parseServiceAccountUsername(wanted.username);
  const defaultGroups = account === undefined ? [] : serviceAccountGroups(account.namespace);
  const groups = wanted.groups.length > 0 ? wanted.groups : defaultGroups;
  const extra = new Map<string, string[]>();
  for (const [key, value] of wanted.extra) extra.set(key, [...(extra.get(key) ?? []), value]);
  return {
    username: wanted.username,
    groups: withImpliedGroup(wanted.username, groups),
    ...(wanted.uid === undefined ? {} : { uid: wanted.uid }),
    ...(wanted.extra.length === 0 ? {} : { extra: Object.fromEntries(extra) }),
  };
}

function readHeaders(rawHeaders: readonly string[]): Wanted | undefined {
  const extraPrefix = "impersonate-extra-";
  let username = "";
  let uid = "";
  const groups: string[] = [];
  const extra: [string, string][] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? "").toLowerCase();
    // Node.js has one character for each byte; names are UTF-8.
    const value = Buffer.from(rawHeaders[index + 1] ?? "", "latin1").toString("utf8");
    if (name === "impersonate-user" && username === "") username = value;
    else if (name === "impersonate-group") groups.push(value);
    else if (name === "impersonate-uid" && uid === "") uid = value;
    else if (name.startsWith(extraPrefix)) extra.push([unescapeKey(name.slice(extraPrefix.length)), value]);
  }
  if (username !== "") return { username, groups, extra, ...(uid === "" ? {} : { uid }) };
  if (groups.length === 0 && extra.length === 0 && uid === "") return undefined;
  const wanted = [
    ...groups.map((name) => `{Group  ${name}    }`),
    ...extra.map(([key, value]) => `{UserExtra  ${value}  authentication.k8s.io/v1  ${key}}`),
    ...(uid === "" ? [] : [`{UID  ${uid}  authentication.k8s.io/v1  }`]),
  ];
  throw internalError(`requested [${wanted.join(" ")}] without impersonating a user`);
}

function checksOf(wanted: Wanted, user: UserInfo): RequestAttributes[] {
  const account = parseServiceAccountUsername(wanted.username);
  const base = { kind: "resource", user, verb: "impersonate", group: "", version: "" } as const;
  const extended = { ...base, group: "authentication.k8s.io", version: "v1" };
  return [
    account === undefined
      ? { ...base, resource: "users", name: wanted.username }
      : { ...base, resource: "serviceaccounts", ...account },
    ...wanted.groups.map((name) => ({ ...base, resource: "groups", name })),
    ...wanted.extra.map(([key, name]) => ({ ...extended, resource: "userextras", subresource: key, name })),
    ...(wanted.uid === undefined ? [] : [{ ...extended, resource: "uids", name: wanted.uid }]),
  ];
}

/** Every user is in one of the two groups: authenticated or not. */
function withImpliedGroup(username: string, groups: readonly string[]): readonly string[] {
  const { anonymous, authenticatedGroup, unauthenticatedGroup } = wellKnownUsers;
  if (groups.includes(unauthenticatedGroup)) return groups;
  if (username === anonymous) return [...groups, unauthenticatedGroup];
  return groups.includes(authenticatedGroup) ? groups : [...groups, authenticatedGroup];
}

function unescapeKey(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded; // A malformed escape: kube-apiserver takes the text as it is.
  }
}
