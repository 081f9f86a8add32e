import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { validateNetworkPolicy } from "../../../../src/embedded-hub/validation/validate-network-policy.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { problemsOf } from "./validation-builders.ts";

function policy(spec: JsonObject): KubeObject {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: "a" },
    spec: { podSelector: {}, ...spec },
  };
}

const from = (...peers: JsonObject[]): JsonObject => ({ ingress: [{ from: peers }] });
const ports = (...list: JsonObject[]): JsonObject => ({ egress: [{ ports: list }] });
const block = (cidr: string, ...except: string[]): JsonObject => ({ ipBlock: { cidr, except } });
const item = "spec.ingress[0].from[0]";
const port = "spec.egress[0].ports[0]";

describe("validateNetworkPolicy", () => {
  it.each<{ spec: JsonObject; problems: readonly string[] }>([
    { spec: {}, problems: [] },
    { spec: { podSelector: { matchLabels: { "a b": "" } } }, problems: ["Invalid spec.podSelector.matchLabels"] },
    { spec: { policyTypes: ["Ingress", "Egress"] }, problems: [] },
    { spec: { policyTypes: ["Odd"] }, problems: ["NotSupported spec.policyTypes[0]"] },
    { spec: { policyTypes: ["Ingress", "Egress", "Ingress"] }, problems: ["Invalid spec.policyTypes"] },
    { spec: from({ podSelector: {} }), problems: [] },
    { spec: from({ podSelector: {}, namespaceSelector: {} }), problems: [] },
    { spec: from({}), problems: [`Required ${item}`] },
    {
      spec: from({ namespaceSelector: { matchLabels: { "a b": "" } } }),
      problems: [`Invalid ${item}.namespaceSelector.matchLabels`],
    },
    {
      spec: from({ podSelector: { matchLabels: { "a b": "" } } }),
      problems: [`Invalid ${item}.podSelector.matchLabels`],
    },
    { spec: from({ ...block("10.0.0.0/8"), podSelector: {} }), problems: [`Forbidden ${item}`] },
    { spec: from(block("10.0.0.0/8", "10.1.0.0/16")), problems: [] },
    { spec: from(block("")), problems: [`Required ${item}.ipBlock.cidr`] },
    { spec: from(block("10.0.0.0")), problems: [`Invalid ${item}.ipBlock.cidr`] },
    { spec: from(block("x", "y")), problems: [`Invalid ${item}.ipBlock.cidr`] },
    { spec: from(block("10.0.0.0/8", "x")), problems: [`Invalid ${item}.ipBlock.except[0]`] },
    { spec: from(block("10.0.0.0/8", "10.1.0.0/16", "11.0.0.0/16")), problems: [`Invalid ${item}.ipBlock.except[1]`] },
    { spec: from(block("10.0.0.0/8", "10.0.0.0/8")), problems: [`Invalid ${item}.ipBlock.except[0]`] },
    { spec: { egress: [{ to: [{}] }] }, problems: ["Required spec.egress[0].to[0]"] },
    { spec: ports({ protocol: "TCP", port: 80 }, { port: "web" }, {}), problems: [] },
    { spec: ports({ protocol: "HTTP" }), problems: [`NotSupported ${port}.protocol`] },
    { spec: ports({ port: 0 }), problems: [`Invalid ${port}.port`] },
    { spec: ports({ port: "a--b" }), problems: [`Invalid ${port}.port`] },
    { spec: ports({ port: 80, endPort: 80 }), problems: [] },
    { spec: ports({ port: 80, endPort: 79 }), problems: [`Invalid ${port}.endPort`] },
    { spec: ports({ port: 80, endPort: 65_536 }), problems: [`Invalid ${port}.endPort`] },
    { spec: ports({ endPort: 80 }), problems: [`Invalid ${port}.endPort`] },
    { spec: ports({ port: "web", endPort: 80 }), problems: [`Invalid ${port}.endPort`] },
    { spec: { ingress: [{ ports: [{ port: 0 }] }] }, problems: ["Invalid spec.ingress[0].ports[0].port"] },
  ])("finds $problems in $spec", ({ spec, problems }) => {
    expect(problemsOf(validateNetworkPolicy(policy(spec), undefined))).toEqual(problems);
  });

  it("takes networks that the old policy had, wherever it had them, and no others", () => {
    const old = policy({ egress: [{ to: [block("10.0.0.0", "x")] }] });
    expect(validateNetworkPolicy(policy(from(block("10.0.0.0"))), old)).toEqual([]);
    expect(problemsOf(validateNetworkPolicy(policy(from(block("11.0.0.0"))), old))).toEqual([
      `Invalid ${item}.ipBlock.cidr`,
    ]);
    expect(validateNetworkPolicy(policy(from(block("10.0.0.0/8", "x"))), old)).toEqual([]);
  });
});
