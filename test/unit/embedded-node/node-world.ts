import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Clock } from "../../../src/core/clock.ts";
import { objectsAt, textAt } from "../../../src/core/read-json.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { silentLog } from "../../../src/core/log.ts";
import type { NodeEvent } from "../../../src/embedded-node/event-writer.ts";
import type { KubeObject } from "../../../src/embedded-node/node-types.ts";
import { PodManager } from "../../../src/embedded-node/pod-manager.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { realClock, realRandom } from "../../support/real-time.ts";
import { until } from "../../support/until.ts";

/** The Pods of a node that runs the image of a container as a script of the shell. */
export interface NodeWorld {
  readonly manager: PodManager;
  readonly dir: string;
  /** All statuses that were written, oldest first, each with the uid that the write required. */
  readonly writes: { readonly uid: string; readonly status: JsonObject }[];
  /** `Started Started container main` */
  readonly events: string[];
  /** Ends all containers: then nothing more is written. */
  readonly stop: () => Promise<void>;
  /** Waits until the newest status of that Pod is so; returns it. */
  readonly untilStatus: (isMet: (status: JsonObject) => boolean, uid?: string) => Promise<JsonObject>;
}

interface WorldOptions {
  /** The folder of a node that was stopped. Default: a new one. */
  readonly dir?: string;
  readonly clock?: Clock;
  /** Called before a status is written; the API server answers when it resolves. */
  readonly onWrite?: (status: JsonObject) => Promise<void>;
  /** Called when a Pod is deleted, with the uid. */
  readonly onDelete?: (uid: string) => void;
}

/** Each container starts again at once. The API server has no Secrets. */
export async function nodeWorld(options: WorldOptions = {}): Promise<NodeWorld> {
  const { clock = realClock, onWrite, onDelete } = options;
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), "rollcall-pods-")));
  const writes: NodeWorld["writes"] = [];
  const events: string[] = [];
  const api = {
    get: () => Promise.resolve(undefined),
    mergePatch: async (_: unknown, patch: { metadata: { uid: string }; status: JsonObject }) => {
      await onWrite?.(patch.status);
      writes.push({ uid: patch.metadata.uid, status: patch.status });
      return {};
    },
    delete: (_: unknown, { uid }: { readonly uid: string }) => Promise.resolve(onDelete?.(uid)),
  } as unknown as KubeApi;
  let ids = 0;
  const manager = new PodManager(dir, {
    api,
    node: { nodeName: "node", address: "127.0.0.1", allocatable: {} },
    service: { host: "127.0.0.1", port: "443" },
    resolveImage: (image) => {
      if (image === "none") return undefined;
      const [command, args] = image.startsWith("/") ? [image, []] : ["/bin/sh", ["-c", image]];
      return { command, args, env: { PATH: "/usr/bin:/bin" } };
    },
    records: { add: async () => undefined, remove: async () => undefined, reap: async () => undefined },
    events: {
      write: (_: KubeObject, { reason, message }: NodeEvent) => void events.push(`${reason} ${message}`),
      stop: async () => undefined,
    },
    clock,
    random: realRandom,
    log: silentLog,
    backoff: { initialMs: 1, maximumMs: 1, resetMs: 60_000, sourceMs: 1 },
    maxLogBytes: 100_000,
    newId: () => String((ids += 1)),
  });
  onTestFinished(async () => {
    await manager.stop(0);
    await rm(dir, { recursive: true, force: true });
  });
  return {
    manager,
    dir,
    writes,
    events,
    stop: () => manager.stop(0),
    untilStatus: async (isMet, uid = "u") => {
      const newest = async () => writes.findLast((write) => write.uid === uid)?.status;
      return (await until(newest, (status) => status !== undefined && isMet(status))) ?? {};
    },
  };
}

export interface ScriptedContainer {
  readonly name?: string;
  /** A script of the shell, the path of a program, or `none`. Default: runs until it is asked to end. */
  readonly image?: string;
  readonly [field: string]: unknown;
}

/** It ends on SIGTERM, as its shell does not wait for it. */
export const untilAsked = "exec sleep 1000";

export function scriptedPod(
  containers: readonly ScriptedContainer[],
  more: { readonly uid?: string; readonly spec?: JsonObject; readonly status?: JsonObject } = {},
): KubeObject {
  const { uid = "u", spec = {}, status = {} } = more;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "ns", uid },
    spec: {
      terminationGracePeriodSeconds: 600,
      containers: containers.map(withDefaults),
      ...spec,
    },
    status,
  };
}

export function withDefaults(container: ScriptedContainer): JsonObject {
  return { name: "main", image: untilAsked, ...(container as JsonObject) };
}

/** The status of a container, of any kind. */
export function containerOf(status: JsonObject, name = "main"): JsonObject {
  const all = [...objectsAt(status, "containerStatuses"), ...objectsAt(status, "initContainerStatuses")];
  return all.find((one) => textAt(one, "name") === name) ?? {};
}
