import { isAppError } from "../../src/core/errors.ts";
import { objectAt } from "../../src/core/read-json.ts";
import { createKubeApi } from "../../src/kube/kube-api.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import type { ObjectRef } from "../../src/model/kubernetes.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { realClock, realRandom } from "../../src/system/real-clock.ts";
import { statusBranch, workspace } from "./daemon-process.ts";
import type { Deed } from "./deeds.ts";
import { personName } from "./fleet-files.ts";
import { pickOf } from "./do-deed.ts";
import type { Stage } from "./do-deed.ts";
import { foreignFactsOf } from "./foreign/foreign-facts.ts";
import { nameOnHub } from "./name-on-hub.ts";
import { administrator } from "./hub-process.ts";
import type { Member } from "./member-clusters.ts";
import type { World } from "./world.ts";

const fieldManager = "kubectl-edit";
export const notesName = "notes";
const writesOfOneMoment = 8;

/** What people do in a cluster, to the hub's objects of a cluster, and on the status branch. */
export function doByHand(stage: Stage, { kind, pick }: Pick<Deed, "kind" | "pick">): void {
  const { world, intent } = stage;
  const { personApi: api, story } = world;
  const installed = [...world.members.values()].filter(({ isInstalled }) => isInstalled);
  const member = pickOf(
    installed.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    pick,
  );
  const act = (what: string, work: () => Promise<unknown>): void => {
    story.tell("people", what);
    world.act(what, async () => void (await work()));
  };
  switch (kind) {
    case "nodes change": {
      if (member === undefined) return;
      const { name } = member;
      const node = `node-${Math.round(world.scheduler.elapsedMs)}`;
      return act(`${name} gets the node ${node}`, async () => {
        await apiOf(world, member).create(nodeOf(node), { fieldManager });
        intent.nodes.set(name, (intent.nodes.get(name) ?? 0) + 1);
      });
    }
    case "delete object of a cluster": {
      if (member === undefined) return;
      const deletable = foreignFactsOf(member.name)?.deletableOf(member.name);
      const ref = pickOf(deletable ?? objectsOf(nameOnHub(world, member)), (pick * 7919) % 1);
      if (ref === undefined) return;
      return act(`kubectl delete ${ref.type.kind}/${ref.name}`, () => api.delete(ref));
    }
    case "edit rights of a cluster": {
      if (member === undefined || foreignFactsOf(member.name) !== undefined) return;
      const ref = { type: resourceTypes.role, namespace: workspace, name: `rollcall-${nameOnHub(world, member)}` };
      return act(`take every rule from Role/${ref.name}`, () => api.mergePatch(ref, { rules: [] }, { fieldManager }));
    }
    case "writes of one moment":
      return act(`${writesOfOneMoment} writes of one object at the same time`, () => writeNotes(stage));
    case "commit to the status branch":
      return commitToStatusBranch(world);
    default:
      throw new Error(`no person does this: ${kind}`);
  }
}

/** The API of a cluster, for its administrator. */
function apiOf({ network, people }: World, { server }: Member): KubeApi {
  const transport = network.transport(people, server, administrator);
  return createKubeApi({ transport, clock: realClock, random: realRandom });
}

function nodeOf(name: string) {
  const status = { conditions: [{ type: "Ready", status: "True" }] };
  return { apiVersion: "v1", kind: "Node", metadata: { name }, spec: {}, status };
}

/** What the hub has for a cluster that has joined. */
function objectsOf(cluster: string): readonly ObjectRef[] {
  const own = `rollcall-${cluster}`;
  const of = (type: ObjectRef["type"], name: string): ObjectRef => ({ type, namespace: workspace, name });
  return [
    of(resourceTypes.clusterReport, cluster),
    of(resourceTypes.lease, own),
    of(resourceTypes.role, own),
    of(resourceTypes.roleBinding, own),
    of(resourceTypes.configMap, `rollcall-agent-${cluster}`),
    of(resourceTypes.serviceAccount, own),
  ];
}

/**
 * Several clients write to one object at once, each another field: none of what the hub acknowledges may be lost. Every second
 * one reads the object, and writes it back as a whole by the version that it read.
 */
async function writeNotes({ world, intent }: Stage): Promise<void> {
  const { personApi: api, scheduler } = world;
  const ref = { type: resourceTypes.configMap, namespace: workspace, name: notesName };
  const stamp = String(Math.round(scheduler.elapsedMs));
  const empty = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: notesName, namespace: workspace } };
  await api.apply(empty, { fieldManager: "notes" });
  const keys = Array.from({ length: writesOfOneMoment }, (_, index) => `note-${index}`);
  await Promise.all(
    keys.map(async (key, index) => {
      if (index % 2 === 0) await api.mergePatch(ref, { data: { [key]: stamp } }, { fieldManager });
      else await writeBack(api, ref, { [key]: stamp });
      intent.notes.set(key, stamp);
    }),
  );
}

/** Reads and updates until no other write came between. */
async function writeBack(api: KubeApi, ref: ObjectRef, added: Readonly<Record<string, string>>): Promise<void> {
  for (;;) {
    const live = await api.get(ref);
    if (live === undefined) return;
    try {
      await api.update({ ...live, data: { ...objectAt(live, "data"), ...added } }, { fieldManager });
      return;
    } catch (error) {
      if (!isAppError(error, "E_KUBE_CONFLICT")) throw error;
    }
  }
}

/** A commit on top of what the daemon wrote, with a file that is not its own. */
function commitToStatusBranch({ remote, scheduler, story }: World): void {
  const head = remote.refs.get(statusBranch);
  if (head === undefined) return;
  const id = remote.objects.commit({
    parents: [head],
    changes: new Map([["NOTES.md", `${Math.round(scheduler.elapsedMs)}\n`]]),
    message: "Take notes",
    author: { name: personName, email: "person@example.com" },
    committedAtMs: scheduler.wallMs(),
  });
  remote.move(statusBranch, id, "people");
  story.tell("people", `push ${id.slice(0, 8)} to ${statusBranch}`);
}
