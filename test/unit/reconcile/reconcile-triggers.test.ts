import { describe, expect, it } from "vitest";
import type { KubeObject, ResourceType } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { clusterOf, startInMemory } from "./running-reconciler.ts";

const git = "rollcall-git";
const metadataOf = (object: KubeObject, fields: Partial<KubeObject["metadata"]>): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, ...fields },
});
const ofGit = clusterOf(git);
const joined = clusterOf("rollcall-hub");
const ofOther = metadataOf(ofGit, { labels: { "rollcall.dev/repository": "system.other" } });
const deleting = metadataOf(ofGit, { deletionTimestamp: "2026-01-01T00:00:00Z" });
const annotated = metadataOf(ofGit, { annotations: { note: "1" } });
const labelled = metadataOf(ofGit, { labels: { ...ofGit.metadata.labels, tier: "gold" } });

type Versions = { readonly object?: KubeObject; readonly before?: KubeObject };
const soon = "read after 20 ms";
const second = "read after 1000 ms";
const report = "report after 1000 ms";
const poll = "read after 60000 ms";

describe("after a change of the hub", () => {
  const { cluster, clusterGroup, clusterRegistrationToken, secret, lease } = resourceTypes;

  it.each<[string, ResourceType, Versions, string]>([
    ["a Cluster of git is deleted", cluster, { before: ofGit }, soon],
    ["a Cluster of git appears", cluster, { object: ofGit }, soon],
    ["its spec changes", cluster, { before: ofGit, object: { ...ofGit, spec: { displayName: "A" } } }, soon],
    ["its labels change", cluster, { before: ofGit, object: labelled }, soon],
    ["its annotations change", cluster, { before: ofGit, object: annotated }, soon],
    ["it begins to be deleted", cluster, { before: ofGit, object: deleting }, soon],
    ["it is taken over by another Repository", cluster, { before: ofGit, object: ofOther }, soon],
    ["a registration token is deleted", clusterRegistrationToken, { before: ofGit }, soon],
    ["a registration token appears that git did not apply", clusterRegistrationToken, { object: joined }, soon],
    ["a ClusterGroup is deleted", clusterGroup, { before: ofGit }, soon],
    ["the data of a Secret change", secret, { before: ofGit, object: { ...ofGit, data: { key: "" } } }, soon],
    ["an agent joins without a file", cluster, { object: joined }, second],
    [
      "a cluster that joined without a file changes",
      cluster,
      { before: joined, object: { ...joined, spec: {} } },
      second,
    ],
    ["git applies a cluster that joined", cluster, { before: joined, object: { ...ofGit, spec: {} } }, soon],
    ["a cluster that joined without a file is deleted", cluster, { before: joined }, soon],
    ["a status changes", cluster, { before: ofGit, object: { ...ofGit, status: { phase: "Ready" } } }, report],
    [
      "the status of a token changes",
      clusterRegistrationToken,
      { before: ofGit, object: { ...ofGit, status: { used: 1 } } },
      report,
    ],
    [
      "the status of a group changes",
      clusterGroup,
      { before: ofGit, object: { ...ofGit, status: { count: 1 } } },
      poll,
    ],
    [
      "a version without a difference comes",
      cluster,
      { before: ofGit, object: metadataOf(ofGit, { resourceVersion: "9" }) },
      poll,
    ],
    ["an object of another Repository is deleted", cluster, { before: ofOther }, poll],
    ["an object of another kind is deleted", lease, { before: ofGit }, poll],
  ])("git and the hub are read, or only reported, when %s", async (_reason, type, versions, expected) => {
    const { change, nextRun, reconciler } = await startInMemory();
    change(type, versions);
    expect(await nextRun()).toBe(expected);
    await reconciler.stop();
  });

  it("that the plan made, nothing is read", async () => {
    const { change, nextRun, reconciler } = await startInMemory();
    change(resourceTypes.cluster, { before: ofGit }, { isPlanned: true });
    expect(await nextRun()).toBe(poll);
    await reconciler.stop();
  });

  it("of the workspaces, git and the hub are read", async () => {
    const { workspaceListeners, nextRun, reconciler } = await startInMemory();
    for (const listener of workspaceListeners) listener();
    expect(await nextRun()).toBe(soon);
    await reconciler.stop();
  });

  describe("of an object that no file declares", () => {
    const onHubObjects = [{ policy: "Commit" as const }];
    const byHand = metadataOf(clusterOf(undefined), { labels: {} });
    const bySomebody = metadataOf(clusterOf("kubectl"), { labels: {} });
    const byHub = metadataOf(joined, { labels: {} });
    const byGit = metadataOf(ofGit, { labels: {} });
    const edit = { manager: "kubectl-edit", operation: "Update", fieldsV1: { "f:spec": { "f:paused": {} } } } as const;
    const edited = metadataOf(byHub, { managedFields: [...(byHub.metadata.managedFields ?? []), edit] });

    it.each<[string, Versions, string]>([
      ["a person made it", { object: byHand }, second],
      ["a person applied it", { object: bySomebody }, second],
      ["a person deleted it", { before: byHand }, second],
      ["a person changed it", { before: byHand, object: { ...byHand, spec: {} } }, second],
      ["only its status changed", { before: byHand, object: { ...byHand, status: { phase: "x" } } }, report],
      ["a person changed what the hub made", { before: byHub, object: { ...edited, spec: { paused: true } } }, second],
      ["the hub made it", { object: byHub }, poll],
      ["git made it", { object: byGit }, poll],
    ])(
      "git and the hub are read where its change may become one of a file: %s",
      async (_reason, versions, expected) => {
        const { change, nextRun, reconciler } = await startInMemory(
          { onHubObjects },
          { writableTypes: [resourceTypes.cluster] },
        );
        change(resourceTypes.cluster, versions);
        expect(await nextRun()).toBe(expected);
        await reconciler.stop();
      },
    );

    it.each([
      ["the Repository has no policy for it", {}, [resourceTypes.cluster], false],
      ["its kind is not written by people", { onHubObjects }, [resourceTypes.clusterGroup], false],
      ["no kind is written by people", { onHubObjects }, undefined, false],
      ["the plan made it", { onHubObjects }, [resourceTypes.cluster], true],
    ])("nothing is read when %s", async (_reason, spec, writableTypes, isPlanned) => {
      const { change, nextRun, reconciler } = await startInMemory(spec, writableTypes ? { writableTypes } : {});
      change(resourceTypes.cluster, { object: byHand }, { isPlanned });
      expect(await nextRun()).toBe(poll);
      await reconciler.stop();
    });
  });
});
