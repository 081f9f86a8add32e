import { backoffMs } from "../core/backoff.ts";
import type { Clock, Random } from "../core/clock.ts";
import { isAppError } from "../core/errors.ts";
import { isJsonEqual } from "../core/json.ts";
import type { JsonObject } from "../core/json.ts";
import { objectsAt } from "../core/read-json.ts";
import type { Log } from "../core/log.ts";
import type { KubeApi } from "../kube/kube.ts";
import { nodeManager, nodeResources } from "./node-types.ts";
import type { PodSpec } from "./pod-spec.ts";

export interface StatusWriterOptions {
  readonly api: Pick<KubeApi, "mergePatch">;
  readonly spec: PodSpec;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Writes the newest status of one Pod: one write at a time, nothing that is written already, again when it failed. */
export class StatusWriter {
  readonly #options: StatusWriterOptions;
  readonly #stop = new AbortController();
  #wanted: JsonObject | undefined;
  #written: JsonObject | undefined;
  #running: Promise<void> | undefined;

  constructor(options: StatusWriterOptions) {
    this.#options = options;
  }

  write(status: JsonObject): void {
    this.#wanted = status;
    this.#running ??= this.#run();
  }

  /** Resolves when the newest status is written, or given up because the Pod is deleted. */
  async flush(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.flush();
  }

  async #run(): Promise<void> {
    const { api, spec, clock, random, log } = this.#options;
    const { signal } = this.#stop;
    const ref = { type: nodeResources.pod, namespace: spec.namespace, name: spec.name };
    await Promise.resolve(); // `write` has this run before it can end
    try {
      for (let failures = 0; !signal.aborted;) {
        const status = this.#wanted;
        if (status === undefined || isJsonEqual(status, this.#written)) return;
        try {
          // The uid is a precondition: a new Pod of the same name must not get this one's status.
          const patch = { metadata: { uid: spec.uid }, status: withRemovals(this.#written, status) };
          await api.mergePatch(ref, patch, {
            fieldManager: nodeManager,
            subresource: "status",
            isStrategic: true,
            signal,
          });
          this.#written = status;
          failures = 0;
        } catch (error) {
          if (signal.aborted || isAppError(error, "E_KUBE_NOT_FOUND", "E_KUBE_CONFLICT")) return;
          log.warn("pod status could not be written", { pod: `${spec.namespace}/${spec.name}`, error });
          await clock.sleep(backoffMs(failures++, random, { maximumMs: 30_000 }), signal).catch(() => undefined); // stopped
        }
      }
    } finally {
      // Nothing is awaited since the wanted status was read last: one that is wanted in between would not be written.
      this.#running = undefined;
    }
  }
}

/** A merge patch keeps what it does not name: removed fields are named as null, those of conditions too. */
function withRemovals(before: JsonObject | undefined, status: JsonObject): JsonObject {
  const gone = Object.keys(before ?? {}).filter((key) => status[key] === undefined);
  const conditions = objectsAt(status, "conditions").map((condition) => ({
    reason: null,
    message: null,
    ...condition,
  }));
  return { ...status, ...Object.fromEntries(gone.map((key) => [key, null])), conditions };
}
