import { describe, expect, it } from "vitest";
import { textAt } from "../../../../../src/core/read-json.ts";
import {
  clusternetAgentManifest,
  externalAgentManifest,
} from "../../../../../src/join/clusternet/manifests/agent-manifest.ts";
import type { Cluster } from "../../../../../src/model/generated/cluster.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import { hubFacts, workspace } from "../../hub-scene.ts";
import { clusternetMemberOf, home } from "../clusternet-scene.ts";

const encoded = (text: string): string => Buffer.from(text).toString("base64");
const secretIn = (objects: readonly KubeObject[]): KubeObject | undefined =>
  objects.find(({ kind }) => kind === "Secret");
const labelsFlagIn = (objects: readonly KubeObject[]): string | undefined => {
  const deployment = objects.find(({ kind }) => kind === "Deployment");
  return /--cluster-labels=(?<labels>[^"]*)/u.exec(JSON.stringify(deployment))?.groups?.["labels"];
};
const manifest = (bootstrap?: Record<string, unknown>, spec?: Cluster["spec"]): KubeObject[] =>
  clusternetAgentManifest(clusternetMemberOf({ spec }), hubFacts(), bootstrap);

describe("the manifest of Clusternet's agent", () => {
  it("has the namespace first, and a Secret with the hub and the credential where there is one", () => {
    expect(manifest()[0]).toMatchObject({ kind: "Namespace", metadata: { name: "clusternet-system" } });
    expect(secretIn(manifest())).toBeUndefined();
    expect(secretIn(manifest({ regToken: "opaque" }))).toMatchObject({
      metadata: { namespace: "clusternet-system" },
      data: { parentURL: encoded("https://hub.example.com:6443"), regToken: encoded("opaque") },
    });
  });

  it("has the namespace and the hub that the Cluster declares", () => {
    const spec = { agent: { namespace: "elsewhere" }, hubEndpoint: { url: "https://other" } };
    const objects = manifest({ regToken: "opaque" }, spec);
    expect(textAt(secretIn(objects), "data", "parentURL")).toBe(encoded("https://other"));
    const spaces = objects.map(({ kind, metadata }) => (kind === "Namespace" ? metadata.name : metadata.namespace));
    expect(new Set(spaces)).toEqual(new Set(["elsewhere", undefined]));
  });

  it("proposes the workspace, and the token and labels of its credential", () => {
    expect(labelsFlagIn(manifest())).toBe(`rollcall.dev/workspace=${workspace}`);
    expect(labelsFlagIn(manifest({ regToken: "t", tokenName: "door", labels: { env: "prod" } }))).toBe(
      `rollcall.dev/workspace=${workspace},rollcall.dev/token=door,env=prod`,
    );
  });

  it("names the owner of a cluster that Clusternet's own controllers serve", () => {
    const objects = externalAgentManifest(clusternetMemberOf(), hubFacts(), { home });
    expect(labelsFlagIn(objects)).toContain(`rollcall.dev/owner-workspace=${workspace}`);
    expect(JSON.stringify(objects)).toContain(`--cluster-reg-namespace=${home}`);
  });
});
