import { rm } from "node:fs/promises";
import { join } from "node:path";
import { textAt } from "../core/read-json.ts";
import { deletePod } from "./delete-pod.ts";
import type { KubeObject } from "./node-types.ts";
import type { PodEnvironment } from "./pod-environment.ts";
import { PodRunner } from "./pod-runner.ts";

/** The Pods of this node by their names; one runner for each uid. */
export class PodManager {
  readonly #folder: string;
  readonly #environment: PodEnvironment;
  readonly #runners = new Map<string, PodRunner>();
  readonly #ending = new Set<Promise<void>>();
  /** Pods of which nothing runs here and are being deleted, by uid. */
  readonly #deleting = new Set<string>();
  readonly #stop = new AbortController();

  constructor(folder: string, environment: PodEnvironment) {
    this.#folder = folder;
    this.#environment = environment;
  }

  /** A Pod of this node as it is now. */
  take(pod: KubeObject): void {
    if (this.#stop.signal.aborted) return;
    const key = keyOf(pod.metadata.namespace ?? "", pod.metadata.name);
    const known = this.#runners.get(key);
    const isKnown = known !== undefined && known.spec.uid === pod.metadata.uid;
    if (isKnown && known.isStarted) return known.update(pod);
    if (known !== undefined && !isKnown) this.#end(key, known);
    // Nothing of it runs here: a delete has nothing to wait for.
    if (pod.metadata.deletionTimestamp !== undefined) return this.#deleteNow(pod);
    if (isKnown || pod.metadata.uid === undefined) return;
    const runner = new PodRunner(pod, join(this.#folder, pod.metadata.uid), this.#environment);
    this.#runners.set(key, runner);
    // What finished is not started again: it has its logs, until it is deleted.
    if (!isFinished(pod)) runner.start();
  }

  /** The Pod is deleted from the cluster. */
  forget(namespace: string, name: string): void {
    const key = keyOf(namespace, name);
    const runner = this.#runners.get(key);
    if (runner !== undefined) this.#end(key, runner);
  }

  runnerOf(namespace: string, name: string): PodRunner | undefined {
    return this.#runners.get(keyOf(namespace, name));
  }

  /** Ends all containers; nothing is reported to the cluster. */
  async stop(graceMs: number): Promise<void> {
    this.#stop.abort();
    await Promise.all([...this.#runners.values()].map((runner) => runner.kill(graceMs)));
    await Promise.all(this.#ending);
  }

  #end(key: string, runner: PodRunner): void {
    this.#runners.delete(key);
    this.#keep(
      runner.kill(0).then(() => runner.removeFolder()),
      key,
    );
  }

  #deleteNow({ metadata }: KubeObject): void {
    // Each change of the Pod comes here until it is deleted.
    const { namespace = "", name, uid = "" } = metadata;
    if (this.#deleting.has(uid)) return;
    this.#deleting.add(uid);
    const work = async () => {
      await deletePod(metadata, this.#environment, this.#stop.signal);
      // An earlier run of the node may have left it.
      if (!this.#stop.signal.aborted && uid !== "") await rm(join(this.#folder, uid), { recursive: true, force: true });
    };
    this.#keep(
      work().finally(() => this.#deleting.delete(uid)),
      keyOf(namespace, name),
    );
  }

  #keep(work: Promise<void>, pod: string): void {
    const kept = work
      .catch((error: unknown) => {
        this.#environment.log.warn("a pod could not be cleaned up", { pod, error });
      })
      .finally(() => this.#ending.delete(kept));
    this.#ending.add(kept);
  }
}

function isFinished(pod: KubeObject): boolean {
  const phase = textAt(pod, "status", "phase");
  return phase === "Succeeded" || phase === "Failed";
}

function keyOf(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}
