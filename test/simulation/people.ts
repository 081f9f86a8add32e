import { ownValue } from "../../src/core/own-value.ts";
import type { KubeObject } from "../../src/model/kubernetes.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { annotationKeys } from "../../src/model/well-known.ts";
import { addAgent, installAgain } from "./begin.ts";
import { hasKubeconfig } from "./by-kubeconfig.ts";
import { daemonNamespace, repositoryName, workspace } from "./daemon-process.ts";
import type { Deed } from "./deeds.ts";
import { pickOf } from "./do-deed.ts";
import type { Stage } from "./do-deed.ts";
import { foreignNames } from "./foreign/foreign-names.ts";
import { doByHand } from "./people-by-hand.ts";
import { renameCluster } from "./rename-cluster.ts";
import { firstNameOf } from "./first-name.ts";
import {
  clusterFile,
  clusterPaths,
  commitFiles,
  headOf,
  rulesFile,
  rulesPath,
  tokenPath,
  undeclaredAt,
} from "./fleet-files.ts";

const fieldManager = "kubectl-edit";
/** Between a cluster's file and its agent. */
const mostInstallDelayMs = 240_000;

/** Whatever people do: in git, and on the hub. */
export function doAsPerson(stage: Stage, deed: Deed): void {
  const { world, intent } = stage;
  const { formerNames } = intent;
  const { kind, pick } = deed;
  const head = headOf(world);
  const paths = clusterPaths(world, head);
  const files = [...paths.keys()];
  const path = pickOf(files, pick);
  const name = path === undefined ? undefined : paths.get(path);
  const edition = String(Math.round(world.scheduler.elapsedMs));
  const push = (changes: readonly (readonly [string, string | null])[], message: string): string => {
    for (const [changed] of changes) intent.revoked.delete(paths.get(changed) ?? "");
    return commitFiles(world, new Map(changes), message);
  };
  switch (kind) {
    case "add cluster":
    case "add foreign cluster":
    case "add cluster by kubeconfig":
      return addCluster(stage, deed, (file, text) => push([[file, text]], `Add ${file}`));
    case "edit file":
      if (path !== undefined && name !== undefined)
        push([[path, clusterFile(name, edition, formerNames.get(name))]], `Edit ${name}`);
      return;
    case "protect cluster":
      // The next edit of the file takes the protection away.
      if (path !== undefined && name !== undefined) {
        const text = `${clusterFile(name, edition, formerNames.get(name))}  deletionProtection: true\n`;
        push([[path, text]], `Protect ${name}`);
      }
      return;
    case "edit rules":
      push([[rulesPath, rulesFile(edition)]], "Edit the rules");
      return;
    case "remove file":
      if (path !== undefined && files.length > 2) push([[path, null]], `Remove ${name}`);
      return;
    case "remove files":
    case "remove files, approved by trailer": {
      const some = files.filter((_, index) => (index + Math.floor(pick * 7)) % 3 === 0).slice(0, 4);
      if (some.length < 2 || files.length - some.length < 2) return;
      const names = some.map((one) => paths.get(one)).join(", ");
      const isApproved = kind !== "remove files";
      const trailer = isApproved ? `\n\nRollcall-Allow-Deletions: ${some.length}` : "";
      const commit = push(
        some.map((one) => [one, null] as const),
        `Remove ${names}${trailer}`,
      );
      if (isApproved) noteApproval(stage, commit, some.length);
      return;
    }
    case "break file":
      if (path !== undefined) push([[path, "apiVersion: rollcall.dev/v1alpha1\nkind: [Cluster\n"]], `Break ${name}`);
      return;
    case "rename path":
      if (path !== undefined && name !== undefined) {
        const text = world.remote.objects.commits.get(head ?? "")?.files.get(path)?.blobId ?? "";
        const moved = path.includes("/moved/") ? `clusters/${name}.yaml` : `clusters/moved/${name}.yaml`;
        const content = Buffer.from(world.remote.objects.blobs.get(text) ?? "").toString("utf8");
        push(
          [
            [path, null],
            [moved, content],
          ] as const,
          `Move ${name}`,
        );
      }
      return;
    case "rename cluster":
    case "rename suspended cluster":
      return name === undefined ? undefined : renameCluster(stage, deed, name);
    case "revert last commit":
      return revertLast(stage);
    case "force-push":
      return forcePush(stage, edition);
    case "install agent again": {
      const locked = pickOf(
        [...intent.lockedOut].filter((one) => world.members.get(one)?.isInstalled && !hasKubeconfig(one)),
        pick,
      );
      if (locked === undefined) return;
      const present = [...paths.values()].find((one) => firstNameOf(one) === locked) ?? locked;
      world.story.tell("people", `install the agent of ${present} again`);
      return world.act(`install the agent of ${present} again`, () => installAgain(world, present));
    }
    case "nodes change":
    case "delete object of a cluster":
    case "edit rights of a cluster":
    case "writes of one moment":
    case "commit to the status branch":
      return doByHand(stage, deed);
    default:
      return doOnHub(stage, deed, name);
  }
}

function addCluster(stage: Stage, { kind, pick }: Deed, push: (path: string, text: string) => void): void {
  const { world } = stage;
  const number = stage.intent.addedCount++;
  const prefix = {
    "add foreign cluster": `${pickOf(foreignNames, pick)}-`,
    "add cluster by kubeconfig": "kubeconfig-",
  };
  const name = `${ownValue(prefix, kind) ?? "n"}${number}`;
  push(`clusters/${name}.yaml`, clusterFile(name, "0"));
  world.scheduler.send(world.people, pick * mostInstallDelayMs, `install the agent of ${name}`, () => {
    world.act(`install the agent of ${name}`, () => addAgent(world, name));
  });
}

/** Puts every file back to what it was before the head's commit. */
function revertLast({ world, intent }: Stage): void {
  const { objects } = world.remote;
  const head = objects.commits.get(headOf(world) ?? "");
  const before = objects.commits.get(head?.commit.parents[0] ?? "");
  if (head === undefined || before === undefined) return;
  const changed = [...new Set([...head.files.keys(), ...before.files.keys()])].filter(
    (path) => path !== tokenPath && head.files.get(path)?.blobId !== before.files.get(path)?.blobId,
  );
  if (changed.length === 0) return;
  const names = clusterPaths(world, before.commit.id);
  for (const path of changed) intent.revoked.delete(names.get(path) ?? "");
  const contents = changed.map((path): [string, string | null] => {
    const blob = objects.blobs.get(before.files.get(path)?.blobId ?? "");
    return [path, blob === undefined ? null : Buffer.from(blob).toString("utf8")];
  });
  commitFiles(world, new Map(contents), `Revert ${head.commit.id.slice(0, 8)}`);
}

/** Takes the last commit from main, and puts another one in its place that edits a file. */
function forcePush({ world, intent }: Stage, edition: string): void {
  const { objects } = world.remote;
  const head = headOf(world);
  const [before] = objects.commits.get(head ?? "")?.commit.parents ?? [];
  const [first] = clusterPaths(world, before);
  if (before === undefined || first === undefined) return;
  const [path, name] = first;
  for (const [changed, cluster] of [...clusterPaths(world, head), ...clusterPaths(world, before)])
    if (changed === path || fileAt(head, changed) !== fileAt(before, changed)) intent.revoked.delete(cluster);
  const message = `Edit ${name} in place of ${head?.slice(0, 8)}`;
  commitFiles(world, new Map([[path, clusterFile(name, edition, intent.formerNames.get(name))]]), message, before);

  function fileAt(commit: string | undefined, of: string): string | undefined {
    return objects.commits.get(commit ?? "")?.files.get(of)?.blobId;
  }
}

/** An approval of what this commit does not declare. */
export function noteApproval({ world, intent }: Stage, commit: string, count: number): void {
  const { elapsedMs, sleptMs } = world.scheduler;
  intent.approvals.push({ atMs: elapsedMs + sleptMs, commit, covers: undeclaredAt(world, commit), count });
}

function doOnHub(stage: Stage, { kind, pick }: Deed, declared: string | undefined): void {
  const { world, intent } = stage;
  const { personApi: api, scheduler } = world;
  const annotate = (name: string, annotations: Record<string, string | null>): Promise<KubeObject> =>
    api.mergePatch(clusterRef(name), { metadata: { annotations } }, { fieldManager: "rollcall-operator" });
  const act = (what: string, work: () => Promise<unknown>): void => {
    world.story.tell("people", what);
    world.act(what, async () => void (await work()));
  };
  const approve = (commit: string, count: number): void => {
    const time = new Date(scheduler.wallMs()).toISOString();
    const annotations = { [annotationKeys.approvedDeletions]: `${commit} ${count} ${time}` };
    const ref = { type: resourceTypes.repository, namespace: daemonNamespace, name: repositoryName };
    act(`approve ${count} deletions of ${commit.slice(0, 8)}`, () =>
      api.mergePatch(ref, { metadata: { annotations } }, { fieldManager: "rollcall-operator" }),
    );
  };
  const head = headOf(world);
  switch (kind) {
    case "approve by annotation": {
      if (head === undefined) return;
      const count = 1 + Math.floor(pick * 4);
      noteApproval(stage, head, count);
      return approve(head, count);
    }
    case "approve the wrong commit": {
      const parent = world.remote.objects.commits.get(head ?? "")?.commit.parents[0];
      if (parent === undefined) return;
      // It covers what its own commit does not declare, and no more.
      noteApproval(stage, parent, 4);
      return approve(parent, 4);
    }
    case "suspend cluster":
      if (declared === undefined) return;
      intent.suspended.add(declared);
      return act(`suspend ${declared}`, () => annotate(declared, { [annotationKeys.reconcile]: "disabled" }));
    case "resume cluster": {
      const name = pickOf([...intent.suspended], pick);
      if (name === undefined) return;
      return act(`resume ${name}`, async () => {
        await annotate(name, { [annotationKeys.reconcile]: null });
        intent.suspended.delete(name);
      });
    }
    case "revoke cluster":
      if (declared === undefined) return;
      intent.revoked.add(declared);
      intent.lockedOut.add(firstNameOf(declared));
      return act(`revoke ${declared}`, () =>
        annotate(declared, { [annotationKeys.revoked]: `-/people/${new Date(scheduler.wallMs()).toISOString()}` }),
      );
    case "delete on the hub":
      if (declared === undefined) return;
      intent.deletedByHand.set(declared, scheduler.elapsedMs);
      return act(`kubectl delete ${declared}`, () => api.delete(clusterRef(declared)));
    case "edit on the hub":
      if (declared === undefined) return;
      return act(`kubectl label ${declared} edition=drift`, () =>
        api.mergePatch(clusterRef(declared), { metadata: { labels: { edition: "drift" } } }, { fieldManager }),
      );
    default:
      throw new Error(`no person does this: ${kind}`);
  }
}

function clusterRef(name: string) {
  return { type: resourceTypes.cluster, namespace: workspace, name };
}
