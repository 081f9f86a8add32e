import { resourceTypes } from "../../../src/model/resource-types.ts";
import { realClock } from "../../../src/system/real-clock.ts";
import type { FakePull } from "../../support/forge/forge-state.ts";
import { addPull } from "../../support/forge/github-routes.ts";
import { addAgent } from "../begin.ts";
import { daemonNamespace } from "../daemon-process.ts";
import type { Stage } from "../do-deed.ts";
import { pickOf } from "../do-deed.ts";
import { clusterFile, clusterPaths, commitFiles, headOf, personName } from "../fleet-files.ts";
import { noteApproval } from "../people.ts";
import type { World } from "../world.ts";
import { changesOf, hasConflicts } from "./branches.ts";
import type { ForgeKind } from "./forge-deeds.ts";
import type { SimulatedForge } from "./simulated-forge.ts";
import { followBranches, forgeSecretName, ownRepositoryId } from "./simulated-forge.ts";

/** The repository that strangers made of this one. */
const forkId = 66;
const strangerId = 66;
/** Between a merge and the agent of the cluster that it adds. */
const installDelayMs = 60_000;

type Changes = readonly (readonly [string, string | null])[];

/** A person puts the forge's token where the daemon reads it, again until it is there. */
export async function giveForgeToken({ personApi }: World, forge: SimulatedForge): Promise<void> {
  const ref = { type: resourceTypes.secret, namespace: daemonNamespace, name: forgeSecretName };
  const { namespace, name } = ref;
  const data = { token: Buffer.from(forge.token).toString("base64") };
  for (;;) {
    try {
      const there = await personApi.get(ref);
      const secret = { apiVersion: "v1", kind: "Secret", metadata: { namespace, name }, data };
      if (there === undefined) await personApi.create(secret, { fieldManager: "people" });
      else await personApi.mergePatch(ref, { data }, { fieldManager: "people" });
      return;
    } catch {
      // A hub that is away, or that refuses writes.
      await realClock.sleep(5000);
    }
  }
}

/** What people do with pull requests. */
export function doAtForge(stage: Stage, forge: SimulatedForge, deed: { kind: ForgeKind; pick: number }): void {
  const { world } = stage;
  const { kind, pick } = deed;
  followBranches(forge.state, world.remote);
  const own = forge.state.pulls.filter(
    ({ isOpen, headRepositoryId }) => isOpen && headRepositoryId === ownRepositoryId,
  );
  const pull = pickOf(own, pick);
  if (kind === "open pull request") return openPull(stage, forge, pick);
  if (kind === "stranger comes") return beStranger(stage, forge, pull);
  if (pull === undefined) return;
  switch (kind) {
    case "push to pull request":
      return pushTo(stage, pull, { parent: pull.headCommit, changes: drawChanges(stage, pull.headCommit, pick) });
    case "force-push pull request": {
      const parent = headOf(world);
      if (parent === undefined) return;
      return pushTo(stage, pull, { parent, changes: drawChanges(stage, parent, 1 - pick) });
    }
    case "approve in pull request":
      world.story.tell("people", `approve a deletion in the text of #${pull.number}`);
      return forge.change(pull.number, { body: "Rollcall-Allow-Deletions: 1" });
    case "close pull request":
      world.story.tell("people", `close #${pull.number}`);
      return forge.change(pull.number, { isOpen: false });
    default:
      return merge(stage, forge, pull);
  }
}

function openPull(stage: Stage, forge: SimulatedForge, pick: number): void {
  const { world } = stage;
  const parent = headOf(world);
  if (parent === undefined) return;
  const changes = drawChanges(stage, parent, pick);
  if (changes.length === 0) return;
  const head = `topic-${forge.state.nextId}`;
  const title = `Change ${changes.map(([path]) => path).join(", ")}`;
  pushTo(stage, { head }, { parent, changes });
  forge.state.branches.set(head, world.remote.refs.get(head) ?? "");
  const { number } = addPull(forge.state, { title, body: "", head, base: "main" });
  world.story.tell("people", `open #${number}: ${title}`);
}

/** A new file, an edit, a removal, or a file that cannot be parsed. */
function drawChanges({ world, intent }: Stage, commit: string, pick: number): Changes {
  const edition = String(Math.round(world.scheduler.elapsedMs));
  const paths = [...clusterPaths(world, commit)];
  const [path, name] = pickOf(paths, (pick * 4) % 1) ?? [];
  if (pick < 0.25) {
    const added = `n${intent.addedCount++}`;
    return [[`clusters/${added}.yaml`, clusterFile(added, "0")]];
  }
  if (path === undefined || name === undefined) return [];
  if (pick < 0.5) return [[path, clusterFile(name, edition, intent.formerNames.get(name))]];
  if (pick < 0.75) return paths.length > 2 ? [[path, null]] : [];
  return [[path, "apiVersion: rollcall.dev/v1alpha1\nkind: [Cluster\n"]];
}

function pushTo(
  { world }: Stage,
  { head }: Pick<FakePull, "head">,
  { parent, changes }: { readonly parent: string; readonly changes: Changes },
): void {
  const { remote, scheduler, story } = world;
  const message = `Change ${changes.map(([path]) => path).join(", ")}`;
  const author = { name: personName, email: "person@example.com" };
  const commit = { parents: [parent], changes: new Map(changes), message, author, committedAtMs: scheduler.wallMs() };
  const id = remote.objects.commit({ ...commit, allowsEmpty: true });
  remote.move(head, id, "people");
  story.tell("people", `push ${id.slice(0, 8)} to ${head}: ${message}`);
}

/** As a squash, with the message that the forge proposes. */
function merge(stage: Stage, forge: SimulatedForge, pull: FakePull): void {
  const { world, intent } = stage;
  const { number, headCommit, title, body } = pull;
  if (hasConflicts(world, headCommit)) return world.story.tell("people", `#${number} cannot be merged`);
  const changes = changesOf(world, headCommit);
  const before = clusterPaths(world, headOf(world));
  const left = new Set([...before.keys(), ...changes.keys()]);
  for (const [path, content] of changes) if (content === null) left.delete(path);
  if (changes.size === 0 || left.size < 2) return;
  for (const path of changes.keys()) intent.revoked.delete(before.get(path) ?? "");
  forge.merging = pull;
  const commit = commitFiles(world, changes, [title, body].filter((text) => text !== "").join("\n\n"));
  forge.merging = undefined;
  forge.change(number, { isOpen: false, headCommit });
  world.story.tell("people", `merge #${number} as ${commit.slice(0, 8)}`);
  if (body !== "") noteApproval(stage, commit, 1);
  for (const [path, name] of clusterPaths(world, commit)) {
    if (before.has(path) || world.members.has(name)) continue;
    const what = `install the agent of ${name}`;
    world.scheduler.send(world.people, installDelayMs, what, () => world.act(what, () => addAgent(world, name)));
  }
}

/** One who may not push: pull requests of a fork, and a comment that resembles the daemon's. */
function beStranger({ world }: Stage, { state }: SimulatedForge, pull: FakePull | undefined): void {
  const { remote, scheduler, story } = world;
  const parent = headOf(world);
  if (parent === undefined) return;
  const changes = new Map<string, string | null>([["clusters/evil.yaml", clusterFile("evil", "0")]]);
  for (const path of clusterPaths(world, parent).keys()) changes.set(path, null);
  const author = { name: "Stranger", email: "stranger@example.com" };
  const committedAtMs = scheduler.wallMs();
  for (const head of ["main", pull?.head ?? "topic", "rollcall/status", "evil"]) {
    const id = remote.objects.commit({ parents: [parent], changes, message: head, author, committedAtMs });
    state.commits.push(id);
    const { number } = addPull(state, { title: "Remove all", body: "", head, base: "main" });
    state.pulls = state.pulls.map((one) =>
      one.number === number ? { ...one, headCommit: id, headRepositoryId: forkId } : one,
    );
  }
  story.tell("stranger", "opens pull requests of a fork");
  if (pull === undefined) return;
  const marker = `<!-- rollcall:plan repository=rollcall-system.fleet base=${parent} head=${pull.headCommit} -->`;
  const comment = { pull: pull.number, authorId: strangerId, authorType: "User", isSystem: false } as const;
  state.comments.push({ ...comment, id: state.nextId++, body: `${marker}\nnothing changes` });
}
