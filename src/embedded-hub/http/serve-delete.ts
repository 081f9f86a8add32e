import type { JsonObject } from "../../core/json.ts";
import { textAt } from "../../core/read-json.ts";
import { ApiFailure } from "../failures/api-failure.ts";
import { invalid } from "../failures/failures.ts";
import type { DeleteBody, Deleted, Target } from "../operations/operations.ts";
import type { ResourceDefinition } from "../operations/resource-definition.ts";
import type { KubeStatus } from "../../model/kubernetes.ts";
import { checkPropagation, readDeleteOptions } from "../request/delete-options.ts";
import { decodeBuiltIn } from "../types/decode-built-in.ts";
import { messageType } from "../types/type-registry.ts";
import type { Exchange, HttpScope } from "./exchange.ts";
import { presentationOf } from "./exchange.ts";
import { negotiateInput } from "./media-types.ts";
import { operationContext } from "./operation-context.ts";
import { noProblems, parseBody } from "./parse-body.ts";
import { checkDryRunValues, readDeleteQuery, readListQuery } from "./query.ts";
import { readBody } from "./read-body.ts";
import { readSelection } from "./selection.ts";
import { sendList, sendObject, sendStatus } from "./send-object.ts";

interface DeleteRequest {
  readonly options: DeleteBody;
  readonly isDryRun: boolean;
}

const deleteOptionsKind = { group: "", version: "v1", kind: "DeleteOptions" };

export async function serveDelete(scope: HttpScope, exchange: Exchange, target: Target): Promise<void> {
  const presentation = presentationOf(scope, exchange, target.definition);
  const { options, isDryRun } = await readDeleteRequest(scope, exchange);
  const deleted = await scope.operations.delete(contextOf(exchange, isDryRun), target, options);
  const statusCode = !deleted.isGone && options.orphanDependents === false ? 202 : 200;
  if (!deleted.isGone || target.definition.hooks.returnsDeletedObject === true) {
    await sendObject(exchange, deleted.object, { presentation, statusCode });
  } else {
    await sendStatus(exchange, statusOf(target.definition, deleted), { presentation, statusCode });
  }
}

export async function serveDeleteCollection(
  scope: HttpScope,
  exchange: Exchange,
  target: Omit<Target, "name">,
): Promise<void> {
  const { query } = exchange;
  const presentation = presentationOf(scope, exchange, target.definition);
  const selection = { ...readListQuery(query, false), ...readSelection(query, target) };
  const { options, isDryRun } = await readDeleteRequest(scope, exchange);
  const page = await scope.operations.deleteCollection(contextOf(exchange, isDryRun), target, {
    query: selection,
    options,
  });
  await sendList(exchange, page, presentation);
}

function contextOf(exchange: Exchange, isDryRun: boolean): ReturnType<typeof operationContext> {
  return operationContext(exchange, { fieldManager: undefined, fieldValidation: "Ignore", isDryRun }, noProblems);
}

/** The Status of a completed deletion. */
function statusOf({ group, plural }: ResourceDefinition, { object }: Deleted): KubeStatus {
  const { name, uid } = object.metadata;
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: { name, ...(group === "" ? {} : { group }), kind: plural, ...(uid === undefined ? {} : { uid }) },
  };
}

async function readDeleteRequest(scope: HttpScope, exchange: Exchange): Promise<DeleteRequest> {
  const { request, query } = exchange;
  const value = await readBody(scope, exchange, async (body, readYaml) => {
    // Without a body its type does not count.
    if (body.length === 0) return undefined;
    const encoding = negotiateInput(request.headers["content-type"]);
    const refuse = (reason: string): Error => new ApiFailure(500, "", reason);
    return (await parseBody(body, { encoding, expected: deleteOptionsKind, refuse, readYaml })).value;
  });
  const { dryRun, ...options } = value === undefined ? readDeleteQuery(query) : optionsOf(value);
  if (value !== undefined) exchange.audit?.requested(value);
  const errors = [...checkPropagation(options), ...checkDryRunValues(dryRun)];
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind: "DeleteOptions", name: "" }, errors);
  return { options, isDryRun: dryRun.length > 0 };
}

/** Throws 500 for a value of a wrong type: read as if it were absent, it would delete more than was asked for. */
function decodeOptions(value: JsonObject): JsonObject {
  const { object, error } = decodeBuiltIn(messageType("meta.DeleteOptions"), value);
  if (error !== undefined) throw new ApiFailure(500, "", error);
  return object;
}

function optionsOf(value: JsonObject): ReturnType<typeof readDeleteOptions> {
  const kind = textAt(value, "kind") ?? "DeleteOptions";
  if (kind === "DeleteOptions") return readDeleteOptions(decodeOptions(value));
  const version = JSON.stringify(textAt(value, "apiVersion") ?? "");
  const text = `no kind ${JSON.stringify(kind)} is registered for version ${version} in scheme "pkg/runtime/scheme.go:110"`;
  throw new ApiFailure(500, "", text);
}
