import { objectsAt, textAt } from "../../../src/core/read-json.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { clusterPrefix } from "../mirror.ts";
import type { Invariant, Scene } from "./invariant.ts";

/** A condition of a Cluster has the time since when it is as it is: the time changes with the status, and not without it. */
export function conditionsKeepTheirTime({ violate }: Pick<Scene, "violate">): Invariant {
  const name = "a condition keeps its time while its status stays";
  return {
    name,
    onRow: ({ key, before, after }) => {
      if (!key.startsWith(clusterPrefix) || before?.metadata.uid !== after?.metadata.uid) return;
      const was = new Map(conditionsOf(before).map((condition) => [textAt(condition, "type"), condition]));
      for (const condition of conditionsOf(after)) {
        const [type, status, time] = ["type", "status", "lastTransitionTime"].map((field) => textAt(condition, field));
        const earlier = was.get(type);
        const since = textAt(earlier, "lastTransitionTime");
        if (textAt(earlier, "status") === status && since !== time)
          violate(
            name,
            `${key.slice(clusterPrefix.length)} is ${type}=${status} since ${since}, and now since ${time}`,
          );
      }
    },
  };
}

function conditionsOf(cluster: KubeObject | undefined) {
  return objectsAt(cluster, "status", "conditions");
}
