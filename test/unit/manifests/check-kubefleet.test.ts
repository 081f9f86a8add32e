import { describe, expect, it } from "vitest";
import { checkTexts, foreignText, messagesOf } from "./check-texts.ts";
import { documentText } from "./read-text.ts";

const cluster = (...spec: string[]) => documentText("Cluster", "eu-1", "protocol: kubefleet", ...spec);
const messages = (text: string): string[] => messagesOf(checkTexts({ "a.yaml": text }));
const identity = (text: string) => `kubefleet: {identity: ${text}}`;

describe("checkKubefleet: what KubeFleet cannot carry of a Cluster", () => {
  it.each<[string, string]>([
    ["KubeFleet knows NoSchedule only", cluster("taints: [{key: a, effect: NoSchedule}, {key: b, effect: NoExecute}]")],
    ["KubeFleet's agents send heartbeats every 1 to 600 seconds", cluster("heartbeat: {periodSeconds: 601}")],
    ["a ServiceAccount has a namespace", cluster(identity("{kind: ServiceAccount, name: a}"))],
    [
      "the hub installs agents with an account that it makes itself",
      cluster(identity("{kind: User, name: a}"), "kubeConfigSecretRef: {name: k}"),
    ],
    [
      "KubeFleet's agents join because their cluster is declared, never by a token",
      documentText("ClusterRegistrationToken", "t", "protocol: kubefleet"),
    ],
  ])("%s", (message, text) => {
    const [line, ...others] = messages(text);
    expect(line).toContain(message);
    expect(others).toEqual([]);
  });

  it.each<[string, string]>([
    ["a heartbeat every ten minutes", cluster("heartbeat: {periodSeconds: 600}")],
    ["a heartbeat of which only the threshold is declared", cluster("heartbeat: {failureThreshold: 5}")],
    ["an account of its own beside no kubeconfig", cluster(identity("{kind: User, name: a}"))],
    ["an account with its namespace", cluster(identity("{kind: ServiceAccount, name: a, namespace: agents}"))],
    ["a kubeconfig without an account", cluster("kubeConfigSecretRef: {name: k}")],
    ["a token of another protocol", documentText("ClusterRegistrationToken", "t", "protocol: fleet")],
    [
      "what another protocol can carry",
      documentText("Cluster", "eu-1", "heartbeat: {periodSeconds: 3600}", "taints: [{key: b, effect: NoExecute}]"),
    ],
  ])("but it carries %s", (_what, text) => {
    expect(messages(text)).toEqual([]);
  });

  it("refuses the account of a MemberCluster without a namespace, too", () => {
    const member = (spec: object) =>
      foreignText("cluster.kubernetes-fleet.io/v1", "MemberCluster", { name: "eu-1" }, spec);
    expect(messages(member({ identity: { kind: "ServiceAccount", name: "a" } })).join()).toContain(
      "a ServiceAccount has a namespace",
    );
    expect(messages(member({ identity: { kind: "ServiceAccount", name: "a", namespace: "n" } }))).toEqual([]);
  });
});
