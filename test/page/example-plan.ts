import type { PlanView } from "../../src/model/generated/page-api.ts";
import { exampleChanges, timeAgo } from "./example-fleet.ts";

/** A branch that takes away, changes and makes something of each sort, and would not get all of it. */
export const examplePlan: PlanView = {
  branch: "retire-sa-east",
  commit: {
    id: "d41b09c7e2".padEnd(40, "7a1"),
    subject: "Retire the region sa-east",
    author: "Jonas Lind",
    committed: timeAgo(1500),
  },
  counts: { create: 1, update: 5, delete: 1, leave: 3 },
  changeCount: 10,
  changes: [
    ...[1, 2, 3].map((number) => ({
      kind: "leave" as const,
      object: `Cluster/fleet-prod/prod-sa-east-${number}`,
      reason: `file clusters/prod/prod-sa-east-${number}.yaml is gone`,
      fields: [],
    })),
    {
      kind: "delete",
      object: "ClusterRegistrationToken/fleet-prod/sa-east",
      reason: "tokens/sa-east.yaml no longer declares it",
      fields: [],
    },
    {
      kind: "create",
      object: "Cluster/fleet-prod/prod-us-east-90",
      source: { file: "clusters/prod/prod-us-east-90.yaml", line: 1 },
      fields: [
        { path: "metadata.labels.region", to: "us-east" },
        { path: "spec.displayName", to: "Production, us-east 90" },
        { path: "spec.kubeConfigSecretRef.name", to: "prod-us-east-90-kubeconfig" },
      ],
    },
    ...exampleChanges,
    ...["prod-ap-south-1", "prod-ap-south-2", "prod-eu-north-1"].map((name) => ({
      kind: "update" as const,
      object: `Cluster/fleet-prod/${name}`,
      source: { file: `clusters/prod/${name}.yaml`, line: 4 },
      fields: [{ path: "spec.agent.version", from: "1.0.0", to: "1.1.0" }],
    })),
  ],
  removals: [1, 2, 3].map((number) => ({
    kind: "leave",
    cluster: `fleet-prod/prod-sa-east-${number}`,
    reason: `file clusters/prod/prod-sa-east-${number}.yaml is gone`,
  })),
  removalCount: 3,
  withheld: [
    {
      kind: "leave",
      cluster: "fleet-prod/prod-sa-east-7",
      reason: "clusters/prod/prod-sa-east-7.yaml no longer declares it",
      because: "protected",
      waits: "deletionProtection is set on the hub: an applied commit must take it away first",
    },
  ],
  withheldCount: 1,
  heldDeletes: [
    {
      object: "ClusterGroup/fleet-prod/sa-east",
      reason: "groups/regions.yaml no longer declares it",
      because: "held-by-bad-file",
      waits: "a file with errors may still declare it",
    },
  ],
  heldDeleteCount: 1,
  waitingOnBase: [
    {
      object: "Cluster/fleet-prod/prod-sa-east-9",
      reason: "clusters/prod/prod-sa-east-9.yaml no longer declares it",
      because: "budget",
      waits: "more removals than the deletion budget allows",
    },
  ],
  waitingOnBaseCount: 1,
  notes: ["On the base, 1 removal is waiting. These commits neither cause nor release it."],
  agents: {
    count: 3,
    atOnce: 2,
    waves: [
      {
        wave: 1,
        count: 2,
        agents: ["prod-ap-south-1", "prod-ap-south-2"].map((name) => ({
          cluster: `fleet-prod/${name}`,
          from: "1.0.0",
          to: "1.1.0",
        })),
      },
      { wave: 2, count: 1, agents: [{ cluster: "fleet-prod/prod-eu-north-1", from: "1.0.0", to: "1.1.0" }] },
    ],
    waveCount: 2,
  },
  problems: [],
};
