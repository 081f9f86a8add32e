import type { RequestAttributes, UserInfo } from "../auth/auth.ts";
import type { RequestInfo } from "./request-info.ts";

/** What a request asks for, as RBAC sees it. */
export function requestAttributes(user: UserInfo, info: RequestInfo): RequestAttributes {
  if (info.kind === "path") return { kind: "path", user, verb: info.verb, path: info.path };
  const { verb, group, version, resource, subresource, namespace, name } = info;
  return {
    kind: "resource",
    user,
    verb,
    group,
    version,
    resource,
    ...(subresource === "" ? {} : { subresource }),
    ...(namespace === "" ? {} : { namespace }),
    ...(name === "" ? {} : { name }),
  };
}
