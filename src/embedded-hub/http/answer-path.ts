import { aggregatedDiscovery } from "../discovery/aggregated-discovery.ts";
import { answerHealth } from "../discovery/health.ts";
import type { HealthCheck } from "../discovery/health.ts";
import type { ServedResources } from "../discovery/resource-lists.ts";
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from "../discovery/resource-lists.ts";
import { hubVersion } from "../discovery/version.ts";
import type { OpenApiV2 } from "../discovery/openapi-v2.ts";
import type { OpenApiDocument, OpenApiV3 } from "../discovery/openapi-v3.ts";
import { methodNotAllowed } from "../failures/failures.ts";
import { splitPath } from "../request/request-info.ts";
import type { PathRequest } from "./exchange.ts";
import { parseAccept } from "./accept-clauses.ts";
import { checkAccepted, mediaTypes, negotiateDocument, negotiateOutput, objectTypes } from "./media-types.ts";
import { renderValue } from "./render.ts";
import type { Reply } from "./reply.ts";
import { wantsAggregation } from "./wants-aggregation.ts";

export interface PathScope {
  readonly served: ServedResources;
  readonly checks: readonly HealthCheck[];
  readonly openApi: OpenApiV3;
  readonly openApiV2: OpenApiV2;
  /** Of the keys that sign tokens. */
  readonly openId: { readonly configuration: () => object; readonly keys: () => object };
  /** `host:port`, for who asks where the server is. */
  readonly serverAddress: () => string;
}

const plainText = "text/plain; charset=utf-8";
const keySetType = "application/jwk-set+json";

/**
 * Answers paths that are no resources; undefined for one that is not served. Throws 405 for a method that a path does not
 * have. Forms of paths and methods are kube-apiserver's: what its REST framework serves takes GET alone and slashes at the
 * end; the rest takes any method and is served as it is written.
 */
export function answerPath(scope: PathScope, request: PathRequest): Reply | undefined {
  const { path, query } = request;
  const parts = splitPath(path);
  const written = `/${parts.join("/")}`;
  const isAsWritten = path === written;
  if (!path.startsWith(written)) return undefined;
  switch (parts[0]) {
    case undefined:
    case "index.html":
      return isAsWritten && parts.length <= 1 ? answerJson({ paths: knownPaths(scope) }) : undefined;
    case "healthz":
    case "livez":
    case "readyz": {
      const answer = isAsWritten ? answerHealth(scope.checks, path, query) : undefined;
      const headers = parts.length === 1 ? { headers: { "x-content-type-options": "nosniff" } } : {};
      return answer && { ...answer, contentType: plainText, ...headers };
    }
    case "openapi":
      return answerOpenApi(scope, { ...request, isAsWritten }, parts.slice(1));
    case "apis":
      return answerGroups(scope, request, parts);
    default: {
      const produced = producedTypes.get(parts.join("/"));
      if (produced !== undefined) checkRestFramework(request, produced);
      return answerDocuments(scope, request, parts);
    }
  }
}

/** Documents of the REST framework, and their types. */
const producedTypes: ReadonlyMap<string, readonly string[]> = new Map([
  ["api", objectTypes],
  ["api/v1", objectTypes],
  ["version", [mediaTypes.json]],
  [".well-known/openid-configuration", [mediaTypes.json]],
  ["openid/v1/jwks", [keySetType]],
]);

function checkRestFramework({ method, accept }: PathRequest, produced: readonly string[]): void {
  if (method !== "GET") throw methodNotAllowed();
  checkAccepted(accept, produced);
}

function answerGroups(
  scope: PathScope,
  request: PathRequest,
  [, group = "", version = ""]: readonly string[],
): Reply | undefined {
  const { path, accept } = request;
  const endsTwice = path.endsWith("//");
  // The core group has no place below /apis.
  if (group === "") return version !== "" || endsTwice ? undefined : answerRoot(scope, request, "apis");
  const isCustom = scope.served.definitions().some((one) => one.isCustom && one.group === group);
  const body = version === "" ? apiGroup(scope.served, group) : apiResourceList(scope.served, group, version);
  const isOfRestFramework = !isCustom && (version !== "" || endsTwice);
  if (body !== undefined && isOfRestFramework) checkRestFramework(request, objectTypes);
  return answerMeta(body, accept);
}

function answerDocuments(scope: PathScope, request: PathRequest, parts: readonly string[]): Reply | undefined {
  switch (parts.join("/")) {
    case "api":
      return answerRoot(scope, request, "api");
    case "api/v1":
      return answerMeta(apiResourceList(scope.served, "", "v1"), request.accept);
    case "version":
      return answerJson(hubVersion);
    case ".well-known/openid-configuration":
      return answerJson(scope.openId.configuration());
    case "openid/v1/jwks":
      return { ...answerJson(scope.openId.keys()), contentType: keySetType };
    default:
      return undefined;
  }
}

function answerRoot(scope: PathScope, { accept, headers, path }: PathRequest, root: "api" | "apis"): Reply {
  // With a slash at its end the path of the groups is another one, which has the plain list alone.
  if (!wantsAggregation(accept) || path === "/apis/") {
    const body = root === "api" ? apiVersions(scope.serverAddress()) : apiGroupList(scope.served);
    return { statusCode: 200, ...renderValue(body, negotiateOutput(accept).encoding) };
  }
  const { contentType, body, etag } = aggregatedDiscovery(scope.served, root);
  const isKnown = headers["if-none-match"] === etag;
  return {
    statusCode: isKnown ? 304 : 200,
    contentType: isKnown ? undefined : contentType,
    body: isKnown ? "" : body,
    headers: { etag, vary: "Accept", "cache-control": "public" },
  };
}

function answerOpenApi(
  { openApi, openApiV2 }: PathScope,
  { query, headers, accept, path, isAsWritten }: PathRequest & { readonly isAsWritten: boolean },
  [version = "", ...rest]: readonly string[],
): Reply | undefined {
  // Everything below v3 has one handler, which answers what it does not know without a body.
  if (version === "v3" && (rest.length > 0 || path.endsWith("/"))) {
    const place = rest.join("/");
    const document = isAsWritten ? openApi.document(place) : undefined;
    if (document === undefined) return emptyNotFound;
    const form = negotiateDocument(accept, protobufOfOpenApi.v3);
    if (form === undefined) return parseAccept(accept ?? "").length === 0 ? emptyDocument : emptyNotAcceptable;
    const reply = answerDocument(document, query.get("hash") ?? undefined, headers);
    if (form === "json" || reply.statusCode === 304) return reply;
    return { ...reply, contentType: protobufOfOpenApi.v3[1], body: openApi.protobufBody(place) ?? "" };
  }
  if (!isAsWritten) return undefined;
  if (version === "v2" && rest.length === 0) {
    const form = negotiateDocument(accept, protobufOfOpenApi.v2);
    if (form === undefined) return emptyNotAcceptable;
    const reply = answerDocument(openApiV2.document(), undefined, headers);
    if (form === "json" || reply.statusCode === 304) return reply;
    return { ...reply, contentType: protobufOfOpenApi.v2[1], body: openApiV2.protobufBody() };
  }
  if (version !== "v3") return undefined;
  // It has no tag, so that only a client that knows any is answered by none.
  if (headers["if-none-match"] === "*") return { statusCode: 304, contentType: undefined, body: "" };
  // kube-apiserver names no type, and its HTTP library takes the body for text.
  return { statusCode: 200, contentType: plainText, body: openApi.index() };
}

const emptyNotFound: Reply = { statusCode: 404, contentType: undefined, body: "" };
/** To a client whose header has no media type at all. */
const emptyDocument: Reply = { statusCode: 200, contentType: undefined, body: "" };
const emptyNotAcceptable: Reply = { statusCode: 406, contentType: undefined, body: "", headers: { vary: "Accept" } };

/** The old and the new name of one form. */
const protobufOfOpenApi = {
  v2: [
    "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
    "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
  ],
  v3: [
    "application/com.github.proto-openapi.spec.v3@v1.0+protobuf",
    "application/com.github.proto-openapi.spec.v3.v1.0+protobuf",
  ],
} as const;

/** A document that was asked for by its hash never changes. */
function answerDocument(
  { body, hash }: OpenApiDocument,
  askedHash: string | undefined,
  headers: PathRequest["headers"],
): Reply {
  const etag = `"${hash}"`;
  const isKnown = matchesNone(headers["if-none-match"], etag);
  return {
    statusCode: isKnown ? 304 : 200,
    contentType: isKnown ? undefined : "application/json",
    body: isKnown ? "" : body,
    headers: {
      etag,
      vary: "Accept",
      ...(askedHash === hash ? { "cache-control": "public, immutable, max-age=31536000" } : {}),
    },
  };
}

const entityTags = /[\s,]*(\*|(?:W\/)?"[!#-~\u0080-\u00ff]*")/guy;

/** Whether an If-None-Match header has the tag, strong or weak, or any. Source: Go, net/http checkIfNoneMatch. */
function matchesNone(header: string | undefined, etag: string): boolean {
  const tags = [...(header ?? "").matchAll(entityTags)].map(([, tag = ""]) => tag);
  return tags.some((tag) => tag === "*" || tag.replace(/^W\//u, "") === etag);
}

function answerMeta(body: object | undefined, accept: string | undefined): Reply | undefined {
  return body && { statusCode: 200, ...renderValue(body, negotiateOutput(accept).encoding) };
}

function answerJson(body: object): Reply {
  return { statusCode: 200, contentType: "application/json", body: JSON.stringify(body, undefined, 2) };
}

function knownPaths({ served, checks }: PathScope): string[] {
  const groups = served.groups().filter(({ name }) => name !== "");
  const groupPaths = groups.flatMap(({ name, versions }) => [
    `/apis/${name}`,
    ...versions.map((version) => `/apis/${name}/${version}`),
  ]);
  const healthPaths = checks.flatMap(({ name, endpoints }) => endpoints.map((endpoint) => `/${endpoint}/${name}`));
  return [
    "/api",
    "/api/v1",
    "/apis",
    ...groupPaths,
    "/healthz",
    "/livez",
    "/readyz",
    ...healthPaths,
    "/metrics",
    "/version",
  ].sort();
}
