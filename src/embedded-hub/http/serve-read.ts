import { ApiFailure } from "../failures/api-failure.ts";
import { badRequest, notFound } from "../failures/failures.ts";
import type { Target } from "../operations/operations.ts";
import { revisionOf } from "../request/parse-version.ts";
import type { Exchange, HttpScope } from "./exchange.ts";
import { presentationOf } from "./exchange.ts";
import { readBoolean, readListQuery } from "./query.ts";
import { readSelection } from "./selection.ts";
import { sendList, sendServed } from "./send-object.ts";

export async function serveGet(scope: HttpScope, exchange: Exchange, target: Target): Promise<void> {
  const { definition, name } = target;
  if (readBoolean(exchange.query, "export")) {
    throw badRequest("the export parameter, deprecated since v1.14, is no longer supported");
  }
  const asked = exchange.query.get("resourceVersion") ?? "";
  const revision = revisionOf(asked, (message) => new ApiFailure(500, "", message));
  const presentation = presentationOf(scope, exchange, definition);
  // The object must not be older than that, nor its absence.
  await scope.operations.whenReached(revision);
  const served = scope.operations.readServed(target);
  if (served === undefined) throw notFound({ group: definition.group, plural: definition.plural, name });
  await sendServed(exchange, served, presentation);
}

export async function serveList(scope: HttpScope, exchange: Exchange, target: Omit<Target, "name">): Promise<void> {
  const { query } = exchange;
  const { definition } = target;
  const listQuery = readListQuery(query, false);
  const presentation = presentationOf(scope, exchange, definition);
  const page = await scope.operations.readPage(definition, { ...listQuery, ...readSelection(query, target) });
  await sendList(exchange, page, presentation);
}
