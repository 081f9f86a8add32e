import { aggregatedDiscovery, wantedAggregation } from "../discovery/aggregated-discovery.ts";
import { answerHealth } from "../discovery/health.ts";
import type { HealthCheck } from "../discovery/health.ts";
import type { ServedResources } from "../discovery/resource-lists.ts";
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from "../discovery/resource-lists.ts";
import { hubVersion } from "../discovery/version.ts";
import type { OpenApiV2 } from "../discovery/openapi-v2.ts";
import type { OpenApiDocument, OpenApiV3 } from "../discovery/openapi-v3.ts";
import type { PathRequest } from "./exchange.ts";
import { negotiateDocument, negotiateOutput } from "./media-types.ts";
import { renderValue } from "./render.ts";
import type { Reply } from "./reply.ts";

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

/** Answers paths that are no resources; undefined for one that nobody knows. */
export function answerPath(scope: PathScope, request: PathRequest): Reply | undefined {
  const { path, query, accept } = request;
  const parts = path.split("/").filter((part) => part !== "");
  const [first = "", group = "", version = ""] = parts;
  const isCore = first === "api";
  switch (first) {
    case "api":
    case "apis":
      if (parts.length === 1) return answerRoot(scope, request, first);
      if (isCore && parts.length === 2) return answerMeta(apiResourceList(scope.served, "", group), accept);
      if (parts.length === 2) return answerMeta(apiGroup(scope.served, group), accept);
      return parts.length === 3 ? answerMeta(apiResourceList(scope.served, group, version), accept) : undefined;
    case "version":
      return parts.length === 1 ? answerJson(hubVersion) : undefined;
    case "healthz":
    case "livez":
    case "readyz": {
      const answer = answerHealth(scope.checks, path, query);
      return answer && { ...answer, contentType: plainText };
    }
    case "openapi":
      return answerOpenApi(scope, request, parts.slice(1));
    case ".well-known":
      return parts.length === 2 && group === "openid-configuration"
        ? answerJson(scope.openId.configuration())
        : undefined;
    case "openid": {
      if (path !== "/openid/v1/jwks") return undefined;
      return { ...answerJson(scope.openId.keys()), contentType: "application/jwk-set+json" };
    }
    case "":
      return answerJson({ paths: knownPaths(scope) });
    default:
      return undefined;
  }
}

function answerRoot(scope: PathScope, { accept, headers }: PathRequest, root: "api" | "apis"): Reply {
  const version = wantedAggregation(accept);
  if (version === undefined) {
    const body = root === "api" ? apiVersions(scope.serverAddress()) : apiGroupList(scope.served);
    return { statusCode: 200, ...renderValue(body, negotiateOutput(accept).encoding) };
  }
  const { contentType, body, etag } = aggregatedDiscovery(scope.served, root, version);
  const isKnown = headers["if-none-match"] === etag;
  return {
    statusCode: isKnown ? 304 : 200,
    contentType,
    body: isKnown ? "" : body,
    headers: { etag, vary: "Accept", "cache-control": "public" },
  };
}

function answerOpenApi(
  { openApi, openApiV2 }: PathScope,
  { query, headers, accept }: PathRequest,
  [version = "", ...rest]: readonly string[],
): Reply | undefined {
  if (version === "v2" && rest.length === 0) {
    const form = negotiateDocument(accept, protobufOfOpenApi.v2);
    const reply = answerDocument(openApiV2.document(), undefined, headers);
    if (form === "json" || reply.statusCode === 304) return reply;
    return { ...reply, contentType: protobufOfOpenApi.v2[1], body: openApiV2.protobufBody() };
  }
  if (version !== "v3") return undefined;
  if (rest.length === 0) return { statusCode: 200, contentType: "application/json", body: openApi.index() };
  const document = openApi.document(rest.join("/"));
  return document && answerDocument(document, query.get("hash") ?? undefined, headers);
}

/** The old and the new name of one form. */
const protobufOfOpenApi = {
  v2: [
    "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
    "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
  ],
} as const;

/** A document that was asked for by its hash never changes. */
function answerDocument(
  { body, hash }: OpenApiDocument,
  askedHash: string | undefined,
  headers: PathRequest["headers"],
): Reply {
  const etag = `"${hash}"`;
  const isKnown = headers["if-none-match"] === etag;
  return {
    statusCode: isKnown ? 304 : 200,
    contentType: "application/json",
    body: isKnown ? "" : body,
    headers: {
      etag,
      vary: "Accept",
      ...(askedHash === hash ? { "cache-control": "public, immutable, max-age=31536000" } : {}),
    },
  };
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
    "/version",
  ].sort();
}
