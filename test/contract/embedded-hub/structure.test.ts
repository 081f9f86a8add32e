import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { textAt } from "../../../src/core/read-json.ts";
import type { TestHub } from "./hub-client.ts";
import { startTestHub } from "./hub-client.ts";

const networking = "/apis/networking.k8s.io/v1";
const policies = `${networking}/namespaces/default/networkpolicies`;
const ingresses = `${networking}/namespaces/default/ingresses`;
const slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
const endpoints = "/api/v1/namespaces/default/endpoints";
const budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
const services = "/api/v1/namespaces/default/services";
const ports = [{ port: 80 }];
const balancer = { type: "LoadBalancer", ports };
const taint = { key: "a", effect: "NoSchedule" };
const backend = { service: { name: "a", port: { number: 80 } } };
const ingressWith = (path: object): object => ({ spec: { rules: [{ http: { paths: [{ backend, ...path }] } }] } });
const policyFrom = (ipBlock: object): object => ({ spec: { podSelector: {}, ingress: [{ from: [{ ipBlock }] }] } });

/** What kube-apiserver 1.34 answers; test/kube/scalars.test.ts compares many more. */
describe("an object whose structure is wrong", () => {
  let hub: TestHub;
  beforeAll(async () => void (hub = await startTestHub()));
  afterAll(() => hub.stop());

  it.each([
    [policies, policyFrom({ cidr: "10.0.0.0/33" }), "ipBlock.cidr: Invalid value"],
    [policies, policyFrom({ cidr: "10.0.0.0/8", except: ["10.0.0.0/8"] }), "must be a strict subset of `cidr`"],
    [policies, { spec: { podSelector: {}, policyTypes: ["x"] } }, 'supported values: "Ingress", "Egress"'],
    [
      policies,
      { spec: { podSelector: {}, ingress: [{ ports: [{ port: 80, endPort: 79 }] }] } },
      "must be greater than or equal to `port`",
    ],
    [ingresses, { spec: {} }, "either `defaultBackend` or `rules` must be specified"],
    [ingresses, ingressWith({ path: "a", pathType: "Exact" }), "must be an absolute path"],
    [ingresses, ingressWith({ path: "/a//b", pathType: "Prefix" }), "must not contain '//'"],
    [ingresses, ingressWith({ path: "/", pathType: "x" }), 'supported values: "Exact", "ImplementationSpecific"'],
    [ingresses, { spec: { defaultBackend: { service: { name: "a" } } } }, "port name or number is required"],
    [`${networking}/ingressclasses`, { spec: { controller: "x" } }, "must be a domain-prefixed path"],
    [slices, { addressType: "x", endpoints: [] }, 'supported values: "FQDN", "IPv4", "IPv6"'],
    [slices, { addressType: "IPv4", endpoints: [{ addresses: ["::2"] }] }, "must be an IPv4 address"],
    [slices, { addressType: "IPv4", endpoints: [{ addresses: ["127.0.0.1"] }] }, "may not be in the loopback range"],
    [endpoints, { subsets: [{}] }, "must specify `addresses` or `notReadyAddresses`"],
    [endpoints, { subsets: [{ addresses: [{ ip: "x" }] }] }, "must be a valid IP address"],
    [budgets, { spec: { minAvailable: "200%" } }, "must not be greater than 100%"],
    [budgets, { spec: { minAvailable: 1, maxUnavailable: 1 } }, "minAvailable and maxUnavailable cannot be both set"],
    [
      "/api/v1/nodes",
      { spec: { taints: [{ key: "a", effect: "x" }] } },
      "metadata.taints[0].effect: Unsupported value",
    ],
    ["/api/v1/nodes", { spec: { podCIDR: "x", podCIDRs: ["x"] } }, "spec.podCIDRs[0]: Invalid value"],
    ["/api/v1/nodes", { spec: { podCIDR: "x" } }, "spec.podCIDRs[0]: Invalid value"],
    [
      "/api/v1/nodes",
      { spec: { podCIDRs: ["10.1.0.0/24", "10.2.0.0/24"] } },
      "no more than one CIDR for each IP family",
    ],
    ["/api/v1/nodes", { spec: { taints: [taint, taint] } }, "taints must be unique by key and effect pair"],
    [slices, { addressType: "IPv4", endpoints: [{ addresses: ["x"] }] }, "must be a valid IP address, (e.g. 10.9.8.7"],
    [services, { spec: { ...balancer, loadBalancerSourceRanges: ["x"] } }, "spec.LoadBalancerSourceRanges[0]"],
    [services, { spec: { ...balancer, loadBalancerClass: "a b" } }, "spec.loadBalancerClass: Invalid value"],
    [services, { spec: { ports, externalTrafficPolicy: "Local" } }, "for externally-accessible services"],
    [services, { spec: { ports, ipFamilies: ["IPv6"], clusterIP: "10.96.0.9" } }, "expected an IPv6 value"],
    [
      "/api/v1/namespaces/default/services",
      { spec: { ports: [{ port: 80 }], externalIPs: ["x"], trafficDistribution: "x" } },
      'supported values: "PreferClose", "PreferSameZone", "PreferSameNode"',
    ],
  ])("is refused: %s %j", async (path, content, message) => {
    const answer = await hub.call({ method: "POST", path, body: { metadata: { name: "wrong" }, ...content } });
    expect([answer.statusCode, textAt(answer.json, "message")]).toEqual([422, expect.stringContaining(message)]);
    expect((await hub.call({ path: `${path}/wrong` })).statusCode).toBe(404);
  });

  it("is refused when it changes what is set once: the provider and the networks of a Node", async () => {
    const spec = { providerID: "example://a", podCIDR: "10.1.0.0/24" };
    const made = await hub.call({ method: "POST", path: "/api/v1/nodes", body: { metadata: { name: "n" }, spec } });
    expect(made.json["spec"]).toEqual({ ...spec, podCIDRs: ["10.1.0.0/24"] });
    for (const changed of [
      { ...spec, providerID: "example://b" },
      { providerID: "example://a", podCIDR: "10.2.0.0/24" },
    ]) {
      const body = { metadata: { name: "n" }, spec: changed };
      const answer = await hub.call({ method: "PUT", path: "/api/v1/nodes/n", body });
      expect([answer.statusCode, textAt(answer.json, "message")]).toEqual([
        422,
        expect.stringContaining("may not change"),
      ]);
    }
  });
});
