import type { JsonObject } from "../../core/json.ts";
import { objectAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";

/** A kind whose objects ask for a number of Pods. */
export interface ReplicatedKind {
  readonly group: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  /** Who writes and reports, as in kube-controller-manager. */
  readonly controller: string;
  /** A LabelSelector. */
  readonly selectorOf: (object: KubeObject) => JsonObject | undefined;
}

export const replicaSets: ReplicatedKind = {
  group: "apps",
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  plural: "replicasets",
  controller: "replicaset-controller",
  selectorOf: (set) => objectAt(set, "spec", "selector"),
};

export const replicationControllers: ReplicatedKind = {
  group: "",
  apiVersion: "v1",
  kind: "ReplicationController",
  plural: "replicationcontrollers",
  controller: "replication-controller",
  selectorOf: (controller) => {
    const matchLabels = objectAt(controller, "spec", "selector");
    return matchLabels && { matchLabels };
  },
};
