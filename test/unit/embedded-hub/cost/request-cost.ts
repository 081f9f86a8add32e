import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { Lexer } from "yaml";
import type { Clock } from "../../../../src/core/clock.ts";
import type { Json, JsonObject } from "../../../../src/core/json.ts";
import { bodyBounds } from "../../../../src/core/yaml/yaml-bounds.ts";
import { silentLog } from "../../../../src/core/log.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { createAdmission } from "../../../../src/embedded-hub/admission/admission.ts";
import { createAuthenticator } from "../../../../src/embedded-hub/auth/authenticator.ts";
import { createRbacAuthorizer } from "../../../../src/embedded-hub/auth/rbac-authorizer.ts";
import { isApiFailure } from "../../../../src/embedded-hub/failures/api-failure.ts";
import { objectOfBody, parseBody } from "../../../../src/embedded-hub/http/parse-body.ts";
import { bodyLimitBytes } from "../../../../src/embedded-hub/http/read-body.ts";
import { parsePatch } from "../../../../src/embedded-hub/http/read-patch.ts";
import { asKubeObject } from "../../../../src/embedded-hub/metadata/kube-json.ts";
import type { OperationContext, Operations } from "../../../../src/embedded-hub/operations/operations.ts";
import type { ResourceDefinition } from "../../../../src/embedded-hub/operations/resource-definition.ts";
import { builtInResources } from "../../../../src/embedded-hub/resources/built-in-resources.ts";
import { ResourceRegistry } from "../../../../src/embedded-hub/resources/registry.ts";
import { encodeKubeObject } from "../../../../src/embedded-hub/protobuf/kube-protobuf.ts";
import { createAnswers } from "../../../../src/embedded-hub/reviews/reviews.ts";
import { openLevelPersistence } from "../../../../src/embedded-hub/store/level-persistence.ts";
import { openStore } from "../../../../src/embedded-hub/store/open-store.ts";
import { keyOf } from "../../../../src/embedded-hub/verbs/hub-scope.ts";
import { createTurns } from "../../../../src/embedded-hub/operations/turns.ts";
import { makeOperations } from "../../../../src/embedded-hub/verbs/make-operations.ts";
import { ServedViews } from "../../../../src/embedded-hub/verbs/served-views.ts";
import { createManualClock } from "../../../support/manual-clock.ts";
import { realRandom } from "../../../support/real-time.ts";
import { hubKey } from "../auth/auth-builders.ts";

export const bodyKinds = [
  "create",
  "update",
  "json",
  "merge",
  "strategic",
  "apply",
  "yaml",
  "protobuf",
  "review",
] as const;
export type BodyKind = (typeof bodyKinds)[number];

export interface MeasuredRequest {
  readonly definition: ResourceDefinition;
  /** `yaml` and `protobuf` are creates in these encodings, `review` is a create that is only answered. */
  readonly kind: BodyKind;
  readonly body: Json;
  /** What is stored before the request; nothing for a create. */
  readonly live?: JsonObject;
}

export interface Cost {
  /** Of the event loop's thread. */
  readonly cpuMs: number;
  /** The status code of a refusal; 200 otherwise. */
  readonly code: number;
}

/** Everything of a hub that a write passes, from the bytes of the body to the text of the answer, without sockets. */
export interface MeasuredHub {
  readonly operations: Operations;
  /**
   * Sends the request `runs` times, and takes the cheapest; nothing is kept. With `inOne` one run sends it so often, and its
   * cost is the mean.
   */
  readonly measure: (request: MeasuredRequest, runs: number, inOne?: number) => Promise<Cost>;
  /** Stores an object as it is. */
  readonly store: (definition: ResourceDefinition, object: KubeObject) => Promise<void>;
  readonly stop: () => Promise<void>;
}

export async function startMeasuredHub(clock: Clock = createManualClock()): Promise<MeasuredHub> {
  const dir = await mkdtemp(join(tmpdir(), "rollcall-cost-"));
  const store = await openStore({ persistence: await openLevelPersistence({ dir, owner: "test" }), log: silentLog });
  const random = realRandom;
  const authorizer = createRbacAuthorizer();
  const authenticator = createAuthenticator({ issuer: "test", keys: [], read: () => undefined, nowMs: () => 0 });
  const issuer = { issuer: "test", key: hubKey, read: () => undefined, nowMs: () => 0, newUuid: () => "u" };
  const admission = createAdmission({ operations: () => operations, authorizer, clock, random });
  const operations: Operations = makeOperations({
    store,
    registry: new ResourceRegistry(builtInResources()),
    views: new ServedViews(),
    admission,
    clock,
    random,
    turns: createTurns(() => clock.monotonicMs()),
    answers: createAnswers({ authenticator, authorizer, issuer, admission, clock, operations: () => operations }),
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
    measure: async (request, runs, inOne = 1) => {
      const { definition, live } = request;
      const key = keyOf(definition, definition.isNamespaced ? "shop" : undefined, "live");
      if (live !== undefined) await put(definition, live);
      else await store.delete(key, store.getForWrite(key)?.modRevision ?? 0);
      const bytes = bytesOf(request);
      if (bytes === undefined || bytes.length > bodyLimitBytes)
        return { cpuMs: 0, code: bytes === undefined ? 415 : 413 };
      let cheapest: Cost = { cpuMs: Number.POSITIVE_INFINITY, code: 0 };
      for (let run = 0; run < runs; run += 1) {
        const beforeMs = loopCpuMs();
        let code = 0;
        for (let sent = 0; sent < inOne; sent += 1) code = await send(operations, request, bytes);
        const cpuMs = (loopCpuMs() - beforeMs) / inOne;
        if (cpuMs < cheapest.cpuMs) cheapest = { cpuMs, code };
      }
      return cheapest;
    },
    store: async (definition, object) => {
      const { namespace, name } = object.metadata;
      await store.put(keyOf(definition, namespace, name), object, 0);
    },
    stop: async () => {
      await store.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** What the thread of the event loop has computed, without the collectors of garbage beside it where the system reports it. */
function loopCpuMs(): number {
  const file = `/proc/self/task/${process.pid}/schedstat`;
  if (existsSync(file)) return Number(readFileSync(file, "utf8").split(" ")[0]) / 1e6;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The body as it is sent; undefined where a kind has no such form. */
export function bytesOf({ kind, body }: Pick<MeasuredRequest, "kind" | "body">): Buffer | undefined {
  if (kind === "yaml") return Buffer.from(blockYaml(body));
  if (kind !== "protobuf") return Buffer.from(JSON.stringify(body));
  const bytes = encodeKubeObject(body as JsonObject);
  return bytes === undefined ? undefined : Buffer.from(bytes);
}

export const nearlyMostBytes = bodyLimitBytes - 4_096;

/** How much of what is accepted a body is: of the bytes, and of the pieces of syntax in YAML. */
export function shareOf(request: Pick<MeasuredRequest, "kind" | "body">): number {
  const bytes = bytesOf(request);
  const ofBytes = (bytes?.length ?? 0) / nearlyMostBytes;
  if (request.kind !== "yaml") return ofBytes;
  let pieces = 0;
  for (const _ of new Lexer().lex(blockYaml(request.body))) pieces += 1;
  return Math.max(ofBytes, pieces / (bodyBounds.maxTokens - 100));
}

/** YAML as people write it. */
function blockYaml(value: Json, indent = ""): string {
  if (typeof value !== "object" || value === null) return ` ${JSON.stringify(value)}\n`;
  const below = `${indent}  `;
  const lines = Array.isArray(value)
    ? (value as readonly Json[]).map((item) => `${indent}-${blockYaml(item, below)}`)
    : Object.entries(value).map(([key, item]) => `${indent}${JSON.stringify(key)}:${blockYaml(item ?? null, below)}`);
  return lines.length === 0 ? ` ${JSON.stringify(value)}\n` : `\n${lines.join("")}`;
}

/** The code of the answer. */
async function send(operations: Operations, request: MeasuredRequest, bytes: Buffer): Promise<number> {
  const { definition, kind } = request;
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
    if (kind === "json" || kind === "merge" || kind === "strategic" || kind === "apply") {
      const { patch } = await parsePatch(bytes, { kind, isForced: true, isUnchecked: false });
      const answer = await operations.write(context, target, { content: patch, authorizeCreate });
      return JSON.stringify(answer) === "" ? 0 : 200;
    }
    const encoding = kind === "yaml" || kind === "protobuf" ? kind : "json";
    const { value } = await parseBody(bytes, { encoding, expected: definition });
    const object = objectOfBody(value, definition);
    const answer =
      kind === "update"
        ? await operations.write(context, target, { content: { kind, object }, authorizeCreate })
        : await operations.create(context, target, object);
    return JSON.stringify(answer) === "" ? 0 : 200;
  } catch (error) {
    if (!isApiFailure(error)) throw error;
    return JSON.stringify(error.status) === "" ? 0 : error.status.code;
  }
}
