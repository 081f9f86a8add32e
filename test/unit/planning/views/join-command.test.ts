import { describe, expect, it } from "vitest";
import type { Cluster } from "../../../../src/model/generated/cluster.ts";
import { joinCommand } from "../../../../src/planning/views/join-command.ts";

function cluster(spec: Cluster["spec"]): Cluster {
  const metadata = { name: "eu-1", namespace: "clusters" };
  return { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata, spec };
}

describe("the command by which an agent joins as a cluster", () => {
  it.each([
    { spec: {}, command: "rollcall join --cluster-name eu-1, with the values of a token that admits it" },
    {
      spec: { protocol: "rollcall" as const },
      command: "rollcall join --cluster-name eu-1, with the values of a token that admits it",
    },
    {
      spec: { protocol: "fleet" as const, clientID: "a-b" },
      command: "rollcall join --protocol fleet --client-id a-b --from-hub clusters/TOKEN --hub-kubeconfig FILE",
    },
    {
      spec: { protocol: "fleet" as const },
      command: "rollcall join --protocol fleet --client-id ID --from-hub clusters/TOKEN --hub-kubeconfig FILE",
    },
    {
      spec: { protocol: "kubefleet" as const },
      command: "rollcall join --protocol kubefleet --cluster-name eu-1 --hub-kubeconfig FILE",
    },
    {
      spec: { protocol: "clusternet" as const },
      command:
        "rollcall join --protocol clusternet --cluster-name eu-1 --from-hub clusters/TOKEN --hub-kubeconfig FILE",
    },
  ])("installs the agent of its own protocol: $spec.protocol", ({ spec, command }) => {
    expect(joinCommand(cluster(spec))).toBe(command);
  });
});
