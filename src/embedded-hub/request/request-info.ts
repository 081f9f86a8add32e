// request: what a request asks for. One RequestInfo decides on rights and on the route; nothing else reads a path.
import { parseFieldTerms, requiredName } from "../selectors/field-selector.ts";
import { parseLabelSelector } from "../selectors/label-selector.ts";
import { parseRequestUrl } from "./request-url.ts";

interface UrlParts {
  /** As the request line has it, in its case. */
  readonly method: string;
  /** Decoded. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/** A request below `/api/<version>/` or `/apis/<group>/<version>/`, whether such a resource exists or not. */
export interface ResourceRequest extends UrlParts {
  readonly kind: "resource";
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`, `proxy`; empty for another method. */
  readonly verb: string;
  readonly prefix: "api" | "apis";
  /** Empty below `/api`. */
  readonly group: string;
  readonly version: string;
  /** Empty: none. Of a Namespace itself it is its own name. */
  readonly namespace: string;
  /** The path has the form `namespaces/<namespace>/<resource>`. */
  readonly isInNamespace: boolean;
  /** The deprecated form `/api/v1/watch/...`. */
  readonly isWatchPath: boolean;
  /** Resource, name, subresource and what follows: as many as the path has, any of them empty. */
  readonly parts: readonly string[];
  readonly resource: string;
  readonly subresource: string;
  /** From the path, or for a list or watch of exactly one name from its field selector. Empty: none. */
  readonly name: string;
}

/** Every other request: its verb is its method in small letters. */
export interface PathRequest extends UrlParts {
  readonly kind: "path";
  readonly verb: string;
}

export type RequestInfo = ResourceRequest | PathRequest;

/** A request that asks for nothing that could be granted or refused: 400. */
export interface MalformedRequest {
  readonly kind: "malformed";
  readonly message: string;
}

const verbsOfMethods: ReadonlyMap<string, string> = new Map([
  ["POST", "create"],
  ["GET", "get"],
  ["HEAD", "get"],
  ["PUT", "update"],
  ["PATCH", "patch"],
  ["DELETE", "delete"],
]);
const pathVerbs = ["proxy", "watch"];
const namespaceSubresources = ["status", "finalize"];

/**
 * Reads a request before it is known who asks and what is served: an unknown resource is forbidden, not unknown, to who
 * may not see it. `target` is Node's `request.url`. Source: k8s.io/apiserver, endpoints/request/requestinfo.go. Unlike it,
 * `/api/v1/watch` and `/api/v1/proxy` alone are 400 instead of 500.
 */
export function readRequestInfo(method: string, target: string): RequestInfo | MalformedRequest {
  const url = parseRequestUrl(target);
  if (url === undefined) return { kind: "malformed", message: "the URL of the request is malformed" };
  const base = { method, ...url };
  const asPath: PathRequest = { kind: "path", verb: method.toLowerCase(), ...base };
  const [prefix, ...afterPrefix] = splitPath(url.path);
  if (prefix !== "api" && prefix !== "apis") return asPath;
  if (afterPrefix.length < (prefix === "api" ? 2 : 3)) return asPath;
  const [group = "", version = "", ...afterVersion] = prefix === "api" ? ["", ...afterPrefix] : afterPrefix;
  const [first = ""] = afterVersion;
  const isVerbInPath = pathVerbs.includes(first);
  if (isVerbInPath && afterVersion.length < 2) {
    return { kind: "malformed", message: `unable to determine kind and namespace from url, ${url.path}` };
  }
  const pathVerb = isVerbInPath ? first : (verbsOfMethods.get(method) ?? "");
  const { namespace, isInNamespace, parts } = locate(isVerbInPath ? afterVersion.slice(1) : afterVersion);
  const [resource = "", pathName = "", subresource = ""] = parts;
  return {
    kind: "resource",
    ...base,
    ...withoutName(pathVerb, pathName, url.query),
    prefix,
    group,
    version,
    namespace,
    isInNamespace,
    isWatchPath: first === "watch",
    parts,
    resource,
    subresource: pathVerb === "proxy" ? "" : subresource,
  };
}

/** The segments between slashes; slashes at both ends do not count, those between do. */
export function splitPath(path: string): readonly string[] {
  let [start, end] = [0, path.length];
  while (path[start] === "/") start += 1;
  while (end > start && path[end - 1] === "/") end -= 1;
  return start === end ? [] : path.slice(start, end).split("/");
}

/** Takes `namespaces/<name>/` off, unless the Namespace itself is meant. */
function locate(segments: readonly string[]): Pick<ResourceRequest, "namespace" | "isInNamespace" | "parts"> {
  const [first, namespace, third] = segments;
  if (first !== "namespaces" || namespace === undefined) {
    return { namespace: "", isInNamespace: false, parts: segments };
  }
  const isInNamespace = third !== undefined && !namespaceSubresources.includes(third);
  return { namespace, isInNamespace, parts: isInNamespace ? segments.slice(2) : segments };
}

/** The verb and name of a request whose path may name no object. */
function withoutName(verb: string, name: string, query: URLSearchParams): Pick<ResourceRequest, "verb" | "name"> {
  if (name !== "") return { verb, name };
  if (verb === "delete") return { verb: "deletecollection", name: "" };
  if (verb !== "get") return { verb, name: "" };
  return { verb: asksForWatch(query) ? "watch" : "list", name: selectedName(query) };
}

/** As Kubernetes reads booleans in a URL: everything but `false` and `0` is true, even nothing. */
function asksForWatch(query: URLSearchParams): boolean {
  const watch = query.get("watch");
  return watch !== null && !["false", "0"].includes(watch.toLowerCase());
}

/** The name that the options of a list require; none when one of the options does not parse, as kube-apiserver has it. */
function selectedName(query: URLSearchParams): string {
  const isNumber = (key: string): boolean => /^[-+]?\d{1,18}$/u.test(query.get(key) ?? "0");
  if (!isNumber("limit") || !isNumber("timeoutSeconds")) return "";
  try {
    parseLabelSelector(query.get("labelSelector") ?? "");
    const name = requiredName(parseFieldTerms(query.get("fieldSelector") ?? "")) ?? "";
    return /^\.{1,2}$|[/%]/u.test(name) ? "" : name;
  } catch {
    return ""; // The list refuses the selector with the reason, to who may list everything.
  }
}
