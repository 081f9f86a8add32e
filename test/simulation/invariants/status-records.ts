import { parse } from "yaml";
import { isJsonEqual } from "../../../src/core/json.ts";
import { objectsAt, textAt, valueAt } from "../../../src/core/read-json.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { statusBranch, workspace } from "../daemon-process.ts";
import { clusterPrefix, repositoryKey } from "../mirror.ts";
import type { Invariant, Scene } from "./invariant.ts";

/** After a fault: for retries of git. */
const settledAfterMs = 60_000;

/** At rest the records of the status branch, and the counts, are those of the hub; in calm times each push succeeds. */
export function recordsSayWhatTheHubSays({ world, mirror, violate, hubDisturbedAtMs }: Scene): Invariant {
  const name = "the status branch has what the hub has";
  const readFile = (path: string): unknown => {
    const { commits, blobs } = world.remote.objects;
    const blobId = commits.get(world.remote.refs.get(statusBranch) ?? "")?.files.get(path)?.blobId;
    return blobId === undefined ? undefined : parse(Buffer.from(blobs.get(blobId) ?? "").toString("utf8"));
  };
  return {
    name,
    onRow: ({ key, after }) => {
      if (key !== repositoryKey || world.scheduler.elapsedMs - hubDisturbedAtMs() < settledAfterMs) return;
      const pushed = conditionOf(after, "WriteBackReady");
      if (textAt(pushed, "status") === "False") violate(name, `in calm times: ${textAt(pushed, "message")}`);
    },
    atRest: () => {
      const clusters = mirror.below(clusterPrefix);
      for (const [cluster, object] of clusters) {
        const record = readFile(`clusters/${workspace}/${cluster}.yaml`);
        const [told, is] = [meaningOf(record), meaningOf(object)];
        const label = object.metadata.labels?.["edition"];
        // What a person put on a suspended cluster has no effect, and is no label of the record.
        if (label !== "drift") [told["label"], is["label"]] = [textAt(record, "labels", "edition", "value"), label];
        if (!isJsonEqual(told, is))
          violate(name, `${cluster} is recorded as ${JSON.stringify(told)} where the hub has ${JSON.stringify(is)}`);
      }
      const all = clusters.size;
      const ready = [...clusters.values()].filter((one) => textAt(conditionOf(one, "Ready"), "status") === "True");
      const wanted = [all, ready.length];
      const status = mirror.get(repositoryKey)?.["status"];
      const summary = readFile("summary.yaml");
      const counts = [
        [valueAt(status, "counts", "clusters"), valueAt(status, "counts", "readyClusters")],
        [valueAt(summary, "counts", "clusters"), valueAt(summary, "counts", "ready")],
      ];
      for (const told of counts)
        if (!isJsonEqual(told, wanted))
          violate(name, `clusters and those that are Ready: ${told.join(", ")} where the hub has ${wanted.join(", ")}`);
    },
  };
}

/** What a record and its Cluster have in common. */
function meaningOf(of: unknown): Record<string, unknown> {
  const status = valueAt(of, "status") ?? of;
  return {
    conditions: objectsAt(status, "conditions"),
    nodes: valueAt(status, "nodes"),
    agent: valueAt(status, "agent"),
    join: valueAt(status, "join"),
    kubernetesVersion: valueAt(status, "kubernetesVersion"),
  };
}

function conditionOf(object: KubeObject | undefined, type: string) {
  return objectsAt(object, "status", "conditions").find((condition) => condition["type"] === type);
}
