import { isJsonEqual } from "../../../src/core/json.ts";
import { objectAt, valueAt } from "../../../src/core/read-json.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { statusBranch, workspace } from "../daemon-process.ts";
import { declaredAt, headOf } from "../fleet-files.ts";
import { clusterPrefix } from "../mirror.ts";
import { nameOnHub } from "../name-on-hub.ts";
import { notesName } from "../people-by-hand.ts";
import type { Invariant, Scene } from "./invariant.ts";

/**
 * A hub that is an older copy has lost what people did since, and people know it: what they mean is what it has. An agent comes
 * back by itself if the copy or the status branch knows its keys; of the others no invariant asks anything any more.
 */
export function peopleKnowOfRestores({ world, mirror, intent, violate }: Scene): Invariant {
  const name = "a restored hub revokes again what the status branch calls revoked";
  /** Which clusters are to be revoked, and for which file. */
  const revokedFiles = new Map<string, string>();
  return {
    name,
    atRest: () => {
      const declared = declaredAt(world, headOf(world));
      for (const [cluster, blobId] of revokedFiles) {
        const live = mirror.get(`${clusterPrefix}${cluster}`);
        if (live === undefined || declared.get(cluster)?.blobId !== blobId || revocationOf(live) !== undefined)
          continue;
        violate(name, `${cluster} is not revoked any more`);
      }
      revokedFiles.clear();
    },
    onRestore: ({ copy, before }) => {
      const has = (cluster: KubeObject, key: string): boolean => cluster.metadata.annotations?.[key] !== undefined;
      intent.suspended.clear();
      intent.revoked.clear();
      for (const [cluster, object] of mirror.below(clusterPrefix)) {
        if (has(object, "rollcall.dev/reconcile")) intent.suspended.add(cluster);
        if (has(object, "rollcall.dev/revoked")) intent.revoked.add(cluster);
      }
      intent.notes.clear();
      const notes = objectAt(mirror.get(`//configmaps/fleet/${notesName}`), "data") ?? {};
      for (const [key, value] of Object.entries(notes)) if (typeof value === "string") intent.notes.set(key, value);
      const { commits, blobs } = world.remote.objects;
      const recorded = commits.get(world.remote.refs.get(statusBranch) ?? "")?.files;
      const recordOf = (cluster: string): string => {
        const record = recorded?.get(`clusters/${workspace}/${cluster}.yaml`);
        return Buffer.from((record && blobs.get(record.blobId)) ?? "").toString("utf8");
      };
      for (const [key, object] of before) {
        const [, cluster] = key.split(clusterPrefix);
        const [blobId = "-"] = revocationOf(object)?.split("/") ?? [];
        if (cluster && copy.isNoticed && blobId !== "-" && /^revoked:/mu.test(recordOf(cluster)))
          revokedFiles.set(cluster, blobId);
      }
      for (const member of world.members.values()) {
        const key = `${clusterPrefix}${nameOnHub(world, member)}`;
        const [was, is] = [before.get(key), mirror.get(key)].map((one) => valueAt(one, "status", "identity", "keys"));
        // A record that was written before the agent joined has no keys.
        const isRecorded = /^keys:/mu.test(recordOf(nameOnHub(world, member)));
        if (was === undefined || (!isJsonEqual(was, is) && !(isRecorded && copy.isNoticed)))
          intent.lockedOut.add(member.name);
      }
    },
  };
}

function revocationOf({ metadata }: KubeObject): string | undefined {
  return metadata.annotations?.["rollcall.dev/revoked"];
}
