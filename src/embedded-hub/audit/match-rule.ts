import type { UserInfo } from "../auth/auth.ts";
import type { RequestInfo, ResourceRequest } from "../request/request-info.ts";
import type { AuditPolicy, AuditResources, AuditRule } from "./audit-policy.ts";

/**
 * The rule for a request, or undefined when it is not recorded. `user` is the one of the credential, undefined when it is
 * not valid. Source: k8s.io/apiserver, audit/policy/checker.go.
 */
export function ruleFor(policy: AuditPolicy, user: UserInfo | undefined, info: RequestInfo): AuditRule | undefined {
  const rule = policy.rules.find((one) => matches(one, user, info));
  return rule?.level === "None" ? undefined : rule;
}

function matches(rule: AuditRule, user: UserInfo | undefined, info: RequestInfo): boolean {
  if (rule.users.length > 0 && (user === undefined || !rule.users.includes(user.username))) return false;
  if (rule.userGroups.length > 0 && user?.groups.some((group) => rule.userGroups.includes(group)) !== true)
    return false;
  if (rule.verbs.length > 0 && !rule.verbs.includes(info.verb)) return false;
  if (rule.namespaces.length > 0 || rule.resources.length > 0) {
    return info.kind === "resource" && matchesResource(rule, info);
  }
  if (rule.nonResourceURLs.length === 0) return true;
  return info.kind === "path" && rule.nonResourceURLs.some((url) => matchesPath(info.path, url));
}

function matchesPath(path: string, url: string): boolean {
  return url === path || (url.endsWith("*") && path.startsWith(url.slice(0, -1)));
}

function matchesResource({ namespaces, resources }: AuditRule, info: ResourceRequest): boolean {
  if (namespaces.length > 0 && !namespaces.includes(info.namespace)) return false;
  return resources.length === 0 || resources.some((one) => one.group === info.group && isAmong(one, info));
}

function isAmong({ resources, resourceNames }: AuditResources, info: ResourceRequest): boolean {
  if (resources.length === 0) return true;
  if (resourceNames.length > 0 && !resourceNames.includes(info.name)) return false;
  const { resource, subresource } = info;
  const combined = subresource === "" ? resource : `${resource}/${subresource}`;
  return resources.some(
    (one) =>
      one === "*" || one === combined || one === `${resource}/*` || (subresource !== "" && one === `*/${subresource}`),
  );
}
