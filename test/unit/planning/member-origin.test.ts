import { describe, expect, it } from "vitest";
import type { Cluster } from "../../../src/model/generated/cluster.ts";
import type { MemberState } from "../../../src/model/member-state.ts";
import { annotationKeys, labelKeys } from "../../../src/model/well-known.ts";
import { originOf, remadeCluster } from "../../../src/planning/member-origin.ts";

const name = { workspace: "fleet", name: "eu-1" };
const byGit = [{ manager: "rollcall-git", operation: "Apply", fieldsV1: {} }];

function cluster(metadata: object = {}, spec?: Cluster["spec"]): Cluster {
  return { metadata: { name: "eu-1", namespace: "fleet", ...metadata }, ...(spec ? { spec } : {}) } as Cluster;
}

describe("what is recorded of a Cluster", () => {
  it("is little of one that joined by a token", () => {
    expect(originOf(cluster())).toEqual({ isDeclared: false });
    expect(originOf(cluster({}, {}))).toEqual({ isDeclared: false });
  });

  it("is its Repository, file and spec", () => {
    const labels = { [labelKeys.repository]: "fleet.r", env: "prod" };
    const annotations = { [annotationKeys.sourceFile]: "a.yaml" };
    expect(originOf(cluster({ labels, annotations, managedFields: byGit }, { clientID: "a" }))).toEqual({
      repository: "fleet.r",
      isDeclared: true,
      sourceFile: "a.yaml",
      spec: { clientID: "a" },
    });
  });
});

describe("a Cluster that a user deleted", () => {
  const labels = { agent: { zone: "x", env: "dev" }, token: { env: "prod" } };
  const origin = { isDeclared: false };
  const leave = { commit: "c0ffee", since: "t" };

  it("is not made again when its origin is not known", () => {
    expect(remadeCluster(name, { labels }, undefined)).toBeUndefined();
  });

  it.each<{
    reason: string;
    state: MemberState;
    movedTo?: typeof name;
    manager: string;
    metadata: object;
    spec?: object;
  }>([
    {
      reason: "with the labels of agent and token, by the hub",
      state: { origin, labels },
      manager: "rollcall-hub",
      metadata: { labels: { zone: "x", env: "prod" } },
    },
    { reason: "without labels", state: { origin }, manager: "rollcall-hub", metadata: { labels: {} } },
    {
      reason: "by git, whose file has the labels, with what the file declared",
      state: {
        origin: { isDeclared: true, repository: "fleet.r", sourceFile: "a.yaml", spec: { clientID: "a" } },
        labels,
      },
      manager: "rollcall-git",
      metadata: {
        labels: { [labelKeys.repository]: "fleet.r" },
        annotations: { [annotationKeys.sourceFile]: "a.yaml" },
      },
      spec: { clientID: "a" },
    },
    {
      reason: "on its way out",
      state: { origin, leave },
      manager: "rollcall-hub",
      metadata: { labels: {}, annotations: { [annotationKeys.leave]: "c0ffee" } },
    },
    {
      reason: "on its way to another name",
      state: { origin },
      movedTo: { workspace: "fleet", name: "eu-2" },
      manager: "rollcall-hub",
      metadata: { labels: {}, annotations: { [annotationKeys.movedTo]: "fleet/eu-2" } },
    },
  ])("is made again $reason", ({ state, movedTo, manager, metadata, spec }) => {
    expect(remadeCluster(name, state, movedTo)).toEqual({
      object: {
        apiVersion: "rollcall.dev/v1alpha1",
        kind: "Cluster",
        metadata: { name: "eu-1", namespace: "fleet", ...metadata },
        ...(spec ? { spec } : {}),
      },
      manager,
    });
  });
});
