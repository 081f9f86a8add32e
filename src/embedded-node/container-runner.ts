import { isAppError } from "../core/errors.ts";
import type { Clock } from "../core/clock.ts";
import { startChild } from "./child-process.ts";
import type { Child, ChildExit } from "./child-process.ts";
import type { ContainerLog } from "./container-log.ts";
import { isRestarted } from "./container-state.ts";
import type { ContainerFacts, TerminatedState } from "./container-state.ts";
import type { ContainerSpec, ProbeKind, ProbeSpec } from "./pod-spec.ts";
import type { ProbeResult, ProbeTarget } from "./probe.ts";
import { probe } from "./probe.ts";
import { runProbeLoop } from "./probe-loop.ts";
import type { ProcessRecords } from "./process-records.ts";
import { terminationMessage } from "./termination-message.ts";
import { RestartBackoff } from "./restart-backoff.ts";
import type { BackoffLimits } from "./restart-backoff.ts";

/** A program with everything it needs, ready to be started. */
export interface PreparedRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly probeTarget: ProbeTarget;
  /** What the program leaves in it is the message of its end. */
  readonly messageFile: string;
}

export interface ContainerEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

export interface ContainerRunnerOptions {
  readonly spec: ContainerSpec;
  /** `<pod>_<namespace>(<uid>)`, as kubelets name a Pod in messages. */
  readonly podLabel: string;
  readonly restartPolicy: "Always" | "OnFailure" | "Never";
  readonly gracePeriodSeconds: number;
  /** Runs before this node started. */
  readonly earlierRestarts: number;
  readonly earlierState: TerminatedState | undefined;
  /** Runs again although an earlier run of the node finished it (init containers). */
  readonly isRepeated: boolean;
  /** Undefined: there is no program for the image. Throws E_KUBE_NOT_FOUND while something it needs is missing. */
  readonly prepare: (spec: ContainerSpec) => Promise<PreparedRun | undefined>;
  /** The log of the next run. */
  readonly openLog: (restartCount: number) => ContainerLog;
  readonly newId: () => string;
  readonly records: ProcessRecords;
  readonly clock: Clock;
  readonly backoff: BackoffLimits;
  readonly onChange: () => void;
  readonly onEvent: (event: ContainerEvent) => void;
}

/** Runs one container of a Pod: starts it, runs its probes, restarts it as its policy requires. */
export class ContainerRunner {
  readonly #options: ContainerRunnerOptions;
  readonly #stop = new AbortController();
  /** Aborted: what runs is the last run. */
  readonly #last = new AbortController();
  #spec: ContainerSpec;
  #restartBackoff: RestartBackoff;
  #pullBackoff: RestartBackoff;
  /** Ends a wait that counts for a former image. */
  #change = new AbortController();
  #facts: ContainerFacts;
  #child: Child | undefined;
  #restarts: number;
  #hasRun = false;
  #stopGraceMs = 0;
  #finished: Promise<void> | undefined;

  constructor(options: ContainerRunnerOptions, reason: string) {
    this.#options = options;
    this.#spec = options.spec;
    const { spec, earlierRestarts, earlierState, backoff, clock } = options;
    this.#restartBackoff = new RestartBackoff(backoff, clock);
    this.#pullBackoff = new RestartBackoff(backoff, clock);
    this.#restarts = earlierRestarts;
    this.#hasRun = earlierState !== undefined;
    const isDone =
      earlierState !== undefined && !options.isRepeated && !isRestarted(options.restartPolicy, earlierState.exitCode);
    if (isDone) this.#finished = Promise.resolve();
    this.#facts = {
      name: spec.name,
      image: spec.image,
      state: isDone ? earlierState : { kind: "waiting", reason },
      lastState: isDone ? undefined : earlierState,
      restartCount: earlierRestarts,
      isReady: false,
      hasStarted: false,
      containerId: earlierState?.containerId ?? "",
    };
  }

  get facts(): ContainerFacts {
    return this.#facts;
  }

  /** Resolves when the container will not run again by itself. Called once. */
  run(): Promise<void> {
    this.#finished ??= this.#runUntilDone();
    return this.#finished;
  }

  /** The container as its Pod has it now. As kubelets do, a new image restarts it, whatever its policy; what is done stays so. */
  change(spec: ContainerSpec): void {
    const { backoff, clock } = this.#options;
    const isOther = spec.image !== this.#spec.image;
    this.#spec = spec;
    if (!isOther || this.#last.signal.aborted) return;
    this.#restartBackoff = new RestartBackoff(backoff, clock);
    this.#pullBackoff = new RestartBackoff(backoff, clock);
    this.#change.abort();
    this.#change = new AbortController();
    this.#endChanged();
  }

  /** It runs on, and is not started again when it ends. */
  endRestarts(): void {
    this.#last.abort();
  }

  /** SIGTERM, and SIGKILL after the grace period. Resolves when nothing of it runs any more. A shorter grace cuts a longer. */
  async stop(graceMs: number): Promise<void> {
    this.#stopGraceMs = graceMs;
    this.#last.abort();
    this.#stop.abort();
    await this.#end(graceMs);
    await this.#finished;
  }

  async #runUntilDone(): Promise<void> {
    const { signal } = this.#last;
    while (!signal.aborted) {
      const { image } = this.#spec;
      this.#facts = { ...this.#facts, image };
      const prepared = await this.#prepare();
      if (prepared === undefined || this.#spec.image !== image) continue;
      const ended = await this.#runOnce(prepared);
      this.#update({ state: ended, isReady: false, hasStarted: false });
      const { restartPolicy } = this.#options;
      const isChanged = this.#spec.image !== image;
      if (signal.aborted || !(isChanged || isRestarted(restartPolicy, ended.exitCode))) return;
      this.#update({ lastState: ended });
      if (!isChanged) await this.#waitForRestart(ended);
    }
  }

  /** What is needed to start, or undefined after a wait when something is missing. */
  async #prepare(): Promise<PreparedRun | undefined> {
    const { onEvent, prepare } = this.#options;
    const image = JSON.stringify(this.#spec.image);
    const change = this.#change.signal;
    try {
      const prepared = await prepare(this.#spec);
      if (prepared !== undefined) return prepared;
      const text = `this node has no program for image ${image}`;
      const message = `failed to pull and unpack image ${image}: ${text}`;
      onEvent({ type: "Warning", reason: "Failed", message: `Failed to pull image ${image}: ${text}` });
      this.#update({ state: { kind: "waiting", reason: "ErrImagePull", message } });
      const waitMs = this.#pullBackoff.afterFailure();
      await this.#wait(Math.min(waitMs, 1000), change);
      if (change.aborted) return undefined;
      const backingOff = `Back-off pulling image ${image}`;
      this.#update({
        state: { kind: "waiting", reason: "ImagePullBackOff", message: `${backingOff}: ErrImagePull: ${text}` },
      });
      onEvent({ type: "Normal", reason: "BackOff", message: backingOff });
      await this.#wait(waitMs, change);
    } catch (error) {
      if (this.#stop.signal.aborted) return undefined;
      const message = error instanceof Error ? error.message : String(error);
      const isMissing = isAppError(error, "E_KUBE_NOT_FOUND");
      const reason = isMissing ? "CreateContainerConfigError" : "CreateContainerError";
      this.#update({ state: { kind: "waiting", reason, message } });
      onEvent({ type: "Warning", reason: "Failed", message: `Error: ${message}` });
      await this.#wait(this.#options.backoff.sourceMs, change);
    }
    return undefined;
  }

  async #runOnce(prepared: PreparedRun): Promise<TerminatedState> {
    const { clock, newId, onEvent, openLog, records } = this.#options;
    const spec = this.#spec;
    if (this.#hasRun) this.#restarts += 1;
    this.#hasRun = true;
    const containerId = `rollcall://${newId()}`;
    const startedAtMs = clock.nowMs();
    const log = openLog(this.#restarts);
    const terminated = (exitCode: number, reason: string, message?: string): TerminatedState => ({
      kind: "terminated",
      exitCode,
      reason,
      ...(message === undefined ? {} : { message }),
      startedAtMs,
      finishedAtMs: clock.nowMs(),
      containerId,
    });
    let child: Child;
    try {
      child = await startChild({ ...prepared, records });
    } catch (error) {
      await log.end();
      const message = error instanceof Error ? error.message : String(error);
      onEvent({ type: "Warning", reason: "Failed", message: `Error: ${message}` });
      this.#update({ restartCount: this.#restarts, containerId });
      return terminated(128, "StartError", message);
    }
    this.#child = child;
    const pulled = `Container image ${JSON.stringify(spec.image)} already present on machine`;
    onEvent({ type: "Normal", reason: "Pulled", message: pulled });
    onEvent({ type: "Normal", reason: "Created", message: `Created container: ${spec.name}` });
    const probing = new AbortController();
    const copied = Promise.all([log.copy(child.stdout, "stdout"), log.copy(child.stderr, "stderr")]);
    onEvent({ type: "Normal", reason: "Started", message: `Started container ${spec.name}` });
    this.#update({
      state: { kind: "running", startedAtMs },
      restartCount: this.#restarts,
      containerId,
      hasStarted: spec.probes.startup === undefined,
      isReady: spec.probes.startup === undefined && spec.probes.readiness === undefined,
    });
    void this.#runProbes(prepared.probeTarget, probing.signal);
    // A stop that came while the child was being started did not find it.
    if (this.#stop.signal.aborted) void this.#end(this.#stopGraceMs);
    else if (this.#spec.image !== spec.image) this.#endChanged();
    const exit: ChildExit = await child.exited;
    this.#child = undefined;
    probing.abort();
    await copied;
    await log.end();
    const { exitCode } = exit;
    const message = await terminationMessage(
      prepared.messageFile,
      exitCode !== 0 && spec.hasLogAsMessage ? log : undefined,
    );
    return terminated(exitCode, exitCode === 0 ? "Completed" : "Error", message);
  }

  async #runProbes(target: ProbeTarget, signal: AbortSignal): Promise<void> {
    const { startup, readiness, liveness } = this.#options.spec.probes;
    if (startup !== undefined) {
      let hasStarted = false;
      await this.#loop("startup", startup, { target, signal }, (isSuccess) => {
        hasStarted = isSuccess;
        if (isSuccess) this.#update({ hasStarted: true, isReady: readiness === undefined });
        else void this.#endUnhealthy("startup", startup);
      });
      if (!hasStarted || signal.aborted) return;
    }
    if (readiness !== undefined) {
      void this.#loop("readiness", readiness, { target, signal }, (isReady) => this.#update({ isReady }));
    }
    if (liveness !== undefined) {
      void this.#loop("liveness", liveness, { target, signal }, (isAlive) => {
        if (!isAlive) void this.#endUnhealthy("liveness", liveness);
      });
    }
  }

  async #loop(
    kind: ProbeKind,
    spec: ProbeSpec,
    at: { readonly target: ProbeTarget; readonly signal: AbortSignal },
    onResult: (isSuccess: boolean) => void,
  ): Promise<void> {
    const { clock, onEvent } = this.#options;
    const label = kind.charAt(0).toUpperCase() + kind.slice(1);
    await runProbeLoop({
      kind,
      spec,
      clock,
      signal: at.signal,
      probe: (one): Promise<ProbeResult> => probe(one.action, at.target, one.timeoutMs),
      onResult,
      onFailure: (message) =>
        onEvent({ type: "Warning", reason: "Unhealthy", message: `${label} probe failed: ${message}` }),
    });
  }

  #endChanged(): void {
    const { gracePeriodSeconds, onEvent } = this.#options;
    if (this.#child === undefined) return;
    const message = `Container ${this.#spec.name} definition changed, will be restarted`;
    onEvent({ type: "Normal", reason: "Killing", message });
    void this.#end(gracePeriodSeconds * 1000);
  }

  async #endUnhealthy(kind: ProbeKind, spec: ProbeSpec): Promise<void> {
    const { gracePeriodSeconds, onEvent, spec: container } = this.#options;
    // It ends already: a program that ends answers no probe, and has the grace of its Pod.
    if (this.#stop.signal.aborted) return;
    const message = `Container ${container.name} failed ${kind} probe, will be restarted`;
    onEvent({ type: "Normal", reason: "Killing", message });
    await this.#end((spec.gracePeriodSeconds ?? gracePeriodSeconds) * 1000);
  }

  async #end(graceMs: number): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    if (graceMs > 0) {
      child.kill("SIGTERM");
      const over = new AbortController();
      const wait = this.#options.clock.sleep(graceMs, over.signal).catch(() => undefined); // it ended in time
      await Promise.race([child.exited, wait]);
      over.abort();
    }
    if (this.#child === child) child.kill("SIGKILL");
    await child.exited;
  }

  async #waitForRestart(ended: TerminatedState): Promise<void> {
    const { onEvent, podLabel, spec } = this.#options;
    const waitMs = this.#restartBackoff.afterFailure(ended.finishedAtMs - ended.startedAtMs, "first is free");
    if (waitMs === 0) return;
    const message = `back-off ${formatGo(waitMs)} restarting failed container=${spec.name} pod=${podLabel}`;
    this.#update({ state: { kind: "waiting", reason: "CrashLoopBackOff", message } });
    const text = `Back-off restarting failed container ${spec.name} in pod ${podLabel}`;
    onEvent({ type: "Warning", reason: "BackOff", message: text });
    await this.#wait(waitMs);
  }

  /** A change that came before the wait counts where its signal is given. */
  async #wait(durationMs: number, change = this.#change.signal): Promise<void> {
    const signal = AbortSignal.any([this.#last.signal, change]);
    await this.#options.clock.sleep(durationMs, signal).catch(() => undefined); // stopped or changed: the loop sees it
  }

  #update(change: Partial<ContainerFacts>): void {
    this.#facts = { ...this.#facts, ...change };
    this.#options.onChange();
  }
}

/** A duration as Go prints it: `10s`, `1m20s`, `5m0s`. */
function formatGo(durationMs: number): string {
  const seconds = durationMs / 1000;
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
