import { describe, expect, it } from "vitest";
import { checkTexts, clustersOf, foreignText, inWorkspace, messagesOf } from "./check-texts.ts";
import { documentText } from "./read-text.ts";

const id = "dc91021d-2361-4f6d-a404-7c33b9e01118";
const otherId = "0d4f1f5e-2b5f-4f0f-9f55-6f0a8a3b1c11";
const cluster = (...spec: string[]) => documentText("Cluster", "eu-1", "protocol: clusternet", ...spec);
const token = (...spec: string[]) => documentText("ClusterRegistrationToken", "t", "protocol: clusternet", ...spec);
const managed = (clusterId: string) =>
  foreignText(
    "clusters.clusternet.io/v1beta1",
    "ManagedCluster",
    { name: "eu-1", namespace: "x" },
    { clusterId, syncMode: "Pull" },
  );
const request = (spec: object, name = `clusternet-${id}`) =>
  foreignText(
    "clusters.clusternet.io/v1beta1",
    "ClusterRegistrationRequest",
    { name },
    { clusterId: id, clusterName: "eu-1", ...spec },
  );
const messages = (...texts: string[]): string[] =>
  messagesOf(checkTexts(Object.fromEntries(texts.map((text, index) => [`${index}.yaml`, text]))));

describe("checkClusternet: tokens", () => {
  it.each<[string, string]>([
    ["clusterNames: is missing", token()],
    ["clusterNames: is missing", token("clusterNames: []")],
    ["is a pattern for many clusters", token("clusterNames: ['eu-*']")],
    ["is not allowed", token("clusterNames: [a.b]")],
    ["is no name that Clusternet allows", token(`clusterNames: [${"a".repeat(31)}]`)],
  ])("%s", (message, text) => {
    expect(messages(text)).toEqual([expect.stringContaining(message)]);
  });

  it("write out names, and those of other protocols need none", () => {
    expect(messages(token(`clusterNames: [eu-1, ${"a".repeat(30)}]`))).toEqual([]);
    expect(messages(documentText("ClusterRegistrationToken", "t"))).toEqual([]);
  });
});

describe("checkClusternet: who an agent is", () => {
  it.each<[string, string, boolean]>([
    ["the id of an agent", cluster(`clientID: ${id}`), true],
    ["no id", cluster(), true],
    ["an id that is none", cluster("clientID: eu-1"), false],
    ["an id of a ManagedCluster", managed(id), true],
    ["an id of a ManagedCluster that is none", managed("eu-1"), false],
    ["an id of another protocol", documentText("Cluster", "eu-1", "clientID: eu-1"), true],
  ])("%s", (_what, text, isAllowed) => {
    expect(messages(text)).toEqual(
      isAllowed ? [] : [expect.stringMatching(/is no id of a Clusternet agent|"eu-1" is not allowed/u)],
    );
  });
});

describe("checkClusternet: a committed request", () => {
  it.each<[string, readonly string[], string | undefined]>([
    ["admits a cluster that no file declares", [request({})], undefined],
    ["admits a declared one", [request({}), cluster()], undefined],
    ["declares the id that is declared", [request({}), cluster(`clientID: ${id}`)], undefined],
    ["declares the id of a ManagedCluster", [request({}), managed(id)], undefined],
    ["has another name than its id", [request({}, "clusternet-x")], "metadata.name: is not that of the request"],
    ["names no cluster", [request({ clusterName: undefined })], "spec.clusterName: is missing"],
    [
      "names one of another protocol",
      [request({}), documentText("Cluster", "eu-1")],
      "eu-1 is declared with another protocol in 1.yaml:4",
    ],
    [
      "declares another id than the file",
      [request({}), cluster(`clientID: ${otherId}`)],
      "eu-1 has another id in 1.yaml:4",
    ],
    ["declares another id than the ManagedCluster", [request({}), managed(otherId)], "eu-1 has another id in 1.yaml:1"],
  ])("%s", (_what, texts, message) => {
    expect(messages(...texts)).toEqual(message === undefined ? [] : [expect.stringContaining(message)]);
  });

  it("does not contradict a cluster of another workspace", () => {
    expect(messages(request({}), inWorkspace(documentText("Cluster", "eu-1"), "team-a"))).toEqual([]);
  });

  it("is left out when it contradicts a file, and the cluster stays as it is declared", () => {
    const checked = checkTexts({ "0.yaml": request({}), "1.yaml": cluster(`clientID: ${otherId}`) });
    expect(clustersOf(checked)).toEqual(["fleet/eu-1"]);
    expect(checked.fleet.clusters[0]?.object.spec?.clientID).toBe(otherId);
    expect([...checked.brokenObjects]).toContain("Cluster/fleet/eu-1");
  });
});
