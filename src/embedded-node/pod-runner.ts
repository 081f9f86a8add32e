import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describeError, isAppError } from "../core/errors.ts";
import { isJsonEqual } from "../core/json.ts";
import { textAt } from "../core/read-json.ts";
import { unlessAborted } from "../core/unless-aborted.ts";
import type { ContainerLog } from "./container-log.ts";
import type { ContainerRunner } from "./container-runner.ts";
import type { ContainerFacts } from "./container-state.ts";
import { makeContainerRunner } from "./make-container-runner.ts";
import type { RunnerScope } from "./make-container-runner.ts";
import { deletePod } from "./delete-pod.ts";
import type { KubeObject } from "./node-types.ts";
import type { PodEnvironment } from "./pod-environment.ts";
import { createPodLogs } from "./pod-logs.ts";
import type { PodLogs } from "./pod-logs.ts";
import { fieldPathOf, readPodSpec } from "./pod-spec.ts";
import type { ContainerSpec, PodSpec } from "./pod-spec.ts";
import { podStatus } from "./pod-status.ts";
import { createPodVolumes } from "./pod-volumes.ts";
import type { PodVolumes } from "./pod-volumes.ts";
import { sourceReader } from "./read-sources.ts";
import type { ReadSource } from "./read-sources.ts";
import { createPodTokens } from "./service-account-tokens.ts";
import type { PodTokens } from "./service-account-tokens.ts";
import { StatusWriter } from "./status-writer.ts";

const mountRetryMs = 500;
const longestMountRetryMs = 60_000;

/** Runs one Pod of this node from its first sight to its end. */
export class PodRunner {
  #spec: PodSpec;
  readonly #environment: PodEnvironment;
  readonly #folder: string;
  readonly #writer: StatusWriter;
  readonly #tokens: PodTokens;
  readonly #volumes: PodVolumes;
  readonly #stop = new AbortController();
  readonly #killed = new AbortController();
  readonly #runners = new Map<string, ContainerRunner>();
  readonly #logs: PodLogs;
  readonly #read: ReadSource;
  readonly #startedAtMs: number;
  #pod: KubeObject;
  #isPrepared = false;
  #changed: (() => void)[] = [];
  #ended: { readonly reason: string; readonly message: string } | undefined;
  #running: Promise<void> | undefined;
  #terminating: Promise<void> | undefined;
  /** The shortest that a delete asked for. */
  #graceSeconds = Infinity;

  /** `folder` is the Pod's own, below the node's. */
  constructor(pod: KubeObject, folder: string, environment: PodEnvironment) {
    const { api, clock } = environment;
    this.#pod = pod;
    this.#spec = readPodSpec(pod);
    this.#environment = environment;
    this.#folder = folder;
    this.#startedAtMs = Date.parse(textAt(pod, "status", "startTime") ?? "") || clock.nowMs();
    this.#logs = createPodLogs(join(folder, "logs"), clock, environment.maxLogBytes);
    this.#writer = new StatusWriter({ ...environment, spec: this.#spec });
    const signal = this.#stop.signal;
    this.#tokens = createPodTokens(api, this.#spec, { clock, signal });
    this.#read = sourceReader(api, this.#spec.namespace, signal);
    this.#volumes = createPodVolumes({
      spec: this.#spec,
      folder,
      context: () => ({
        pod: this.#pod,
        node: environment.node,
        read: this.#read,
        token: (request) => this.#tokens.get(request),
      }),
      tokens: this.#tokens,
      clock,
    });
    const reason = this.#spec.initContainers.length > 0 ? "PodInitializing" : "ContainerCreating";
    const scope: RunnerScope = {
      ...environment,
      spec: this.#spec,
      folder,
      volumes: this.#volumes,
      read: this.#read,
      logs: this.#logs,
      podNow: () => this.#pod,
      onChange: () => this.#onChange(),
    };
    for (const container of [...this.#spec.initContainers, ...this.#spec.containers]) {
      this.#runners.set(container.name, makeContainerRunner(container, reason, scope));
    }
  }

  get spec(): PodSpec {
    return this.#spec;
  }

  get isStarted(): boolean {
    return this.#running !== undefined;
  }

  start(): void {
    this.#running ??= this.#run().catch((error: unknown) => {
      if (!this.#stop.signal.aborted) this.#environment.log.error("a pod failed", { pod: this.#label(), error });
    });
  }

  /** The Pod as the API server has it now. */
  update(pod: KubeObject): void {
    const isSame = isJsonEqual(this.#pod["spec"], pod["spec"]);
    this.#pod = pod;
    if (!isSame) this.#changeSpec();
    if (pod.metadata.deletionTimestamp !== undefined)
      void this.#terminate(pod.metadata.deletionGracePeriodSeconds ?? 0);
    // Another writer may have opened one of the gates.
    else if (!isSame || this.#spec.readinessGates.length > 0) this.#writeStatus();
  }

  /** Ends it without a report to the API server: the node stops, or the object is deleted. */
  async kill(graceMs: number): Promise<void> {
    this.#killed.abort();
    this.#stop.abort();
    await this.#writer.stop();
    await this.#stopContainers(graceMs / 1000);
    await this.#running;
  }

  async removeFolder(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** The logs of a container, oldest run first. Undefined when the Pod has no such container. */
  logsOf(container: string): readonly ContainerLog[] | undefined {
    const isKnown = [...this.#spec.containers, ...this.#spec.initContainers].some(({ name }) => name === container);
    return isKnown ? this.#logs.of(container) : undefined;
  }

  /** How a container is now, once it has been taken up. */
  factsOf(container: string): ContainerFacts | undefined {
    return this.#runners.get(container)?.facts;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    this.#writeStatus();
    void this.#watchDeadline();
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    if (!(await this.#mountVolumes())) return;
    this.#isPrepared = true;
    void this.#volumes.keepFresh(signal, (failure) => this.#warn("FailedMount", failure.message));
    if (await this.#runInitContainers()) {
      await Promise.all(this.#spec.containers.map(async ({ name }) => this.#runners.get(name)?.run()));
    }
    if (signal.aborted) return;
    // The Pod succeeded or failed for good: no sidecar, no volume and no deadline outlives that.
    this.#stop.abort();
    await this.#stopContainers(this.#spec.gracePeriodSeconds);
  }

  #changeSpec(): void {
    const { activeDeadlineSeconds } = this.#spec;
    this.#spec = readPodSpec(this.#pod);
    for (const container of [...this.#spec.initContainers, ...this.#spec.containers]) {
      this.#runners.get(container.name)?.change(container);
    }
    // It can only become shorter: the first that is over ends the Pod, and the other with it.
    if (this.#spec.activeDeadlineSeconds !== activeDeadlineSeconds) void this.#watchDeadline();
  }

  async #mountVolumes(): Promise<boolean> {
    const { clock } = this.#environment;
    const { signal } = this.#stop;
    for (let waitMs = mountRetryMs; !signal.aborted; waitMs = Math.min(waitMs * 2, longestMountRetryMs)) {
      const failures = await this.#volumes.mount();
      if (failures.length === 0) return true;
      if (signal.aborted) return false;
      for (const { message } of failures) this.#warn("FailedMount", message);
      await clock.sleep(waitMs, signal).catch(() => undefined); // stopped: the loop sees it
    }
    return false;
  }

  /** One after the other; a sidecar only has to have started. False when the Pod cannot continue. */
  async #runInitContainers(): Promise<boolean> {
    for (const container of this.#spec.initContainers) {
      if (this.#stop.signal.aborted) return false;
      const runner = this.#runners.get(container.name);
      if (runner === undefined) continue;
      if (container.isSidecar) {
        void runner.run();
        await this.#whenStarted(runner);
        continue;
      }
      await runner.run();
      const { state } = runner.facts;
      if (state.kind !== "terminated" || state.exitCode !== 0) return false;
    }
    return !this.#stop.signal.aborted;
  }

  async #whenStarted(runner: ContainerRunner): Promise<void> {
    const { signal } = this.#stop;
    while (!runner.facts.hasStarted && !signal.aborted) {
      const changed = new Promise<void>((resolve) => this.#changed.push(resolve));
      await unlessAborted(changed, signal).catch(() => undefined); // stopped: the loop sees it
    }
  }

  async #watchDeadline(): Promise<void> {
    const { activeDeadlineSeconds } = this.#spec;
    if (activeDeadlineSeconds === undefined) return;
    const { clock } = this.#environment;
    const leftMs = this.#startedAtMs + activeDeadlineSeconds * 1000 - clock.nowMs();
    const isOver = await clock.sleep(Math.max(leftMs, 0), this.#stop.signal).then(
      () => true,
      () => false, // the Pod ended before
    );
    if (!isOver) return;
    this.#ended = {
      reason: "DeadlineExceeded",
      message: "Pod was active on the node longer than the specified deadline",
    };
    this.#stop.abort();
    await this.#stopContainers(this.#spec.gracePeriodSeconds);
    this.#writeStatus();
  }

  /** The graceful end that a delete asks for; a later, shorter one cuts it. */
  async #terminate(graceSeconds: number): Promise<void> {
    const isShorter = graceSeconds < this.#graceSeconds;
    this.#graceSeconds = Math.min(this.#graceSeconds, graceSeconds);
    if (this.#terminating !== undefined) {
      if (isShorter) await this.#stopContainers(graceSeconds);
      return;
    }
    this.#terminating = this.#finish(graceSeconds).catch((error: unknown) => {
      this.#terminating = undefined;
      if (!isAppError(error, "E_KUBE_CONFLICT")) {
        this.#environment.log.warn("a pod could not be ended", { pod: this.#label(), error: describeError(error) });
      }
    });
    await this.#terminating;
  }

  async #finish(graceSeconds: number): Promise<void> {
    const { events } = this.#environment;
    this.#stop.abort();
    for (const container of [...this.#spec.containers, ...this.#spec.initContainers]) {
      if (this.#runners.get(container.name)?.facts.state.kind !== "running") continue;
      const message = `Stopping container ${container.name}`;
      const fieldPath = fieldPathOf(container, this.#spec);
      events.write(this.#pod, { type: "Normal", reason: "Killing", message, fieldPath });
    }
    await this.#stopContainers(graceSeconds);
    await this.#running;
    this.#writeStatus();
    await this.#writer.flush();
    await deletePod(this.#pod.metadata, this.#environment, this.#killed.signal);
  }

  /** Sidecars end after what may need them, the last one first, and within the same grace. */
  async #stopContainers(graceSeconds: number): Promise<void> {
    const { clock } = this.#environment;
    const endMs = clock.monotonicMs() + graceSeconds * 1000;
    const stop = async ({ name }: ContainerSpec) =>
      this.#runners.get(name)?.stop(Math.max(endMs - clock.monotonicMs(), 0));
    const { containers, initContainers } = this.#spec;
    for (const runner of this.#runners.values()) runner.endRestarts();
    await Promise.all([...containers, ...initContainers.filter(({ isSidecar }) => !isSidecar)].map(stop));
    for (const sidecar of initContainers.filter(({ isSidecar }) => isSidecar).reverse()) await stop(sidecar);
  }

  #onChange(): void {
    const changed = this.#changed;
    this.#changed = [];
    for (const notify of changed) notify();
    this.#writeStatus();
  }

  #writeStatus(): void {
    const { clock, node } = this.#environment;
    const factsOf = (containers: readonly ContainerSpec[]) =>
      containers.map(({ name }) => this.#runners.get(name)?.facts).filter((facts) => facts !== undefined);
    const initContainers = factsOf(this.#spec.initContainers);
    const containers = factsOf(this.#spec.containers);
    const status = podStatus({
      pod: this.#pod,
      spec: this.#spec,
      initContainers,
      containers,
      startedAtMs: this.#startedAtMs,
      nowMs: clock.nowMs(),
      address: node.address,
      isPrepared: this.#isPrepared,
      ...(this.#ended === undefined ? {} : { ended: this.#ended }),
    });
    this.#writer.write(status);
  }

  #warn(reason: string, message: string): void {
    this.#environment.events.write(this.#pod, { type: "Warning", reason, message });
  }

  #label(): string {
    return `${this.#spec.namespace}/${this.#spec.name}`;
  }
}
