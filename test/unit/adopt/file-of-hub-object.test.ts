import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { fileOfHubObject } from "../../../src/adopt/file-of-hub-object.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";

function live(apiVersion: string, kind: string, fields: object = {}, labels?: Record<string, string>): KubeObject {
  const metadata = { name: "x", namespace: "fleet", uid: "u", resourceVersion: "7", ...(labels ? { labels } : {}) };
  return { apiVersion, kind, metadata, status: { anything: true }, ...fields };
}

const own = "rollcall.dev/v1alpha1";
const fleet = "fleet.cattle.io/v1alpha1";
const metadata = { name: "x", namespace: "fleet", annotations: { "rollcall.dev/adopt": "true" } };

describe("fileOfHubObject", () => {
  it.each([
    { apiVersion: own, kind: "Cluster", folder: "clusters", spec: { protocol: "rollcall" } },
    { apiVersion: own, kind: "ClusterRegistrationToken", folder: "tokens", spec: { ttl: "12h" } },
    { apiVersion: own, kind: "ClusterGroup", folder: "groups", spec: { selector: {} } },
    { apiVersion: fleet, kind: "Cluster", folder: "clusters", spec: { clientID: "abc" } },
    { apiVersion: fleet, kind: "ClusterRegistrationToken", folder: "tokens", spec: { ttl: "12h" } },
    { apiVersion: fleet, kind: "ClusterGroup", folder: "groups", spec: { selector: {} } },
    {
      apiVersion: "cluster.kubernetes-fleet.io/v1beta1",
      kind: "MemberCluster",
      folder: "clusters",
      spec: { identity: { kind: "ServiceAccount", name: "x", namespace: "fleet-system" } },
    },
    {
      apiVersion: "clusters.clusternet.io/v1beta1",
      kind: "ManagedCluster",
      folder: "clusters",
      spec: { clusterId: "1", syncMode: "Pull" },
    },
  ])("declares a $kind of $apiVersion in $folder, without what the hub adds", ({ apiVersion, kind, folder, spec }) => {
    const file = fileOfHubObject(live(apiVersion, kind, { spec }));
    if (!("text" in file)) throw new Error(file.refusal);
    expect([file.folder, parse(file.text)]).toEqual([folder, { apiVersion, kind, metadata, spec }]);
  });

  it.each<{ labels: Record<string, string>; kept: Record<string, string> | undefined }>([
    { labels: { env: "prod", "rollcall.dev/cluster": "x" }, kept: { env: "prod" } },
    { labels: { "rollcall.dev/cluster": "x" }, kept: undefined },
  ])("keeps the labels $kept of $labels", ({ labels, kept }) => {
    const file = fileOfHubObject(live(own, "Cluster", {}, labels));
    if (!("text" in file)) throw new Error(file.refusal);
    const expected = { ...metadata, ...(kept ? { labels: kept } : {}) };
    expect(parse(file.text)).toEqual({ apiVersion: own, kind: "Cluster", metadata: expected });
  });

  it.each([
    { identity: { kind: "User", name: "admin" }, subject: "User" },
    { identity: { kind: "Group", name: "system:masters" }, subject: "Group" },
    { identity: { name: "admin" }, subject: "subject without kind" },
  ])("declares no MemberCluster that would give rights to a $subject", ({ identity, subject }) => {
    const object = live("cluster.kubernetes-fleet.io/v1beta1", "MemberCluster", { spec: { identity } });
    const text = `spec.identity names a ${subject}, which would get rights on the hub`;
    expect(fileOfHubObject(object)).toEqual({
      refusal: `${text}. Write the file yourself, or name a ServiceAccount.`,
    });
  });

  it("names the kind that no file declares", () => {
    const refusal = "No file declares objects of kind ConfigMap.";
    expect(fileOfHubObject(live("v1", "ConfigMap"))).toEqual({ refusal });
  });
});
