import type { Deed } from "./deeds.ts";
import { interruptedInstall, kubeconfigDrill } from "./kubeconfig-drill.ts";
import type { DrillEntry } from "./drill-entry.ts";
import { foreignDrills } from "./foreign/foreign-drills.ts";
import { forgeDrill, mergeDrill } from "./forge/forge-drill.ts";
import { repositoryDrills } from "./repository-drills.ts";

const first: readonly DrillEntry[] = [
  [20, "edit file", 0],
  [50, "edit on the hub", 0.3],
  [80, "bad network", 0.2, 60],
  [110, "edit file", 0.6],
  [150, "remove file", 0.9],
  [200, "watches end", 0],
  [230, "remove file", 0.5],
  [290, "revert last commit", 0],
  [330, "revoke cluster", 0],
  [380, "crash hub", 0, 4],
  [410, "suspend cluster", 0.4],
  [430, "edit file", 0.4],
  [450, "daemon stands still", 0, 240],
  [460, "edit file", 0.9],
  [720, "cut off agent", 0.9, 40],
  [780, "break file", 0.9],
  [800, "crash daemon", 0],
  [850, "disk of the hub is full", 0, 20],
  [860, "edit file", 0.6],
  [900, "late writes", 0, 60],
  [905, "edit file", 0.6],
  [960, "cut off daemon", 0, 100],
  [1080, "crash daemon", 0.9],
  [1100, "delete on the hub", 0.6],
  [1130, "credential ends early", 0.6, 30],
  [1150, "resume cluster", 0],
  [1180, "edit file", 0],
];

const second: readonly DrillEntry[] = [
  [20, "add cluster", 0],
  [60, "bad network", 0.6, 120],
  [100, "remove files, approved by trailer", 0.1],
  [240, "remove file", 0.9],
  [300, "daemon stands still", 0.9, 200],
  [320, "revert last commit", 0],
  [540, "lost pushes", 0, 120],
  [560, "edit file", 0.3],
  [620, "edit file", 0.6],
  [700, "agent stays away", 0.3, 60],
  [720, "crash hub", 0, 50],
  [900, "remote is behind", 0, 60],
  [1000, "cut off agent", 0.6, 200],
  [1100, "crash agent", 0.9],
];

/** A removal that is called back while its agent is away; an approval of two removals, while a third waits. */
const removals: readonly DrillEntry[] = [
  [10, "agent stays away", 0.99, 60],
  [20, "remove file", 0.99],
  [100, "revert last commit", 0],
  [500, "add cluster", 0],
  [510, "add cluster", 0],
  [520, "add cluster", 0],
  [640, "remove files", 0.15],
  [760, "remove file", 0],
  [840, "approve the wrong commit", 0],
  [960, "approve by annotation", 0.7],
];

/**
 * The budget of the day is used up, and of two removals one is approved, while the other cluster is suspended. When that is
 * over, the approval is spent: its removal waits until the next day.
 */
const approvals: readonly DrillEntry[] = [
  [20, "add cluster", 0],
  [30, "add cluster", 0],
  [40, "add cluster", 0],
  [200, "remove file", 0.2],
  [330, "suspend cluster", 0],
  [360, "remove files", 0],
  [480, "approve by annotation", 0.1],
  [640, "resume cluster", 0],
  [800, "edit file", 0.3],
  [900, "machines sleep", 0.8],
  [1000, "remove file", 0],
];

/** What people do beside git, on a quiet day. */
const byHand: readonly DrillEntry[] = [
  [60, "edit on the hub", 0.9],
  [120, "revoke cluster", 0],
  [180, "credential is void", 0.3],
  [240, "install agent again", 0],
  [300, "break file", 0.6],
  [350, "credential is stolen", 0.4],
  [400, "edit on the hub", 0.6],
  [430, "install agent again", 0],
  [500, "edit file", 0],
  [560, "edit on the hub", 0.3],
  [620, "delete on the hub", 0.99],
  [900, "remove file", 0.99],
  [902, "install agent again", 0.99],
];

/** For replicas: each is cut off, killed, and paused while it leads. */
const leaders: readonly DrillEntry[] = [
  [30, "crash daemon", 0],
  [90, "crash daemon", 0.9],
  [150, "daemon stands still", 0, 60],
  [260, "daemon stands still", 0.9, 60],
  [380, "cut off daemon", 0, 60],
  [500, "cut off daemon", 0.9, 60],
  [620, "clock steps", 0.1, 1900],
  [700, "edit file", 0.5],
  [760, "bad network", 0.9, 200],
  [800, "edit file", 0.9],
];

/** The hub stops, forgets its history, refuses, and is asked many things at once. */
const hub: readonly DrillEntry[] = [
  [20, "writes of one moment", 0],
  [60, "stop daemon", 0],
  [150, "hub refuses writes", 0.3, 100],
  [155, "edit file", 0.1],
  [300, "hub is away", 0, 240],
  [310, "daemon stands still", 0, 233],
  [311, "daemon stands still", 0.9, 233],
  [600, "writes of one moment", 0],
  [640, "cut off daemon", 0, 420],
  [641, "cut off daemon", 0.9, 420],
  [700, "edit on the hub", 0.4],
  [1090, "crash hub", 0, 30],
  [1095, "crash daemon", 0],
  [1096, "crash agent", 0.3],
  [1150, "nodes change", 0.1],
  [1190, "nodes change", 0.9],
];

/** What agents see of their clusters, and what people do to their objects. */
const members: readonly DrillEntry[] = [
  [20, "nodes change", 0],
  [30, "bad network", 0.99, 200],
  [60, "nodes change", 0.3],
  [90, "nodes change", 0.6],
  [100, "crash daemon", 0],
  [120, "nodes change", 0.9],
  [140, "crash agent", 0.9],
  [300, "bad API server of a cluster", 0.3, 150],
  [310, "crash agent", 0.3],
  [500, "nodes change", 0.3],
  [510, "cut off agent", 0, 40],
  [512, "nodes change", 0],
  [640, "nodes change", 0],
  // The report of c0, and the account and the Lease of others.
  [560, "delete object of a cluster", 0],
  [620, "delete object of a cluster", 0.3],
  [680, "delete object of a cluster", 0.6],
  [740, "edit rights of a cluster", 0.9],
  // c2 has a grace period, in which its removal is called back.
  [800, "remove file", 0.6],
  [880, "revert last commit", 0],
  [1000, "commit to the status branch", 0],
  [1003, "edit file", 0.1],
];

/** Changes are seen later than they are made, by a replica that writes meanwhile. */
const lateViews: readonly DrillEntry[] = [
  [10, "slow watches", 0.4, 500],
  [11, "slow watches", 0.9, 500],
  [20, "edit file", 0.3],
  [40, "add cluster", 0.1],
  [60, "suspend cluster", 0.9],
  [62, "remove file", 0.9],
  [200, "edit on the hub", 0.1],
  [202, "edit file", 0.1],
  [280, "edit rules", 0],
  [300, "delete on the hub", 0.4],
  [330, "nodes change", 0.6],
  [420, "revoke cluster", 0.1],
  [700, "resume cluster", 0],
  [800, "slow watches", 0.7, 200],
  [801, "slow watches", 0.2, 200],
  [805, "edit rules", 0],
  [900, "edit file", 0.1],
];

/** Machines that sleep for hours: credentials are renewed, end while the agent is away, and a new day begins. */
const nights: readonly DrillEntry[] = [
  [60, "remove file", 0.99],
  [200, "machines sleep", 0.55],
  [500, "one write fails", 0],
  [502, "edit file", 0.1],
  [620, "agent stays away", 0.3, 60],
  [640, "machines sleep", 0.9],
  [660, "remove file", 0.99],
  [900, "one write fails", 0],
  [902, "edit rules", 0],
  [1080, "cut off daemon", 0.9, 20],
  [1085, "machines sleep", 0.1],
  [1100, "edit file", 0.6],
];

/** Who asks to join, and may not; who asks for a credential while it leaves. */
const strangers: readonly DrillEntry[] = [
  [20, "token is leaked", 0],
  [60, "revoke cluster", 0],
  [120, "token is leaked", 0.9],
  [180, "install agent again", 0],
  [200, "add cluster", 0],
  [210, "add cluster", 0],
  // n2 has a grace period, and its agent comes within it.
  [220, "add cluster", 0.99],
  [285, "remove file", 0.99],
  // Its own agent asks on, also after its file was changed.
  [600, "edit file", 0],
  [660, "install agent again", 0],
  // c2 has a grace period, too, in which its agent asks for another credential.
  [760, "remove files, approved by trailer", 0.2],
  [850, "credential is void", 0.3],
  [855, "credential is void", 0.6],
  [1000, "revert last commit", 0],
  [1020, "token is leaked", 0.3],
];

/** A cluster that has no credential is removed; in its grace period its own agent asks to join. Then it is called back. */
const graces: readonly DrillEntry[] = [
  [20, "revoke cluster", 0.6],
  [80, "edit file", 0.6],
  [200, "remove file", 0.6],
  [300, "install agent again", 0],
  [350, "revert last commit", 0],
];

/** Clusters get other names: while the agent is away, with a daemon that is killed, and called back. */
const renames: readonly DrillEntry[] = [
  [20, "rename cluster", 0.9],
  [25, "agent stays away", 0.9, 20],
  [200, "rename cluster", 0.7],
  [215, "crash daemon", 0],
  [216, "crash daemon", 0.9],
  [220, "crash agent", 0.7],
  [400, "rename cluster", 0.4],
  [420, "revert last commit", 0],
  [560, "rename suspended cluster", 0.1],
  [800, "resume cluster", 0],
  [820, "nodes change", 0.4],
  [900, "rename cluster", 0.9],
  [990, "revert last commit", 0],
  [1150, "rename cluster", 0.2],
  [1160, "bad network", 0.9, 60],
];

/** Each is suspended as it is renamed, which a daemon sees 25 s late: one of four moments is just before it reads main. */
const suspendedRenames: readonly DrillEntry[] = [
  [10, "slow watches", 0.25, 120],
  [40, "rename suspended cluster", 0.9],
  [55, "rename suspended cluster", 0.6],
  [70, "rename suspended cluster", 0.4],
  [85, "rename suspended cluster", 0.1],
  ...[300, 320, 340, 360].map((at): DrillEntry => [at, "resume cluster", 0]),
];

/** The hub becomes what it was minutes before: pushes, a removal, a revocation and what else happened since are lost there. */
const restores: readonly DrillEntry[] = [
  [20, "edit file", 0.1],
  [60, "hub is restored", 0, 240],
  [80, "edit file", 0.4],
  [100, "remove file", 0.9],
  [140, "nodes change", 0.3],
  [160, "edit on the hub", 0.1],
  [180, "suspend cluster", 0.3],
  [200, "credential is void", 0.6],
  [700, "hub is restored", 0, 200],
  [720, "revoke cluster", 0.3],
  [740, "add cluster", 0],
  [780, "edit rules", 0],
];

/** The same, and no daemon is stopped or notified: versions of objects go back, and are given again. */
const unnoticedRestores: readonly DrillEntry[] = [
  [60, "hub is restored", 0.9, 120],
  [70, "edit file", 0.4],
  [80, "edit on the hub", 0.1],
  [100, "remove file", 0.9],
  [120, "nodes change", 0.3],
  [600, "hub is restored", 0.9, 200],
  [620, "suspend cluster", 0.4],
  [640, "edit rules", 0],
  [660, "edit file", 0.1],
  [680, "delete on the hub", 0.4],
];

/** After a push the read of the branch fails several times, and nothing else does. */
const lostLooks: readonly DrillEntry[] = Array.from({ length: 8 }, (_, index): readonly DrillEntry[] => [
  [20 + 145 * index, "edit file", index / 8],
  [21 + 145 * index, "looks fail", 0.7],
]).flat();

/** A leader is paused between two writes, until another replica leads. */
const standstills: readonly DrillEntry[] = Array.from({ length: 7 }, (_, index): readonly DrillEntry[] => [
  [20 + 165 * index, "daemon stands still after a write", 0, 60],
  [21 + 165 * index, index % 2 === 0 ? "edit on the hub" : "edit file", index / 8],
]).flat();

/** New watches become half-open while each daemon is cut off: what they miss is seen long before they would end by themselves. */
const silentWatches: readonly DrillEntry[] = [60, 560].flatMap((at): readonly DrillEntry[] => [
  [at, "crash daemon", 0],
  [at + 1, "crash daemon", 0.9],
  [at + 10, "cut off daemon", 0, 155],
  [at + 11, "cut off daemon", 0.9, 154],
  [at + 30, "edit on the hub", 0.1],
  [at + 40, "edit on the hub", 0.4],
  [at + 400, "edit file", 0.3],
]);

/** Many writes while a third of all requests meet a fault. */
const badNetwork: readonly DrillEntry[] = [
  [20, "bad network", 0.99, 400],
  ...Array.from({ length: 12 }, (_, index): DrillEntry => [40 + 30 * index, "edit file", (index % 4) / 4]),
  [600, "bad network", 0.99, 300],
  [620, "add cluster", 0],
  [680, "remove file", 0.99],
  [740, "edit on the hub", 0.1],
];

/** Another hub is given the repository: files of main are deleted, people call removals back, and this hub's daemon loses races. */
const twoHubs: readonly DrillEntry[] = [
  [20, "another hub is given the repository", 0],
  [100, "edit file", 0.1],
  [160, "nodes change", 0.3],
  [200, "remove file", 0.9],
  [260, "revert last commit", 0],
  [330, "crash daemon", 0],
  [340, "edit file", 0.4],
  [420, "remove files, approved by trailer", 0.2],
  [500, "commit to the status branch", 0],
  [520, "lost pushes", 0, 60],
  [530, "edit file", 0.6],
  [640, "remove files", 0.5],
  [700, "remote away", 0, 90],
  [800, "suspend cluster", 0.3],
  [860, "edit rules", 0],
  [900, "force-push", 0],
];

/** The hub and each daemon are away together, for one to two periods of a heartbeat, and an agent for a minute more. */
const sharedOutages: readonly DrillEntry[] = Array.from({ length: 6 }, (_, index): readonly DrillEntry[] => [
  [30 + 205 * index, "hub is away", 0, 70 + 8 * index],
  [31 + 205 * index, "crash daemon", 0],
  [32 + 205 * index, "crash daemon", 0.9],
  [33 + 205 * index, "cut off agent", index / 6, 130 + 8 * index],
]).flat();

/** Rounds in which each kind of work is done at least once, so that a fault of any of it has an occasion. */
export const drills: readonly { readonly name: string; readonly deeds: readonly Deed[] }[] = Object.entries({
  files: first,
  outages: second,
  removals,
  approvals,
  "by hand": byHand,
  leaders,
  hub,
  members,
  "late views": lateViews,
  nights,
  strangers,
  graces,
  renames,
  "suspended renames": suspendedRenames,
  restores,
  "unnoticed restores": unnoticedRestores,
  "lost looks": lostLooks,
  standstills,
  "silent watches": silentWatches,
  "shared outages": sharedOutages,
  ...repositoryDrills,
  "bad network": badNetwork,
  "two hubs": twoHubs,
  forge: forgeDrill,
  merges: mergeDrill,
  kubeconfigs: kubeconfigDrill,
  "interrupted installs": interruptedInstall,
  ...foreignDrills,
}).map(([name, entries]) => ({
  name,
  deeds: entries.map(([atSeconds, kind, pick, forSeconds = 1]): Deed => {
    return { atMs: atSeconds * 1000, kind, pick, forMs: forSeconds * 1000 };
  }),
}));
