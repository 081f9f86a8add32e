import { checkPathSegment } from "../../core/formats/kube-names.ts";
import { ApiFailure } from "../failures/api-failure.ts";
import {
  badRequest,
  methodNotAllowed,
  namespaceRequired,
  notFound,
  pathNotFound,
  verbNotSupported,
} from "../failures/failures.ts";
import type { ResourceDefinition, SubresourceDefinition } from "../operations/resource-definition.ts";
import type { ResourceRequest } from "./request-info.ts";

/** What is done for a request. `operation` is always the verb that its rights were checked for. */
export interface Route {
  readonly operation: "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "deletecollection";
  readonly definition: ResourceDefinition;
  /** Absent: the cluster, or all namespaces. */
  readonly namespace?: string;
  /** Absent for whole collections. */
  readonly name?: string;
  readonly subresource?: SubresourceDefinition;
}

type Operation = Route["operation"];

/**
 * The route of a request for a resource that is served. Throws ApiFailure 404 for a path and 405 for a method that the
 * resource does not have, 400 without a name or namespace that it needs, 501 for connections into Pods and through nodes.
 * Source: k8s.io/apiserver, endpoints/installer.go (built-in kinds); apiextensions-apiserver, customresource_handler.go.
 */
export function findRoute(info: ResourceRequest, definition: ResourceDefinition | undefined): Route {
  if (definition === undefined) throw pathNotFound();
  const { namespace, name } = info;
  const { operation, subresource } = definition.isCustom
    ? customOperation(info, definition)
    : builtInOperation(info, definition);
  const isOfOneObject = subresource !== undefined || !collectionOperations.includes(operation);
  if (isOfOneObject && name === "") throw badRequest("name must be provided");
  const faults = isOfOneObject ? checkPathSegment(name) : [];
  if (faults.length > 0) throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${faults.join(";")}`);
  // A collection that is emptied needs one at its first object.
  const needsNamespace = definition.isNamespaced && (isOfOneObject || operation === "create");
  if (needsNamespace && namespace === "") throw namespaceRequired();
  // What is done without this being the verb that was granted would be done without rights.
  if (operation !== info.verb) throw pathNotFound();
  return {
    operation,
    definition,
    ...(definition.isNamespaced && namespace !== "" ? { namespace } : {}),
    ...(name === "" ? {} : { name }),
    ...(subresource === undefined ? {} : { subresource }),
  };
}

const collectionOperations: readonly Operation[] = ["list", "watch", "create", "deletecollection"];

type Found = Pick<Route, "operation" | "subresource">;

/** Custom kinds are routed by their verb alone: a POST to a watch path watches. */
function customOperation(info: ResourceRequest, definition: ResourceDefinition): Found {
  const { verb, name, namespace, path } = info;
  const isAcrossNamespaces = definition.isNamespaced && (verb === "list" || verb === "watch");
  const isPlaceRight = definition.isNamespaced === (namespace !== "") || isAcrossNamespaces;
  if (!isPlaceRight || !path.startsWith(`/apis/${definition.group}/`)) throw pathNotFound();
  const operation = operationOf(verb);
  if (info.subresource === "") {
    if (operation === undefined) throw verbNotSupported(definition, verb);
    return { operation };
  }
  const subresource = definition.subresources.find((one) => one.name === info.subresource);
  if (subresource === undefined) throw notFound({ ...definition, name });
  if (operation === undefined || !subresource.verbs.includes(operation)) throw verbNotSupported(definition, verb);
  return { operation, subresource };
}

/** Built-in kinds have a route for each method and form of path that their storage serves. */
function builtInOperation(info: ResourceRequest, definition: ResourceDefinition): Found {
  const { group, version, plural } = definition;
  const root = group === "" ? `/api/${version}/` : `/apis/${group}/${version}/`;
  if (!info.path.startsWith(root) || info.verb === "proxy") throw pathNotFound();
  const [, , subresourceName, ...rest] = info.parts;
  const isAcrossNamespaces = definition.isNamespaced && !info.isInNamespace && info.parts.length === 1;
  if (definition.isNamespaced !== info.isInNamespace && !isAcrossNamespaces) throw pathNotFound();
  if (subresourceName !== undefined && group === "") refuseWorkOfNodes(plural, subresourceName, rest);
  if (rest.length > 0) throw pathNotFound();
  const subresource = definition.subresources.find(({ name }) => name === subresourceName);
  if (subresourceName !== undefined && subresource === undefined) throw pathNotFound();
  const { verbs } = subresource ?? definition;
  const routes = new Map([...methodsOf(info, isAcrossNamespaces)].filter(([, operation]) => verbs.includes(operation)));
  if (routes.size === 0) throw pathNotFound();
  const operation = routes.get(info.method);
  if (operation === undefined) throw methodNotAllowed();
  // `?watch=true` of a list
  const asked = operation === "list" && info.verb === "watch" ? "watch" : operation;
  if (!verbs.includes(asked)) throw methodNotAllowed();
  return { operation: asked, ...(subresource === undefined ? {} : { subresource }) };
}

/** The operations that the form of a path may have, by method. */
function methodsOf({ isWatchPath, parts }: ResourceRequest, isAcrossNamespaces: boolean): Map<string, Operation> {
  const operations = new Map<string, Operation>();
  if (isWatchPath) return parts.length > 2 ? operations : operations.set("GET", "watch");
  if (parts.length === 1) {
    operations.set("GET", "list");
    if (isAcrossNamespaces) return operations;
    return operations.set("POST", "create").set("DELETE", "deletecollection");
  }
  operations.set("GET", "get").set("PUT", "update").set("PATCH", "patch").set("DELETE", "delete");
  return parts.length === 2 ? operations : operations.set("POST", "create");
}

/** What only a node can do. */
const ofNodes: ReadonlyMap<string, readonly string[]> = new Map([
  ["pods", ["attach", "exec", "portforward", "proxy", "resize"]],
  ["services", ["proxy"]],
  ["nodes", ["proxy"]],
]);

/** Connections into Pods and through nodes, and new sizes of Pods that run. Only a proxy takes a path of its own. */
function refuseWorkOfNodes(plural: string, subresource: string, rest: readonly string[]): void {
  if (ofNodes.get(plural)?.includes(subresource) !== true) return;
  if (rest.length > 0 && subresource !== "proxy") throw pathNotFound();
  throw new ApiFailure(501, "NotImplemented", `this hub does not serve ${plural}/${subresource}`);
}

const operationNames: readonly Operation[] = [
  "get",
  "list",
  "watch",
  "create",
  "update",
  "patch",
  "delete",
  "deletecollection",
];

function operationOf(verb: string): Operation | undefined {
  return operationNames.find((name) => name === verb);
}
