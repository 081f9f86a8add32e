import type { Deed, DeedKind } from "./deeds.ts";
import { doFault } from "./faults.ts";
import { isForgeKind } from "./forge/forge-deeds.ts";
import { doAtForge } from "./forge/forge-people.ts";
import { doForgeFault, isForgeFault } from "./forge/forge-faults.ts";
import type { Intent } from "./intent.ts";
import { doToReached, isOfReached } from "./kubeconfig-deeds.ts";
import { doToRepository, isOfRepository } from "./repository-deeds.ts";
import { doAsPerson } from "./people.ts";
import type { World } from "./world.ts";

/** What deeds work with. `untilCalm` takes what ends a lasting fault: it is called after its time, or when all is healed. */
export interface Stage {
  readonly world: World;
  readonly intent: Intent;
  readonly lasting: Set<() => void>;
  /** Of these, the ends of processes that are paused. */
  readonly standstills: Set<() => void>;
  /** Of these, the ends of faults that only agents meet. */
  readonly agentFaults: Set<() => void>;
  /** When the last fault ended, or happened. */
  disturbedAtMs: number;
  /** The same without processes that are paused. */
  outsideDisturbedAtMs: number;
  /** The same without faults that only agents meet. */
  hubDisturbedAtMs: number;
}

/** Does it, now. What cannot be done in this state of the world is left out. */
export function doDeed(stage: Stage, deed: Deed): void {
  const { forge } = stage.world;
  const { kind, pick, forMs } = deed;
  if (isForgeKind(kind)) {
    if (forge === undefined) return;
    if (isForgeFault(kind)) doForgeFault(stage, forge, { kind, pick, forMs });
    else doAtForge(stage, forge, { kind, pick });
  } else if (isOfReached(kind)) doToReached(stage, kind, deed);
  else if (isOfRepository(kind)) doToRepository(stage, kind, deed);
  else if (isPersons(kind)) doAsPerson(stage, deed);
  else doFault(stage, deed);
}

const persons: ReadonlySet<DeedKind> = new Set<DeedKind>([
  "add cluster",
  "add foreign cluster",
  "add cluster by kubeconfig",
  "edit file",
  "edit rules",
  "remove file",
  "remove files",
  "remove files, approved by trailer",
  "approve by annotation",
  "approve the wrong commit",
  "break file",
  "protect cluster",
  "rename path",
  "rename cluster",
  "rename suspended cluster",
  "revert last commit",
  "force-push",
  "suspend cluster",
  "resume cluster",
  "revoke cluster",
  "install agent again",
  "delete on the hub",
  "edit on the hub",
  "nodes change",
  "delete object of a cluster",
  "edit rights of a cluster",
  "writes of one moment",
  "commit to the status branch",
]);

function isPersons(kind: DeedKind): boolean {
  return persons.has(kind);
}

/** The one that `pick` means; undefined of none. */
export function pickOf<T>(items: readonly T[], pick: number): T | undefined {
  return items[Math.floor(pick * items.length)];
}
