import type { Clock } from "../core/clock.ts";
import { isAppError } from "../core/errors.ts";
import { canonicalJson } from "../core/json.ts";
import { numberAt, objectAt, textAt } from "../core/read-json.ts";
import { withDeadline } from "../core/timer.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { toMicroTime } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import type { KubeApi } from "./kube.ts";

export interface LeaseHolderOptions {
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  readonly clock: Clock;
  readonly onError?: (error: unknown) => void;
}

/** A Lease as one process sees and writes it. */
export interface LeaseHolder {
  /** Another holder had the Lease when it was last seen, and may still have it. */
  readonly isHeldByOther: boolean;
  /** Takes or renews the Lease, if that is allowed. Never throws. */
  tryToHold(signal: AbortSignal): Promise<boolean>;
  /** Releases the Lease, so that no candidate waits for its end. Never throws. */
  release(): Promise<void>;
  /** Ends the timers. */
  stopObserving(): void;
}

type LeaseApi = Pick<KubeApi, "create" | "get" | "update">;

const fieldManager = "rollcall-leader-election";
/** A hub that does not answer must not hold up the end of the process. */
const releaseMs = 5000;

export function createLeaseHolder(api: LeaseApi, options: LeaseHolderOptions, leaseDurationMs: number): LeaseHolder {
  return new Holder(api, options, leaseDurationMs);
}

class Holder implements LeaseHolder {
  readonly #api: LeaseApi;
  readonly #options: LeaseHolderOptions;
  readonly #leaseDurationMs: number;
  /** As last read or written. */
  #lease: KubeObject | undefined;
  /** Whether `#lease` may differ from what the server has. */
  #isStale = true;
  #observed = "";
  #isExpired = false;
  #expiry = new AbortController();

  constructor(api: LeaseApi, options: LeaseHolderOptions, leaseDurationMs: number) {
    this.#api = api;
    this.#options = options;
    this.#leaseDurationMs = leaseDurationMs;
  }

  get isHeldByOther(): boolean {
    const holder = this.#holder();
    return holder !== "" && holder !== this.#options.identity && !this.#isExpired;
  }

  async tryToHold(signal: AbortSignal): Promise<boolean> {
    try {
      return await this.#hold(signal);
    } catch (error) {
      this.#isStale = true;
      if (isAppError(error, "E_KUBE_CONFLICT", "E_KUBE_EXISTS")) return this.#holdAgain(signal);
      if (!signal.aborted) this.#options.onError?.(error);
      return false;
    }
  }

  async release(): Promise<void> {
    this.stopObserving();
    await withDeadline(releaseMs, (deadline) => this.#release(deadline));
    this.#isStale = true;
    this.stopObserving();
  }

  stopObserving(): void {
    this.#expiry.abort();
  }

  async #release(signal: AbortSignal): Promise<void> {
    try {
      await this.#giveBack(signal).catch(async (error: unknown) => {
        if (!isAppError(error, "E_KUBE_CONFLICT")) throw error;
        // A renewal that was called off may have been written all the same: it is still ours to give back.
        await this.#read(signal);
        await this.#giveBack(signal);
      });
    } catch (error) {
      if (!isAppError(error, "E_KUBE_CONFLICT")) this.#options.onError?.(error);
    }
  }

  #holder(): string {
    return textAt(this.#lease, "spec", "holderIdentity") ?? "";
  }

  async #giveBack(signal: AbortSignal): Promise<void> {
    if (this.#lease === undefined || this.#holder() !== this.#options.identity) return;
    await this.#write(this.#lease, { holderIdentity: "", leaseDurationSeconds: 1 }, signal);
  }

  async #read(signal: AbortSignal): Promise<void> {
    const { namespace, name } = this.#options;
    this.#lease = await this.#api.get({ type: resourceTypes.lease, namespace, name }, { signal });
  }

  /** After another holder wrote first: reads at once who holds it now. */
  async #holdAgain(signal: AbortSignal): Promise<boolean> {
    try {
      return await this.#hold(signal);
    } catch (error) {
      this.#isStale = true;
      if (!signal.aborted) this.#options.onError?.(error);
      return false;
    }
  }

  async #hold(signal: AbortSignal): Promise<boolean> {
    const { identity } = this.#options;
    if (this.#isStale || this.#holder() !== identity) {
      await this.#read(signal);
      this.#observe();
      this.#isStale = false;
    }
    if (this.#lease === undefined) {
      await this.#create(signal);
      return true;
    }
    if (this.isHeldByOther) return false;
    const acquireTime = this.#now();
    const transitions = numberAt(this.#lease, "spec", "leaseTransitions") ?? 0;
    const taken = this.#holder() === identity ? {} : { acquireTime, leaseTransitions: transitions + 1 };
    await this.#write(this.#lease, { holderIdentity: identity, ...this.#duration(), ...taken }, signal);
    return true;
  }

  async #create(signal: AbortSignal): Promise<void> {
    const { namespace, name, identity } = this.#options;
    const now = this.#now();
    const spec = {
      holderIdentity: identity,
      ...this.#duration(),
      acquireTime: now,
      renewTime: now,
      leaseTransitions: 0,
    };
    const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { namespace, name }, spec };
    this.#lease = await this.#api.create(lease, { fieldManager, signal });
    this.#observe();
  }

  async #write(lease: KubeObject, change: Record<string, unknown>, signal: AbortSignal): Promise<void> {
    const spec = { ...objectAt(lease, "spec"), renewTime: this.#now(), ...change };
    this.#lease = await this.#api.update({ ...lease, spec }, { fieldManager, signal });
    this.#observe();
  }

  #duration() {
    return { leaseDurationSeconds: Math.ceil(this.#leaseDurationMs / 1000) };
  }

  #now(): string {
    return toMicroTime(this.#options.clock.nowMs());
  }

  /**
   * Measures the time since a change of the Lease, by a timer and not by the difference of two times: a change of the
   * machine's clock must not be taken for the end of the Lease.
   */
  #observe(): void {
    const spec = canonicalJson(objectAt(this.#lease, "spec") ?? {});
    if (spec === this.#observed) return;
    this.#observed = spec;
    this.#isExpired = false;
    this.#expiry.abort();
    const expiry = new AbortController();
    this.#expiry = expiry;
    const durationMs = (numberAt(this.#lease, "spec", "leaseDurationSeconds") ?? 0) * 1000;
    void sleepOrStop(this.#options.clock, durationMs, expiry.signal).then(() => {
      if (!expiry.signal.aborted) this.#isExpired = true;
    });
  }
}

/** Sleeps; returns at once when the signal is aborted. */
export async function sleepOrStop(clock: Clock, durationMs: number, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(durationMs, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
