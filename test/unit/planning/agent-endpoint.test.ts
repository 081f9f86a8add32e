import { describe, expect, it } from "vitest";
import type { Cluster } from "../../../src/model/generated/cluster.ts";
import type { Member } from "../../../src/model/member.ts";
import { agentEndpoint } from "../../../src/planning/agent-endpoint.ts";

const endpoint = { url: "https://hub.example", caBundle: "usual" };
const encoded = (text: string): string => Buffer.from(text).toString("base64");

function endpointOf(spec: Cluster["spec"], data?: Record<string, string>) {
  const cluster = { metadata: { name: "a", namespace: "fleet" }, ...(spec ? { spec } : {}) };
  const kubeconfigSecret = data && { apiVersion: "v1", kind: "Secret", metadata: { name: "k" }, data };
  return agentEndpoint({ cluster, kubeconfigSecret } as unknown as Member, { endpoint });
}

describe("the address that an agent uses", () => {
  const beside = { apiServerURL: encoded(" https://beside.example\n"), apiServerCA: encoded("other\n") };
  const declared = { url: "https://declared.example" };

  it.each([
    { reason: "nothing declares another", spec: undefined, data: beside, is: endpoint },
    { reason: "the file declares one", spec: { hubEndpoint: declared }, is: { ...declared, caBundle: "usual" } },
    {
      reason: "the file declares one with certificates",
      spec: { hubEndpoint: { ...declared, caBundle: "own" }, protocol: "fleet" as const },
      data: beside,
      is: { ...declared, caBundle: "own" },
    },
    { reason: "another protocol has a Secret", spec: { protocol: "clusternet" as const }, data: beside, is: endpoint },
    {
      reason: "Fleet's users wrote one beside the kubeconfig",
      spec: { protocol: "fleet" as const },
      data: beside,
      is: { url: "https://beside.example", caBundle: "other" },
    },
    {
      reason: "it would be plain http",
      spec: { protocol: "fleet" as const },
      data: { ...beside, apiServerURL: encoded("http://beside.example/https://") },
      is: endpoint,
    },
    {
      reason: "Fleet's users wrote the certificates alone",
      spec: { protocol: "fleet" as const },
      data: { apiServerCA: beside.apiServerCA },
      is: { ...endpoint, caBundle: "other" },
    },
    { reason: "Fleet's agent has no Secret", spec: { protocol: "fleet" as const }, is: endpoint },
  ])("when $reason", ({ spec, data, is }) => {
    expect(endpointOf(spec, data)).toEqual(is);
  });
});
