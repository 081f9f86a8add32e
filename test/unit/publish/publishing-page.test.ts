import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { isJsonObject } from "../../../src/core/json.ts";
import type { Cluster } from "../../../src/model/generated/cluster.ts";
import { argoClusterSecret, clusterProfile, fluxKubeconfigSecret } from "../../../src/publish/published-objects.ts";

const page = readFileSync("docs/publishing.md", "utf8");

/** The YAML below a mark of the page; text of a Secret in base64, as a hub keeps it. */
function example(name: string): Record<string, unknown> {
  const text = new RegExp(`<!-- example: ${name} -->\\n\\n\`\`\`yaml\\n([^]*?)\`\`\``, "u").exec(page)?.[1];
  const read: unknown = parse(text ?? "");
  if (!isJsonObject(read)) throw new Error(`the page has no example ${name}`);
  const { stringData, ...rest } = read;
  if (!isJsonObject(stringData)) return rest;
  const data = Object.entries(stringData).map(([key, value]) => [
    key,
    Buffer.from(typeof value === "string" ? value : "").toString("base64"),
  ]);
  return { ...rest, data: Object.fromEntries(data) as unknown };
}

describe("docs/publishing.md", () => {
  const declared = example("cluster") as unknown as Cluster;
  const place = (namespace: string) => ({ namespace, publishedName: "fleet-eu-1" });

  it("shows the Secret that is made for Argo CD", () => {
    const access = {
      server: "https://eu-1.example.com:6443",
      token: "t",
      proxyUrl: "http://proxy:3128",
      disableCompression: true,
      caPem: "CA",
    };
    expect(argoClusterSecret(declared, place("argocd"), access)).toEqual(example("argocd"));
  });

  it("shows the Secret that is made for Flux", () => {
    const made = fluxKubeconfigSecret(declared, place("flux-system"), {
      server: "https://eu-1.example.com:6443",
      token: "t",
      caPem: "CA",
    });
    expect(made).toEqual(example("flux"));
  });

  it("shows the ClusterProfile", () => {
    const shown = example("profile");
    const conditions = [
      { type: "Healthy", reason: "APIServerReady", message: "The API server and all nodes are ready." },
      { type: "Joined", reason: "Joined", message: "The agent has joined." },
    ].map((one) => ({ ...one, status: "True" as const, lastTransitionTime: "2027-01-01T00:00:00Z" }));
    const status = {
      kubernetesVersion: "v1.34.1",
      platform: "linux/amd64",
      effective: { protocol: "rollcall" },
      conditions,
    } as Cluster["status"];
    const made = clusterProfile({ ...declared, status });
    expect({ ...made.object, status: made.status }).toEqual(shown);
  });

  it.each([
    "Published",
    "PublishedInUse",
    "PublishedUntilTimeout",
    "PublishedNameTaken",
    "KubeconfigOfClusterApi",
    "KubeconfigRefused",
  ])("explains the reason %s", (reason) => {
    expect(page).toMatch(new RegExp(`^\\| \`${reason}\` +\\| (?:True|False) `, "mu"));
  });
});
