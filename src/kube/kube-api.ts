import type { Clock, Random } from "../core/clock.ts";
import { AppError, isAppError } from "../core/errors.ts";
import { textAt } from "../core/read-json.ts";
import type { KubeObject, ObjectRef, ResourceType } from "../model/kubernetes.ts";
import { apiVersionOf, describeRef, refOf } from "../model/kubernetes.ts";
import { resourceTypeOf, resourceTypes } from "../model/resource-types.ts";
import { createAnswerBudget } from "./answer-budget.ts";
import type { AnswerBudget } from "./answer-budget.ts";
import type { DeleteOptions, IssuedToken, KubeApi, TokenRequest, WriteOptions } from "./kube.ts";
import { makeError } from "./kube-errors.ts";
import type { Operation } from "./kube-errors.ts";
import { listPages } from "./list-pages.ts";
import { parseAnswer, parseObject } from "./parse-objects.ts";
import { collectionPath, objectPath, withQuery } from "./resource-path.ts";
import { redactingApi, rememberCredentials } from "./redacting-api.ts";
import { sendRawRequest, sendRequest, smallAnswerBytes } from "./send-request.ts";
import type { ApiRequest, SenderOptions } from "./send-request.ts";
import type { PoolName, Transport } from "./transport.ts";
import { watchEvents } from "./watch-events.ts";

export interface KubeApiOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  /** Kinds besides those of resource-types.ts that create, update and apply know. */
  readonly types?: readonly ResourceType[];
  /** What callers get of an error. Default: the error. */
  readonly explain?: (error: unknown) => unknown;
  /** For the head of an answer, and again for its body; watches have limits of their own. Default 30 s. */
  readonly timeoutMs?: number;
  /** Of one page of a list; a page that is larger is asked for again with fewer objects. Default 16 MiB. */
  readonly maxPageBytes?: number;
  /**
   * Of one object, and of one event of a watch. Default 4 MiB: API servers take requests of 3 MiB, and add who owns which field.
   */
  readonly maxObjectBytes?: number;
  /** Of all answers that are being read at once; connections may share it. Default 64 MiB for this one. */
  readonly answers?: AnswerBudget;
  /** Objects in one page of a list. Default 500. */
  readonly pageSize?: number;
  /** How long the server is asked to keep a watch open, without the jitter of 20 s. Default 290. */
  readonly watchSeconds?: number;
  /** A watch without events for this long is ended; servers send a bookmark every minute. Default 150 s. */
  readonly watchSilenceMs?: number;
}

type Subresource = "status" | undefined;

const lease = resourceTypes.lease;

/**
 * The port KubeApi on a transport. It never limits its own rate: the server and the callers do. No error and no text of
 * getRaw contains a credential that this connection has used, in any form that the server repeats it.
 */
export function createKubeApi(options: KubeApiOptions): KubeApi {
  const { transport, secrets } = rememberCredentials(options.transport);
  return redactingApi(createPlainApi({ ...options, transport }), secrets, options.explain);
}

function createPlainApi(options: KubeApiOptions): KubeApi {
  const { transport, timeoutMs = 30_000, maxPageBytes = 16 << 20, pageSize = 500 } = options;
  const { maxObjectBytes = 4 << 20, watchSeconds = 290, watchSilenceMs = 150_000, types = [] } = options;
  const requestCounts = new Map<string, number>();
  const answers = options.answers ?? createAnswerBudget(64 << 20);
  const sender: SenderOptions = { ...options, timeoutMs, maxObjectBytes, answers, requestCounts };
  const maxEventBytes = maxObjectBytes + smallAnswerBytes;
  const limits = { durationSeconds: watchSeconds, unresponsiveMs: watchSilenceMs, maxEventBytes };

  return {
    server: transport.server,
    requestCounts,

    async get(ref, { signal } = {}) {
      const operation = operationOn("get", ref);
      try {
        const request = { method: "GET", path: objectPath(ref), pool: poolOf(ref), signal } as const;
        return await sendRequest(sender, operation, request, (text) => parseObject(text, operation));
      } catch (error) {
        if (isObjectMissing(error, ref)) return undefined;
        throw error;
      }
    },

    list: (type, listOptions = {}) => listPages(sender, { pageSize, maximumBytes: maxPageBytes }, type, listOptions),

    watch: (type, watchOptions) => watchEvents(sender, limits, type, watchOptions),

    ...writeVerbs(sender, types),

    async delete(ref, deleteOptions = {}) {
      const { signal, beforeSend } = deleteOptions;
      const request = { method: "DELETE", path: objectPath(ref), pool: poolOf(ref), signal, beforeSend } as const;
      try {
        const deleting = { ...request, body: deleteBody(deleteOptions) };
        await sendRequest(sender, operationOn("delete", ref), deleting, () => undefined);
      } catch (error) {
        if (!isObjectMissing(error, ref)) throw error;
      }
    },

    requestToken: (request) => requestToken(sender, request),

    getRaw: (path, { signal } = {}) =>
      sendRawRequest(sender, { verb: "raw", object: path }, { method: "GET", path, pool: "work", signal }),

    close: () => transport.close(),
  };
}

/** The verbs that send objects. */
function writeVerbs(
  sender: SenderOptions,
  types: readonly ResourceType[],
): Pick<KubeApi, "create" | "update" | "apply" | "mergePatch"> {
  const refOfObject = (object: KubeObject): ObjectRef => {
    const known = types.find((type) => type.kind === object.kind && apiVersionOf(type) === object.apiVersion);
    const type = known ?? resourceTypeOf(object);
    if (type === undefined) throw new AppError("E_BUG", `no resource is known for ${object.apiVersion} ${object.kind}`);
    return refOf(type, object);
  };
  const write = async (operation: Operation, request: ApiRequest) =>
    sendRequest(sender, operation, request, (text) => parseObject(text, operation));

  return {
    async create(object, { signal, beforeSend, ...writeOptions }) {
      const ref = refOfObject(object);
      const path = withQuery(collectionPath(ref.type, ref.namespace), writeQuery(writeOptions));
      const pool = poolOf(ref);
      return write(operationOn("create", ref), { method: "POST", path, pool, body: object, signal, beforeSend });
    },

    async update(object, { subresource, signal, beforeSend, ...writeOptions }) {
      const ref = refOfObject(object);
      const operation = operationOn("update", ref, subresource);
      if (!object.metadata.resourceVersion) throw makeError("E_BUG", operation, "an update needs a resourceVersion");
      const path = withQuery(objectPath(ref, subresource), writeQuery(writeOptions));
      const pool = poolOf(ref, subresource);
      return write(operation, { method: "PUT", path, pool, body: object, signal, beforeSend });
    },

    async apply(object, { isForced = true, subresource, signal, beforeSend, ...writeOptions }) {
      const ref = refOfObject(object);
      const query = { ...writeQuery(writeOptions), force: isForced };
      const path = withQuery(objectPath(ref, subresource), query);
      // JSON is YAML.
      const content = { body: object, contentType: "application/apply-patch+yaml", signal, beforeSend };
      const pool = poolOf(ref, subresource);
      return write(operationOn("apply", ref, subresource), { method: "PATCH", path, pool, ...content });
    },

    async mergePatch(ref, patch, { subresource, isStrategic, signal, beforeSend, ...writeOptions }) {
      const path = withQuery(objectPath(ref, subresource), writeQuery(writeOptions));
      const content = {
        body: patch,
        contentType: `application/${isStrategic ? "strategic-" : ""}merge-patch+json`,
        signal,
        beforeSend,
      };
      const pool = poolOf(ref, subresource);
      return write(operationOn("patch", ref, subresource), { method: "PATCH", path, pool, ...content });
    },
  };
}

async function requestToken(sender: SenderOptions, request: TokenRequest): Promise<IssuedToken> {
  const { namespace, serviceAccount, expirationSeconds, audiences, boundSecret, boundPod } = request;
  const { signal, beforeSend } = request;
  const ref = { type: resourceTypes.serviceAccount, namespace, name: serviceAccount };
  const operation = { verb: "token", object: describeRef(ref) };
  const body = {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: {
      expirationSeconds,
      audiences: audiences ?? [],
      ...(boundSecret === undefined ? {} : { boundObjectRef: { apiVersion: "v1", kind: "Secret", ...boundSecret } }),
      ...(boundPod === undefined ? {} : { boundObjectRef: { apiVersion: "v1", kind: "Pod", ...boundPod } }),
    },
  };
  const path = objectPath(ref, "token");
  const maximumBytes = smallAnswerBytes;
  const posting = { method: "POST", path, pool: "work", body, maximumBytes, signal, beforeSend } as const;
  const answer = await sendRequest(sender, operation, posting, (text) => parseAnswer(text, operation));
  const token = textAt(answer, "status", "token");
  const expiresAt = textAt(answer, "status", "expirationTimestamp");
  if (!token || !expiresAt) throw makeError("E_KUBE_SERVER", operation, "the answer has no token");
  return { token, expiresAt };
}

function operationOn(verb: string, ref: ObjectRef, subresource?: Subresource): Operation {
  const { kind, group } = ref.type;
  // Objects with generateName, and reviews, have no name yet.
  const object = ref.name ? describeRef(ref) : [kind, ref.namespace].filter(Boolean).join("/");
  return {
    verb,
    object: subresource === undefined ? object : `${object} (${subresource})`,
    isSecret: kind === "Secret" && group === "",
  };
}

function poolOf({ type }: ObjectRef, subresource?: Subresource): PoolName {
  if (type.plural === lease.plural && type.group === lease.group) return "lease";
  return subresource === undefined ? "work" : "status";
}

function writeQuery({ fieldManager, isDryRun }: WriteOptions): Record<string, string | undefined> {
  return { fieldManager, dryRun: isDryRun ? "All" : undefined };
}

function deleteBody({ uid, resourceVersion, propagation, gracePeriodSeconds }: DeleteOptions) {
  const hasPreconditions = uid !== undefined || resourceVersion !== undefined;
  return {
    apiVersion: "v1",
    kind: "DeleteOptions",
    ...(hasPreconditions ? { preconditions: { uid, resourceVersion } } : {}),
    propagationPolicy: propagation,
    gracePeriodSeconds,
  };
}

/** The server knows the resource and reports that this object does not exist: a 404 that names it. */
function isObjectMissing(error: unknown, ref: ObjectRef): boolean {
  return isAppError(error, "E_KUBE_NOT_FOUND") && error.data["missing"] === ref.name;
}
