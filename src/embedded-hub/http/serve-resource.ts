import { assertNever } from "../../core/assert-never.ts";
import type { Target } from "../operations/operations.ts";
import { findRoute } from "../request/find-route.ts";
import type { Route } from "../request/find-route.ts";
import type { ResourceRequest } from "../request/request-info.ts";
import type { Exchange, HttpScope } from "./exchange.ts";
import { checkAccepted, collectionTypes, objectTypes } from "./media-types.ts";
import { patchKindOf } from "./read-patch.ts";
import { serveDelete, serveDeleteCollection } from "./serve-delete.ts";
import { servePodLog } from "./serve-pod-log.ts";
import { serveGet, serveList } from "./serve-read.ts";
import { serveWatchRequest } from "./serve-watch-request.ts";
import { serveCreate, servePatch, serveUpdate } from "./serve-write.ts";

/** One request for a resource, to the end of its answer. Throws ApiFailure before the answer has begun. */
export async function serveResource(scope: HttpScope, exchange: Exchange, info: ResourceRequest): Promise<void> {
  const route = findRoute(info, scope.operations.definitionOf(info.group, info.resource, info.version));
  const { definition, operation, subresource } = route;
  if (!definition.isCustom && !isPodLog(route)) {
    // The REST framework checks the type of a patch first.
    if (operation === "patch") patchKindOf(exchange.request.headers["content-type"], definition);
    const isCollection = operation === "list" || operation === "watch";
    checkAccepted(exchange.request.headers.accept, isCollection ? collectionTypes : objectTypes);
  }
  if (definition.deprecationWarning !== undefined) exchange.warnings.push(definition.deprecationWarning);
  switch (operation) {
    case "list":
      return serveList(scope, exchange, selectedOf(route));
    case "watch":
      return serveWatchRequest(scope, exchange, selectedOf(route));
    case "deletecollection":
      return serveDeleteCollection(scope, exchange, collectionOf(route));
    case "create":
      if (subresource === undefined) return serveCreate(scope, exchange, collectionOf(route), undefined);
      return serveCreate(scope, exchange, targetOf(route), subresource);
    case "get":
      if (isPodLog(route)) return servePodLog(scope, exchange, targetOf(route));
      return serveGet(scope, exchange, targetOf(route));
    case "update":
      return serveUpdate(scope, exchange, targetOf(route), subresource);
    case "patch":
      return servePatch(scope, exchange, targetOf(route));
    case "delete":
      return serveDelete(scope, exchange, targetOf(route));
    default:
      return assertNever(operation);
  }
}

function targetOf({ definition, namespace, name = "", subresource }: Route): Target {
  return {
    definition,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(subresource === undefined ? {} : { subresource: subresource.name }),
  };
}

function collectionOf({ definition, namespace }: Route): Omit<Target, "name"> {
  return { definition, ...(namespace === undefined ? {} : { namespace }) };
}

/** A list or watch of one name is one of a collection. */
function selectedOf(route: Route): Omit<Target, "name"> & { readonly name?: string } {
  const { name } = route;
  return { ...collectionOf(route), ...(name === undefined ? {} : { name }) };
}

function isPodLog({ definition, subresource }: Route): boolean {
  return definition.group === "" && definition.plural === "pods" && subresource?.name === "log";
}
