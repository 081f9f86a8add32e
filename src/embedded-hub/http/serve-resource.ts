import { ApiFailure } from "../failures/api-failure.ts";
import { badRequest, methodNotAllowed, notFound, pathNotFound } from "../failures/failures.ts";
import type { Target } from "../operations/operations.ts";
import type { ResourceDefinition, SubresourceDefinition } from "../operations/resource-definition.ts";
import type { Exchange, HttpScope } from "./exchange.ts";
import type { ResourcePath } from "./resource-path.ts";
import { readBoolean } from "./query.ts";
import { serveDelete, serveDeleteCollection } from "./serve-delete.ts";
import { servePodLog } from "./serve-pod-log.ts";
import { serveGet, serveList } from "./serve-read.ts";
import { serveWatchRequest } from "./serve-watch-request.ts";
import { serveCreate, servePatch, serveUpdate } from "./serve-write.ts";

/** One request for a resource, to the end of its answer. Throws ApiFailure before the answer has begun. */
export async function serveResource(scope: HttpScope, exchange: Exchange, path: ResourcePath): Promise<void> {
  const definition = scope.operations.definitionOf(path.group, path.plural, path.version);
  if (definition === undefined) throw pathNotFound();
  checkPlace(definition, exchange, path);
  if (definition.deprecationWarning !== undefined) exchange.warnings.push(definition.deprecationWarning);
  const place = path.namespace === undefined ? {} : { namespace: path.namespace };
  if (path.name === undefined) return serveCollection(scope, exchange, { definition, ...place }, path.isWatch);
  if (path.subresource === undefined)
    return serveNamed(scope, exchange, { definition, ...place, name: path.name }, path);
  const subresource = definition.subresources.find(({ name }) => name === path.subresource);
  if (subresource === undefined) throw unknownSubresource(definition, path.name, path.subresource);
  const target = { definition, ...place, name: path.name, subresource: path.subresource };
  return serveSubresource(scope, exchange, target, subresource);
}

/** Connections into Pods and through nodes, which this hub does not make. */
const connecting: Readonly<Record<string, readonly string[]>> = {
  pods: ["attach", "exec", "portforward", "proxy"],
  services: ["proxy"],
  nodes: ["proxy"],
};

function unknownSubresource(definition: ResourceDefinition, name: string, subresource: string): ApiFailure {
  const { group, plural, isCustom } = definition;
  if (isCustom) return notFound({ ...definition, name });
  if (group !== "" || connecting[plural]?.includes(subresource) !== true) return pathNotFound();
  return new ApiFailure(501, "NotImplemented", `this hub does not serve ${plural}/${subresource}`);
}

/** Namespaced kinds live in a namespace; across namespaces they can only be listed and watched. */
function checkPlace(definition: ResourceDefinition, { method }: Exchange, path: ResourcePath): void {
  if (definition.isNamespaced === (path.namespace !== undefined)) return;
  const isUnknown = !definition.isNamespaced || path.name !== undefined;
  if (isUnknown || (definition.isCustom && method === "POST")) throw pathNotFound();
  if (method !== "GET" && method !== "HEAD") throw methodNotAllowed();
}

async function serveCollection(
  scope: HttpScope,
  exchange: Exchange,
  target: Omit<Target, "name">,
  isWatchPath: boolean,
): Promise<void> {
  const { definition } = target;
  switch (exchange.method) {
    case "GET":
    case "HEAD":
      if (isWatchPath || readBoolean(exchange.query, "watch")) {
        requireVerb(definition.verbs, "watch");
        return serveWatchRequest(scope, exchange, target);
      }
      requireVerb(definition.verbs, "list");
      return serveList(scope, exchange, target);
    case "POST":
      requireVerb(definition.verbs, "create");
      if (definition.isTerminating === true) throw creationOver(definition);
      return serveCreate(scope, exchange, target, undefined);
    case "DELETE":
      requireVerb(definition.verbs, "deletecollection");
      return serveDeleteCollection(scope, exchange, target);
    default:
      throw definition.isCustom ? badRequest("name must be provided") : methodNotAllowed();
  }
}

function creationOver({ group, plural }: ResourceDefinition): ApiFailure {
  const message = "create not allowed while custom resource definition is terminating";
  return new ApiFailure(405, "MethodNotAllowed", message, { details: { group, kind: plural } });
}

async function serveNamed(
  scope: HttpScope,
  exchange: Exchange,
  target: Target,
  { isWatch }: ResourcePath,
): Promise<void> {
  const { definition } = target;
  if (isWatch) {
    requireVerb(definition.verbs, "watch");
    return serveWatchRequest(scope, exchange, target);
  }
  requireVerb(definition.verbs, verbOf(exchange.method));
  switch (exchange.method) {
    case "GET":
    case "HEAD":
      return serveGet(scope, exchange, target);
    case "PUT":
      return serveUpdate(scope, exchange, target, undefined);
    case "PATCH":
      return servePatch(scope, exchange, target);
    case "DELETE":
      return serveDelete(scope, exchange, target);
    default:
      throw methodNotAllowed();
  }
}

async function serveSubresource(
  scope: HttpScope,
  exchange: Exchange,
  target: Target & { readonly subresource: string },
  subresource: SubresourceDefinition,
): Promise<void> {
  requireVerb(subresource.verbs, verbOf(exchange.method));
  switch (exchange.method) {
    case "GET":
    case "HEAD":
      if (isPodLog(target)) return servePodLog(scope, exchange, target);
      return serveGet(scope, exchange, target);
    case "POST":
      return serveCreate(scope, exchange, target, subresource);
    case "PUT":
      return serveUpdate(scope, exchange, target, subresource);
    case "PATCH":
      return servePatch(scope, exchange, target);
    default:
      throw methodNotAllowed();
  }
}

function isPodLog({ definition, subresource }: Target): boolean {
  return definition.group === "" && definition.plural === "pods" && subresource === "log";
}

function verbOf(method: string): string {
  const verbs: Readonly<Record<string, string>> = {
    GET: "get",
    HEAD: "get",
    POST: "create",
    PUT: "update",
    PATCH: "patch",
    DELETE: "delete",
  };
  return verbs[method] ?? method.toLowerCase();
}

function requireVerb(verbs: readonly string[], verb: string): void {
  if (!verbs.includes(verb)) throw methodNotAllowed();
}
