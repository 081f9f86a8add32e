import { describe, expect, it } from "vitest";
import {
  needsAddress,
  needsNodePorts,
  validateService,
} from "../../../../src/embedded-hub/validation/validate-service.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { changed, problemsOf } from "./validation-builders.ts";
import type { Change } from "./validation-builders.ts";

const service: KubeObject = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "a", namespace: "shop" },
  spec: {
    type: "ClusterIP",
    clusterIP: "10.0.0.7",
    clusterIPs: ["10.0.0.7"],
    ipFamilies: ["IPv4"],
    ipFamilyPolicy: "SingleStack",
    sessionAffinity: "None",
    internalTrafficPolicy: "Cluster",
    selector: { app: "a" },
    ports: [{ name: "http", port: 80, protocol: "TCP", targetPort: 8080 }],
  },
};

const port = { name: "other", port: 81, protocol: "TCP", targetPort: "web" };
const external: readonly Change[] = [
  ["spec.type", "ExternalName"],
  ...["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"].map((name): Change => [`spec.${name}`, undefined]),
];
const balancer: Change = ["spec.type", "LoadBalancer"];
const headless: readonly Change[] = [
  ["spec.clusterIP", "None"],
  ["spec.clusterIPs", ["None"]],
];
const free: readonly Change[] = [...headless, ["spec.selector", undefined], ["spec.ipFamilies", ["IPv4", "IPv6"]]];
const checked = (port: number): Change[] => [
  balancer,
  ["spec.externalTrafficPolicy", "Local"],
  ["spec.healthCheckNodePort", port],
];
const addressed = (first: string, ...others: readonly string[]): Change[] => [
  ["spec.clusterIP", first],
  ["spec.clusterIPs", [first, ...others]],
];
const affinitySeconds = "spec.sessionAffinityConfig.clientIP.timeoutSeconds";
const byClient = (seconds: number): Change[] => [
  ["spec.sessionAffinity", "ClientIP"],
  [affinitySeconds, seconds],
];

describe("validateService", () => {
  it.each<{ changes: readonly Change[]; problems: readonly string[] }>([
    { changes: [], problems: [] },
    { changes: [["spec.type", "Odd"]], problems: ["NotSupported spec.type"] },
    { changes: [["spec.ports", []]], problems: ["Required spec.ports"] },
    { changes: [["spec.ports", []], ...headless], problems: [] },
    { changes: [["spec.ports.0.name", undefined]], problems: [] },
    {
      changes: [
        ["spec.ports.0.name", undefined],
        ["spec.ports.1", port],
      ],
      problems: ["Required spec.ports[0].name"],
    },
    { changes: [["spec.ports.1", port]], problems: [] },
    { changes: [["spec.ports.0.name", "A"]], problems: ["Invalid spec.ports[0].name"] },
    { changes: [["spec.ports.1", { ...port, name: "http" }]], problems: ["Duplicate spec.ports[1].name"] },
    { changes: [["spec.ports.1", { ...port, port: 80 }]], problems: ["Duplicate spec.ports[1]"] },
    { changes: [["spec.ports.1", { ...port, port: 80, protocol: "UDP" }]], problems: [] },
    { changes: [["spec.ports.0.port", 0]], problems: ["Invalid spec.ports[0].port"] },
    { changes: [["spec.ports.0.port", 65_535]], problems: [] },
    { changes: [["spec.ports.0.port", 65_536]], problems: ["Invalid spec.ports[0].port"] },
    { changes: [["spec.ports.0.protocol", "HTTP"]], problems: ["NotSupported spec.ports[0].protocol"] },
    { changes: [["spec.ports.0.targetPort", 0]], problems: ["Invalid spec.ports[0].targetPort"] },
    { changes: [["spec.ports.0.targetPort", "a--b"]], problems: ["Invalid spec.ports[0].targetPort"] },
    { changes: [["spec.ports.0.appProtocol", "a/b/c"]], problems: ["Invalid spec.ports[0].appProtocol"] },
    { changes: [["spec.ports.0.appProtocol", "kubernetes.io/h2c"]], problems: [] },
    { changes: [["spec.ports.0.nodePort", 30_000]], problems: ["Forbidden spec.ports[0].nodePort"] },
    {
      changes: [
        ["spec.ports.0.nodePort", 30_000],
        ["spec.type", "NodePort"],
      ],
      problems: [],
    },
    {
      changes: [
        ["spec.ports.0.nodePort", 30_000],
        ["spec.ports.1", { ...port, nodePort: 30_000 }],
        ["spec.type", "NodePort"],
      ],
      problems: ["Duplicate spec.ports[1].nodePort"],
    },
    { changes: [["spec.selector", { "a b": "c" }]], problems: ["Invalid spec.selector"] },
    { changes: [["spec.selector", { a: "b c" }]], problems: ["Invalid spec.selector"] },
    { changes: [["spec.sessionAffinity", "Odd"]], problems: ["NotSupported spec.sessionAffinity"] },
    { changes: byClient(1), problems: [] },
    { changes: byClient(86_400), problems: [] },
    { changes: byClient(86_401), problems: [`Invalid ${affinitySeconds}`] },
    { changes: byClient(0), problems: [`Invalid ${affinitySeconds}`] },
    { changes: [["spec.externalIPs", ["10.1.2.3"]]], problems: [] },
    { changes: [["spec.externalIPs", ["10.1.2.3", "x"]]], problems: ["Invalid spec.externalIPs[1]"] },
    { changes: [["spec.externalIPs", ["127.0.0.1"]]], problems: ["Invalid spec.externalIPs[0]"] },
  ])("finds $problems with $changes", ({ changes, problems }) => {
    expect(problemsOf(validateService(changed(service, ...changes), undefined))).toEqual(problems);
  });

  it.each<{ changes: readonly Change[]; problems: readonly string[] }>([
    { changes: [["spec.clusterIPs", []]], problems: ["Required spec.clusterIPs"] },
    { changes: [["spec.clusterIP", "10.0.0.8"]], problems: ["Invalid spec.clusterIPs"] },
    { changes: [["spec.clusterIP", undefined]], problems: ["Invalid spec.clusterIPs"] },
    { changes: [["spec.clusterIPs.1", "x"]], problems: ["Invalid spec.clusterIPs[1]"] },
    { changes: [["spec.ipFamilies", ["IPv6"]]], problems: ["Invalid spec.clusterIPs[0]"] },
    { changes: [["spec.ipFamilies", ["IPv4", "IPv4"]]], problems: ["Duplicate spec.ipFamilies[1]"] },
    { changes: [["spec.ipFamilies", ["IPv5"]]], problems: ["NotSupported spec.ipFamilies[0]"] },
    { changes: [["spec.ipFamilies", ["IPv4", "IPv6"]]], problems: ["Invalid spec.ipFamilyPolicy"] },
    { changes: [["spec.ipFamilyPolicy", "Odd"]], problems: ["NotSupported spec.ipFamilyPolicy"] },
    { changes: [["spec.ipFamilyPolicy", "RequireDualStack"]], problems: ["Invalid spec.ipFamilyPolicy"] },
    { changes: [["spec.ipFamilyPolicy", "PreferDualStack"]], problems: [] },
    {
      changes: [["spec.clusterIPs", ["10.0.0.7", "10.0.0.8", "10.0.0.9"]]],
      problems: ["Invalid spec.clusterIPs", "Invalid spec.clusterIPs"],
    },
    { changes: [...headless, ["spec.clusterIPs", ["None", "10.0.0.8"]]], problems: ["Invalid spec.clusterIPs"] },
    { changes: [["spec.clusterIPs.1", "None"]], problems: ["Invalid spec.clusterIPs[1]"] },
    { changes: headless, problems: [] },
    { changes: addressed("010.0.0.7"), problems: [] },
    { changes: addressed("::ffff:10.0.0.7"), problems: [] },
    { changes: addressed("fe80::1%eth0"), problems: ["Invalid spec.clusterIPs[0]"] },
    { changes: addressed("::1"), problems: ["Invalid spec.clusterIPs[0]"] },
    { changes: [...addressed("::1"), ["spec.ipFamilies", undefined]], problems: ["Invalid spec.clusterIPs[0]"] },
    { changes: addressed("10.0.0.7", "10.0.0.8"), problems: ["Invalid spec.clusterIPs"] },
    { changes: addressed("10.0.0.7", "::1"), problems: ["Invalid spec.ipFamilyPolicy", "Invalid spec.clusterIPs[1]"] },
    { changes: [...free, ["spec.ipFamilyPolicy", undefined]], problems: [] },
    { changes: free, problems: ["Invalid spec.ipFamilyPolicy"] },
    { changes: [...headless, ["spec.ipFamilies", ["IPv6"]]], problems: ["Invalid spec.ipFamilies[0]"] },
    { changes: [...headless, balancer], problems: ["Invalid spec.clusterIPs[0]"] },
    { changes: [...headless, ["spec.type", "NodePort"]], problems: ["Invalid spec.clusterIPs[0]"] },
  ])("finds $problems with the addresses of $changes", ({ changes, problems }) => {
    expect(problemsOf(validateService(changed(service, ...changes), undefined))).toEqual(problems);
  });

  it.each<{ changes: readonly Change[]; problems: readonly string[] }>([
    { changes: [...external, ["spec.externalName", "a.example.org."]], problems: [] },
    { changes: [...external, ["spec.externalName", "a.example.org"], ["spec.ports", []]], problems: [] },
    { changes: external, problems: ["Required spec.externalName"] },
    { changes: [...external, ["spec.externalName", "A_"]], problems: ["Invalid spec.externalName"] },
    {
      changes: [
        ["spec.type", "ExternalName"],
        ["spec.externalName", "a"],
      ],
      problems: ["Forbidden spec.clusterIPs", "Forbidden spec.ipFamilies", "Forbidden spec.ipFamilyPolicy"],
    },
    {
      changes: [["spec.loadBalancerSourceRanges", ["10.0.0.0/8"]]],
      problems: ["Forbidden spec.LoadBalancerSourceRanges"],
    },
    { changes: [balancer, ["spec.loadBalancerSourceRanges", [" 10.0.0.0/8 "]]], problems: [] },
    {
      changes: [balancer, ["spec.loadBalancerSourceRanges", ["x"]]],
      problems: ["Invalid spec.LoadBalancerSourceRanges[0]"],
    },
    {
      changes: [["spec.allocateLoadBalancerNodePorts", false]],
      problems: ["Forbidden spec.allocateLoadBalancerNodePorts"],
    },
    { changes: [balancer, ["spec.allocateLoadBalancerNodePorts", false]], problems: [] },
    { changes: [["spec.loadBalancerClass", "a.io/b"]], problems: ["Forbidden spec.loadBalancerClass"] },
    { changes: [balancer, ["spec.loadBalancerClass", "a.io/b"]], problems: [] },
    { changes: [balancer, ["spec.loadBalancerClass", "a b"]], problems: ["Invalid spec.loadBalancerClass"] },
    { changes: [["spec.externalTrafficPolicy", "Local"]], problems: ["Invalid spec.externalTrafficPolicy"] },
    {
      changes: [
        ["spec.externalTrafficPolicy", "Local"],
        ["spec.externalIPs", ["10.1.2.3"]],
      ],
      problems: [],
    },
    {
      changes: [
        ["spec.externalTrafficPolicy", "Local"],
        ["spec.type", "NodePort"],
      ],
      problems: [],
    },
    {
      changes: [balancer, ["spec.externalTrafficPolicy", "Odd"]],
      problems: ["NotSupported spec.externalTrafficPolicy"],
    },
    { changes: [["spec.internalTrafficPolicy", "Odd"]], problems: ["NotSupported spec.internalTrafficPolicy"] },
    { changes: [["spec.healthCheckNodePort", 30_000]], problems: ["Invalid spec.healthCheckNodePort"] },
    { changes: [balancer, ["spec.healthCheckNodePort", 30_000]], problems: ["Invalid spec.healthCheckNodePort"] },
    {
      changes: [balancer, ["spec.healthCheckNodePort", 30_000], ["spec.externalTrafficPolicy", "Local"]],
      problems: [],
    },
    { changes: [["spec.trafficDistribution", "Odd"]], problems: ["NotSupported spec.trafficDistribution"] },
    { changes: [["spec.trafficDistribution", "PreferClose"]], problems: [] },
  ])("finds $problems with the type of $changes", ({ changes, problems }) => {
    expect(problemsOf(validateService(changed(service, ...changes), undefined))).toEqual(problems);
  });

  it.each<{ before: readonly Change[]; after: readonly Change[]; problems: readonly string[] }>([
    { before: [], after: [], problems: [] },
    {
      before: [],
      after: [
        ["spec.clusterIP", "10.0.0.8"],
        ["spec.clusterIPs", ["10.0.0.8"]],
      ],
      problems: ["Invalid spec.clusterIPs[0]"],
    },
    { before: [], after: headless, problems: ["Invalid spec.clusterIPs[0]"] },
    { before: checked(30_000), after: checked(30_001), problems: ["Forbidden spec.healthCheckNodePort"] },
    { before: checked(30_000), after: [balancer], problems: [] },
    { before: [], after: [...external, ["spec.externalName", "a"]], problems: [] },
    { before: [...external, ["spec.externalName", "a"]], after: [], problems: [] },
    {
      before: [balancer, ["spec.loadBalancerClass", "a.io/b"]],
      after: [balancer],
      problems: ["Invalid spec.loadBalancerClass"],
    },
    {
      before: [balancer],
      after: [balancer, ["spec.loadBalancerClass", "a.io/b"]],
      problems: ["Invalid spec.loadBalancerClass"],
    },
    { before: [], after: [balancer, ["spec.loadBalancerClass", "a.io/b"]], problems: [] },
  ])("finds $problems with a change from $before to $after", ({ before, after, problems }) => {
    expect(problemsOf(validateService(changed(service, ...after), changed(service, ...before)))).toEqual(problems);
  });
});

describe("needsAddress and needsNodePorts", () => {
  it.each([
    [{ type: "ClusterIP" }, true, false],
    [{ type: "NodePort" }, true, true],
    [{ type: "LoadBalancer" }, true, true],
    [{ type: "LoadBalancer", allocateLoadBalancerNodePorts: false }, true, false],
    [{ type: "NodePort", allocateLoadBalancerNodePorts: false }, true, true],
    [{ type: "ExternalName" }, false, false],
  ])("of %j are %j and %j", (spec, address, nodePorts) => {
    expect([needsAddress(spec), needsNodePorts(spec)]).toEqual([address, nodePorts]);
  });
});
