import type { RequestAttributes, UserInfo } from "./auth.ts";

export interface AskedRequest {
  readonly user: UserInfo;
  readonly method: string;
  /** Path of the URL, decoded or not: names of objects need no escapes. */
  readonly path: string;
  readonly query: URLSearchParams;
}

const verbs: Readonly<Record<string, string>> = {
  POST: "create",
  GET: "get",
  HEAD: "get",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};
const namespaceSubresources = ["status", "finalize"];

/**
 * What a request asks for, as RBAC sees it, before anything is routed: an unknown resource is forbidden, not unknown,
 * to who may not see it. A list or watch of exactly one name (`fieldSelector=metadata.name=x`) asks for that name.
 * Source: k8s.io/apiserver, endpoints/request/requestinfo.go.
 */
export function requestAttributes({ user, method, path, query }: AskedRequest): RequestAttributes {
  const asPath: RequestAttributes = { kind: "path", user, verb: method.toLowerCase(), path };
  const [prefix, ...afterPrefix] = path.split("/").filter((part, index, all) => {
    const isOuterSlash = part === "" && (index === 0 || index === all.length - 1);
    return !isOuterSlash;
  });
  const isCore = prefix === "api";
  if (!isCore && prefix !== "apis") return asPath;
  if (afterPrefix.length < (isCore ? 2 : 3)) return asPath;
  const [group = "", ...afterGroup] = isCore ? ["", ...afterPrefix] : afterPrefix;
  const [version = "", ...afterVersion] = afterGroup;
  const isSpecialWatch = afterVersion[0] === "watch" && afterVersion.length > 1;
  const isSpecialProxy = afterVersion[0] === "proxy" && afterVersion.length > 1;
  const located = locate(isSpecialWatch || isSpecialProxy ? afterVersion.slice(1) : afterVersion);
  const [resource = "", pathName = "", subresource = ""] = located.parts;
  const pathVerb = isSpecialWatch ? "watch" : isSpecialProxy ? "proxy" : (verbs[method] ?? "");
  const { verb, name } = withoutName(pathVerb, pathName, query);
  return {
    kind: "resource",
    user,
    verb,
    group,
    version,
    resource,
    ...(subresource === "" || isSpecialProxy ? {} : { subresource }),
    ...(located.namespace === "" ? {} : { namespace: located.namespace }),
    ...(name === "" ? {} : { name }),
  };
}

/** Takes `namespaces/<name>/` off, unless the namespace itself is meant. */
function locate(parts: readonly string[]): { readonly namespace: string; readonly parts: readonly string[] } {
  if (parts[0] !== "namespaces" || parts.length < 2) return { namespace: "", parts };
  const namespace = parts[1] ?? "";
  const isInside = parts.length > 2 && !namespaceSubresources.includes(parts[2] ?? "");
  return { namespace, parts: isInside ? parts.slice(2) : parts };
}

/** The verb and name of a request whose path may name no object. */
function withoutName(
  verb: string,
  name: string,
  query: URLSearchParams,
): { readonly verb: string; readonly name: string } {
  if (name !== "") return { verb, name };
  if (verb === "delete") return { verb: "deletecollection", name: "" };
  if (verb !== "get") return { verb, name: "" };
  const watch = query.get("watch");
  const isWatch = watch !== null && !["false", "0"].includes(watch.toLowerCase());
  return { verb: isWatch ? "watch" : "list", name: selectedName(query.get("fieldSelector") ?? "") };
}

/** The name that a field selector requires, or an empty text. */
function selectedName(fieldSelector: string): string {
  for (const term of fieldSelector.split(",")) {
    const [, name] = /^metadata\.name={1,2}([^=!/%]+)$/u.exec(term) ?? [];
    if (name !== undefined && name !== "." && name !== "..") return name;
  }
  return "";
}
