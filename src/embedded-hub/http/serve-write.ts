import type { JsonObject } from "../../core/json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { creationForbidden } from "../auth/forbidden.ts";
import { notFound } from "../failures/failures.ts";
import type { PatchBody, Target } from "../operations/operations.ts";
import type { SubresourceDefinition } from "../operations/resource-definition.ts";
import type { Exchange, HttpScope } from "./exchange.ts";
import { presentationOf } from "./exchange.ts";
import { negotiateInput } from "./media-types.ts";
import { operationContext } from "./operation-context.ts";
import { customObjectOfBody, objectOfBody, parseBody } from "./parse-body.ts";
import { readPatchQuery, readWriteQuery } from "./query.ts";
import { readBody } from "./read-body.ts";
import { parsePatch, patchKindOf } from "./read-patch.ts";
import { sendObject } from "./send-object.ts";

type AnyTarget = Omit<Target, "name"> & { readonly name?: string };

export async function serveCreate(
  scope: HttpScope,
  exchange: Exchange,
  target: AnyTarget,
  subresource: SubresourceDefinition | undefined,
): Promise<void> {
  const { request, query } = exchange;
  const { definition } = target;
  const presentation = presentationOf(scope, exchange, definition);
  const encoding = negotiateInput(request.headers["content-type"]);
  const expected = subresource?.kind ?? definition;
  const { options, object, problems } = await readBody(scope, exchange, async (body, readYaml) => {
    const asked = readWriteQuery(query, "CreateOptions");
    const parsed = await parseBody(body, { encoding, expected, readYaml });
    return { options: asked, object: readObject(parsed.value, body, target, subresource), problems: parsed.problems };
  });
  exchange.audit?.requested(object);
  const created = await scope.operations.create(operationContext(exchange, options, problems), target, object);
  await sendObject(exchange, created, { presentation, statusCode: 201 });
}

export async function serveUpdate(
  scope: HttpScope,
  exchange: Exchange,
  target: Target,
  subresource: SubresourceDefinition | undefined,
): Promise<void> {
  const { request, query } = exchange;
  const { definition } = target;
  const presentation = presentationOf(scope, exchange, definition);
  const expected = subresource?.kind ?? definition;
  const { options, update, problems } = await readBody(scope, exchange, async (body, readYaml) => {
    const asked = readWriteQuery(query, "UpdateOptions");
    const encoding = negotiateInput(request.headers["content-type"]);
    const parsed = await parseBody(body, { encoding, expected, readYaml });
    return { options: asked, update: readObject(parsed.value, body, target, subresource), problems: parsed.problems };
  });
  exchange.audit?.requested(update);
  const { object, isCreated } = await scope.operations.write(operationContext(exchange, options, problems), target, {
    content: { kind: "update", object: update },
    authorizeCreate: () => authorizeCreate(scope, exchange, target),
  });
  await sendObject(exchange, object, { presentation, statusCode: isCreated ? 201 : 200 });
}

export async function servePatch(scope: HttpScope, exchange: Exchange, target: Target): Promise<void> {
  const { request, query } = exchange;
  const { definition } = target;
  const patchKind = patchKindOf(request.headers["content-type"], definition);
  const presentation = presentationOf(scope, exchange, definition);
  const { options, patch, problems } = await readBody(scope, exchange, async (body, readYaml) => {
    const patched = readPatchQuery(query, patchKind === "apply");
    const { isForced, fieldValidation } = patched;
    const isUnchecked = fieldValidation === "Ignore";
    try {
      return { options: patched, ...(await parsePatch(body, { kind: patchKind, isForced, isUnchecked, readYaml })) };
    } catch (error) {
      // Where there is nothing to patch, the patch is not read.
      if (patchKind !== "apply") checkExists(scope, target);
      throw error;
    }
  });
  exchange.audit?.patched(contentOf(patch));
  const context = operationContext(exchange, options, problems);
  const { object, isCreated } = await scope.operations.write(context, target, {
    content: patch,
    authorizeCreate: () => authorizeCreate(scope, exchange, target),
  });
  await sendObject(exchange, object, { presentation, statusCode: isCreated ? 201 : 200 });
}

function checkExists({ operations }: HttpScope, target: Target): void {
  const { definition, name } = target;
  if (operations.readServed(target) !== undefined) return;
  throw notFound({ group: definition.group, plural: definition.plural, name });
}

function contentOf(patch: PatchBody): unknown {
  if (patch.kind === "json") return patch.operations;
  return patch.kind === "apply" ? patch.object : patch.patch;
}

function readObject(
  value: JsonObject,
  body: Buffer,
  { definition }: Pick<AnyTarget, "definition">,
  subresource: SubresourceDefinition | undefined,
): KubeObject {
  const expected = subresource?.kind ?? definition;
  const isCustom = definition.isCustom && subresource?.kind === undefined;
  return isCustom ? customObjectOfBody(value, expected, body) : objectOfBody(value, expected);
}

/** A PUT or apply that creates needs the right to create besides. */
function authorizeCreate({ authorizer }: HttpScope, { user }: Exchange, target: Target): void {
  const { definition, namespace, name, subresource } = target;
  const attributes = {
    kind: "resource",
    user,
    verb: "create",
    group: definition.group,
    version: definition.version,
    resource: definition.plural,
    name,
    ...(subresource === undefined ? {} : { subresource }),
    ...(namespace === undefined ? {} : { namespace }),
  } as const;
  const { isAllowed, reason } = authorizer.authorize(attributes);
  if (!isAllowed) throw creationForbidden(attributes, reason);
}
