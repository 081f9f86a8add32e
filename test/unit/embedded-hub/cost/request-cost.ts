import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { Json, JsonObject } from "../../../../src/core/json.ts";
import { silentLog } from "../../../../src/core/log.ts";
import { createAdmission } from "../../../../src/embedded-hub/admission/admission.ts";
import { createRbacAuthorizer } from "../../../../src/embedded-hub/auth/rbac-authorizer.ts";
import { isApiFailure } from "../../../../src/embedded-hub/failures/api-failure.ts";
import { objectOfBody, parseBody } from "../../../../src/embedded-hub/http/parse-body.ts";
import { parsePatch } from "../../../../src/embedded-hub/http/read-patch.ts";
import { asKubeObject } from "../../../../src/embedded-hub/metadata/kube-json.ts";
import type { OperationContext, Operations } from "../../../../src/embedded-hub/operations/operations.ts";
import type { ResourceDefinition } from "../../../../src/embedded-hub/operations/resource-definition.ts";
import { builtInResources } from "../../../../src/embedded-hub/resources/built-in-resources.ts";
import { ResourceRegistry } from "../../../../src/embedded-hub/resources/registry.ts";
import { openLevelPersistence } from "../../../../src/embedded-hub/store/level-persistence.ts";
import { openStore } from "../../../../src/embedded-hub/store/open-store.ts";
import { keyOf } from "../../../../src/embedded-hub/verbs/hub-scope.ts";
import { makeOperations } from "../../../../src/embedded-hub/verbs/make-operations.ts";
import { ServedViews } from "../../../../src/embedded-hub/verbs/served-views.ts";
import { createManualClock } from "../../../support/manual-clock.ts";
import { realRandom } from "../../../support/real-time.ts";

export const bodyKinds = ["create", "update", "json", "merge", "strategic", "apply"] as const;
export type BodyKind = (typeof bodyKinds)[number];

export interface MeasuredRequest {
  readonly definition: ResourceDefinition;
  readonly kind: BodyKind;
  readonly body: Json;
  /** What is stored before the request; nothing for a create. */
  readonly live?: JsonObject;
}

export interface Cost {
  readonly cpuMs: number;
  /** The status code of a refusal; 200 otherwise. */
  readonly code: number;
}

/** Everything of a hub that a write passes, from the bytes of the body to the text of the answer, without sockets. */
export interface MeasuredHub {
  readonly operations: Operations;
  /** Runs so often, and takes the cheapest; nothing is kept. */
  readonly measure: (request: MeasuredRequest, runs: number) => Promise<Cost>;
  readonly stop: () => Promise<void>;
}

export async function startMeasuredHub(): Promise<MeasuredHub> {
  const dir = await mkdtemp(join(tmpdir(), "rollcall-cost-"));
  const store = await openStore({ persistence: await openLevelPersistence({ dir, owner: "test" }), log: silentLog });
  const clock = createManualClock();
  const random = realRandom;
  const operations: Operations = makeOperations({
    store,
    registry: new ResourceRegistry(builtInResources()),
    views: new ServedViews(),
    admission: createAdmission({ operations: () => operations, authorizer: createRbacAuthorizer(), clock, random }),
    clock,
    random,
    answers: new Map(),
  });
  const definitionOf = (plural: string): ResourceDefinition => {
    const definition = operations.definitionOf("", plural);
    if (definition === undefined) throw new Error(`${plural} are not served`);
    return definition;
  };
  const put = async (definition: ResourceDefinition, object: JsonObject): Promise<void> => {
    const key = keyOf(definition, definition.isNamespaced ? "shop" : undefined, "live");
    const metadata = {
      ...(object["metadata"] as JsonObject),
      ...(definition.isNamespaced ? { namespace: "shop" } : {}),
    };
    const live = asKubeObject({ ...object, metadata: { ...metadata, uid: "u" } });
    await store.put(key, live, store.getForWrite(key)?.modRevision ?? 0);
  };
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" }, status: { phase: "Active" } };
  await store.put(keyOf(definitionOf("namespaces"), undefined, "shop"), namespace, 0);
  const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default", namespace: "shop" } };
  await store.put(keyOf(definitionOf("serviceaccounts"), "shop", "default"), account, 0);
  return {
    operations,
    measure: async (request, runs) => {
      const { definition, live } = request;
      const key = keyOf(definition, definition.isNamespaced ? "shop" : undefined, "live");
      if (live !== undefined) await put(definition, live);
      else await store.delete(key, store.getForWrite(key)?.modRevision ?? 0);
      let cheapest: Cost = { cpuMs: Number.POSITIVE_INFINITY, code: 0 };
      for (let run = 0; run < runs; run += 1) {
        const before = process.cpuUsage();
        const code = await send(operations, request);
        const { user, system } = process.cpuUsage(before);
        const cpuMs = (user + system) / 1000;
        if (cpuMs < cheapest.cpuMs) cheapest = { cpuMs, code };
      }
      return cheapest;
    },
    stop: async () => {
      await store.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** The code of the answer. */
async function send(operations: Operations, { definition, kind, body }: MeasuredRequest): Promise<number> {
  const bytes = Buffer.from(JSON.stringify(body));
  const target = { definition, name: "live", ...(definition.isNamespaced ? { namespace: "shop" } : {}) };
  const context: OperationContext = {
    user: { username: "admin", groups: ["system:masters"] },
    fieldManager: "cost",
    isDryRun: true,
    fieldValidation: "Warn",
    warnings: [],
  };
  const authorizeCreate = (): void => undefined;
  try {
    if (kind === "create" || kind === "update") {
      const object = objectOfBody(parseBody(bytes, "json", definition).value, definition);
      const answer =
        kind === "create"
          ? await operations.create(context, target, object)
          : await operations.write(context, target, { content: { kind, object }, authorizeCreate });
      return JSON.stringify(answer) === "" ? 0 : 200;
    }
    const { patch } = parsePatch(bytes, kind, true);
    const answer = await operations.write(context, target, { content: patch, authorizeCreate });
    return JSON.stringify(answer) === "" ? 0 : 200;
  } catch (error) {
    if (!isApiFailure(error)) throw error;
    return JSON.stringify(error.status) === "" ? 0 : error.status.code;
  }
}
