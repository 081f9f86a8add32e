import { textAt } from "../../../src/core/read-json.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { declaredAt } from "../fleet-files.ts";
import type { Approval } from "../intent.ts";
import { clusterPrefix, repositoryKey } from "../mirror.ts";
import type { Invariant, Scene } from "./invariant.ts";

const dayMs = 24 * 3600_000;
/** After the daemon has seen a commit that declares the cluster again. */
const calledBackAfterMs = 60_000;
const leaveKey = "rollcall.dev/leave";

/**
 * Nothing is removed without a commit of main that does not declare it, and within the budget of a day or by an approval
 * that is not used up.
 */
export function removalsAreAllowed({ world, mirror, intent, violate, hubDisturbedAtMs }: Scene): Invariant {
  const name = "no removal without a commit, and a budget or an approval";
  const ledgers = [createLedger("approval first"), createLedger("budget first")];
  const leaving = new Set<string>();
  let observed = { head: "", seenAtMs: 0 };
  /** When the first step of a removal was done: from then on it ends, also if a commit declares the cluster again. */
  const begunAt = new Map<string, number>();
  const owned: { atMs: number; count: number }[] = [];
  const begin = (cluster: string, commit: string): void => {
    const declared = declaredAt(world, commit);
    world.story.tell("hub", `removal of ${cluster} begins because of ${commit.slice(0, 8)}`);
    const { mainHeads, objects } = world.remote;
    if (![...mainHeads].some((head) => objects.ancestorsOf(head).has(commit)))
      return violate(name, `${cluster} is removed because of ${commit.slice(0, 8)}, which never was a commit of main`);
    if (declared.has(cluster))
      return violate(name, `${cluster} is removed because of ${commit.slice(0, 8)}, which declares it`);
    pay(cluster);
  };
  /** The mark of a rename names no commit: one of main has to rename it. */
  const beginRename = (cluster: string, to: string): void => {
    world.story.tell("hub", `${cluster} begins to become ${to}`);
    const { mainHeads, objects } = world.remote;
    const isMeant = [...mainHeads].some((head) =>
      [...objects.ancestorsOf(head)].some((commit) => {
        const declared = declaredAt(world, commit);
        return !declared.has(cluster) && declared.get(to)?.previousName === cluster;
      }),
    );
    if (!isMeant) return violate(name, `${cluster} is to become ${to}, and no commit of main says so`);
    pay(cluster);
  };
  const pay = (cluster: string): void => {
    const { elapsedMs, sleptMs } = world.scheduler;
    const atMs = elapsedMs + sleptMs;
    const most = Math.max(1, ...owned.filter((one) => atMs - one.atMs < dayMs).map(({ count }) => count));
    const limit = Math.min(25, Math.max(1, Math.floor(most / 10)));
    const removal = { cluster, atMs, limit, approvals: intent.approvals };
    if (ledgers.map((ledger) => ledger.takes(removal)).includes(true)) return;
    violate(name, `${cluster} is removed over the budget of ${limit} in 24 h, and no approval is left for it`);
  };
  return {
    name,
    onRestore: ({ copy }) => {
      const { elapsedMs, sleptMs } = world.scheduler;
      // What was removed after the copy is there again, and so is what paid for it. Machines that slept were no later.
      for (const ledger of ledgers) ledger.forgetAfter(copy.atMs + sleptMs);
      leaving.clear();
      begunAt.clear();
      for (const [cluster, object] of mirror.below(clusterPrefix)) {
        if ((offboardingOf(object) ?? movedToOf(object)) !== undefined) leaving.add(cluster);
        if ((textAt(object, "status", "leave", "phase") ?? "Waiting") !== "Waiting") begunAt.set(cluster, elapsedMs);
      }
      owned.push({ atMs: elapsedMs + sleptMs, count: mirror.below(clusterPrefix).size });
    },
    onRow: ({ key, before, after }) => {
      if (key === repositoryKey) {
        const head = textAt(after, "status", "observedCommit") ?? "";
        if (head !== observed.head) observed = { head, seenAtMs: world.scheduler.elapsedMs };
      }
      if (!key.startsWith(clusterPrefix)) return;
      const cluster = key.slice(clusterPrefix.length);
      const { elapsedMs, sleptMs } = world.scheduler;
      owned.push({ atMs: elapsedMs + sleptMs, count: mirror.below(clusterPrefix).size + (after ? 0 : 1) });
      const commit = offboardingOf(after);
      if (commit !== undefined && offboardingOf(before) === undefined) {
        leaving.add(cluster);
        begin(cluster, commit);
      }
      const [was, to] = [before, after].map(movedToOf);
      if (to !== undefined && was === undefined) {
        leaving.add(cluster);
        beginRename(cluster, to);
      }
      if (after !== undefined && (commit ?? to) === undefined) leaving.delete(cluster);
      const phase = textAt(after, "status", "leave", "phase") ?? "Waiting";
      if (phase !== "Waiting" && !begunAt.has(cluster)) begunAt.set(cluster, world.scheduler.elapsedMs);
      if (after !== undefined) return;
      const isByHand = intent.deletedByHand.has(cluster);
      const { seenAtMs, head } = observed;
      const isCalledBack = before?.metadata.deletionTimestamp === undefined && declaredAt(world, head).has(cluster);
      const isBegun = (begunAt.get(cluster) ?? Infinity) < seenAtMs + calledBackAfterMs;
      begunAt.delete(cluster);
      const isQuiet = world.scheduler.elapsedMs - Math.max(seenAtMs, hubDisturbedAtMs()) > calledBackAfterMs;
      if (isCalledBack && !isBegun && isQuiet && !isByHand)
        violate(name, `${cluster} is deleted, and ${head.slice(0, 8)} declares it, which the Repository has seen`);
      if (!leaving.delete(cluster) && !isByHand) violate(name, `${cluster} is deleted, and its removal never began`);
    },
  };
}

/** The new name, without its workspace. */
function movedToOf(cluster: KubeObject | undefined): string | undefined {
  return cluster?.metadata.annotations?.["rollcall.dev/moved-to"]?.split("/")[1];
}

function offboardingOf(cluster: KubeObject | undefined): string | undefined {
  return cluster?.metadata.annotations?.[leaveKey];
}

interface Removal {
  readonly cluster: string;
  readonly atMs: number;
  readonly limit: number;
  readonly approvals: readonly Approval[];
}

/** Whether removals can be paid for, each once: in one of two orders. A run violates the promise when neither order can. */
function createLedger(order: "approval first" | "budget first") {
  const payers = new Map<Removal, Approval>();
  let fromBudget: number[] = [];
  let isBroken = false;
  /** An approval that is used up may pay for this one when another approval can pay for one of its own. */
  const findPayer = (removal: Removal, tried: Set<Approval>): boolean => {
    const { cluster, atMs, approvals } = removal;
    for (const approval of approvals) {
      if (tried.has(approval) || !approval.covers.has(cluster) || approval.atMs > atMs) continue;
      tried.add(approval);
      const paid = [...payers].filter(([, payer]) => payer === approval).map(([one]) => one);
      if (paid.length >= approval.count && !paid.some((other) => findPayer(other, tried))) continue;
      payers.set(removal, approval);
      return true;
    }
    return false;
  };
  const byApproval = (removal: Removal): boolean => findPayer(removal, new Set());
  const byBudget = ({ atMs, limit }: Removal): boolean => {
    fromBudget = fromBudget.filter((one) => atMs - one < dayMs);
    if (fromBudget.length >= limit) return false;
    fromBudget.push(atMs);
    return true;
  };
  return {
    forgetAfter: (atMs: number): void => {
      fromBudget = fromBudget.filter((one) => one <= atMs);
      for (const removal of payers.keys()) if (removal.atMs > atMs) payers.delete(removal);
    },
    takes: (removal: Removal): boolean => {
      if (isBroken) return false;
      const ways = order === "approval first" ? [byApproval, byBudget] : [byBudget, byApproval];
      isBroken = !ways.some((pays) => pays(removal));
      return !isBroken;
    },
  };
}
