// What must hold, written without the code that is to keep it: from the hub's disk, the wire, the refs of git, and what
// people meant.
import type { Row } from "../../../src/embedded-hub/store/row-format.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import type { RefUpdate } from "../git-remote.ts";
import type { HubMirror } from "../mirror.ts";
import type { SeenCall } from "../network.ts";
import type { Intent } from "../intent.ts";
import type { HubCopy, ProcessExit, World } from "../world.ts";

export interface Violation {
  readonly invariant: string;
  readonly elapsedMs: number;
  readonly text: string;
}

/** What invariants read. */
export interface Scene {
  readonly world: World;
  readonly mirror: HubMirror;
  readonly intent: Intent;
  /** Since when no fault is in force and every process runs; undefined while that is not so. */
  readonly calmSinceMs: () => number | undefined;
  /** When a fault was at work last: now, while one lasts. */
  readonly disturbedAtMs: () => number;
  /** The same without processes that are paused: what comes from outside does not wait for them. */
  readonly outsideDisturbedAtMs: () => number;
  /** The same, faults apart that only agents meet. */
  readonly hubDisturbedAtMs: () => number;
  /** The same, or when a replica of the daemon waited last for what cannot arrive: on a half-open connection. */
  readonly hubUnseenAtMs: () => number;
  readonly violate: (invariant: string, text: string) => void;
}

/** One promise. What it does not watch it leaves out. */
export interface Invariant {
  readonly name: string;
  onRow?(change: RowChange): void;
  /** Of the other hub. */
  onOtherRow?(change: RowChange): void;
  onCall?(call: SeenCall): void;
  onRefUpdate?(update: RefUpdate): void;
  onExit?(exit: ProcessExit): void;
  /** The hub has what it had before: the mirror shows it. No row shows the difference. */
  onRestore?(restore: HubRestore): void;
  /** Called about every ten simulated seconds. */
  onTick?(): void;
  /** Called when more than ten fault-free minutes have passed since the last deed. */
  atRest?(): void;
  /** At the end, at rest: every replica is about to be killed and started. */
  onFreshStart?(): void;
  /** Four fault-free minutes later. */
  afterFreshStart?(): void;
}

export interface HubRestore {
  readonly copy: HubCopy;
  /** What the hub had until then, by key. */
  readonly before: ReadonlyMap<string, KubeObject>;
}

export interface RowChange {
  readonly row: Row;
  readonly key: string;
  readonly before: KubeObject | undefined;
  readonly after: KubeObject | undefined;
}
