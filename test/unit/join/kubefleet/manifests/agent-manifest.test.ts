import { describe, expect, it } from "vitest";
import { kubefleetAgentManifest, usesSidecar } from "../../../../../src/join/kubefleet/manifests/agent-manifest.ts";
import { hubFacts } from "../../hub-scene.ts";
import type { MemberParts } from "../../hub-scene.ts";
import { kubefleetMemberOf, leave, time } from "../kubefleet-scene.ts";

const install = { manifestDigest: "m", kubeconfigDigest: "k", redeployGeneration: 0, time: time(0), namespace: "old" };
const manifestOf = (parts: MemberParts, bootstrap?: { readonly token: string }) =>
  kubefleetAgentManifest(kubefleetMemberOf(parts), hubFacts(), bootstrap);
const kindsOf = (parts: MemberParts): string =>
  manifestOf(parts)
    .map(({ kind }) => kind)
    .join(" ");
const all = "Namespace CustomResourceDefinition ServiceAccount ClusterRole ClusterRoleBinding Deployment";
const paused = { paused: true, agent: { namespace: "new" } };

describe("agentManifest: KubeFleet's own agent", () => {
  it.each<[string, MemberParts, string, string]>([
    ["is whole, in its default namespace", {}, all, "fleet-system"],
    ["is where the Cluster wants it", { spec: { agent: { namespace: "new" } } }, all, "new"],
    ["moves where the Cluster wants it", { spec: { agent: { namespace: "new" } }, state: { install } }, all, "new"],
    [
      "is nothing but its namespace while it is paused, where it is",
      { spec: paused, state: { install } },
      "Namespace",
      "old",
    ],
    ["is whole while it is paused and was never installed", { spec: paused }, all, "new"],
    ["is whole when a paused member leaves", { spec: paused, state: { install }, annotations: leave }, all, "old"],
  ])("%s", (_what, parts, kinds, namespace) => {
    expect(kindsOf(parts)).toBe(kinds);
    expect(manifestOf(parts)[0]?.metadata.name).toBe(namespace);
  });

  it("holds the token, in one Secret, only where it is brought", () => {
    const secrets = manifestOf({}, { token: "opaque" }).filter(({ kind }) => kind === "Secret");
    expect(secrets).toMatchObject([
      { metadata: { name: "hub-kubeconfig-secret" }, data: { token: Buffer.from("opaque").toString("base64") } },
    ]);
    expect(kindsOf({})).not.toContain("Secret");
  });

  it("labels everything as ours, or an offboarding would leave it", () => {
    const labels = manifestOf({}, { token: "t" }).map(
      ({ metadata }) => metadata.labels?.["app.kubernetes.io/managed-by"],
    );
    expect(new Set(labels)).toEqual(new Set(["rollcall"]));
  });

  it("uses a sidecar only where the Cluster names its image", () => {
    expect(usesSidecar(kubefleetMemberOf())).toBe(false);
    expect(usesSidecar(kubefleetMemberOf({ spec: { kubefleet: { refreshTokenImage: "r" } } }))).toBe(true);
  });
});
