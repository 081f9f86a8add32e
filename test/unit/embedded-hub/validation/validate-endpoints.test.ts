import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import {
  validateEndpointSlice,
  validateEndpoints,
} from "../../../../src/embedded-hub/validation/validate-endpoints.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { problemsOf } from "./validation-builders.ts";

const slice = (rest: JsonObject, addressType = "IPv4"): KubeObject => ({
  ...{ apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", metadata: { name: "a" }, addressType },
  ...rest,
});
const at = "endpoints[0]";
const endpoint = (rest: JsonObject, type?: string): KubeObject =>
  slice({ endpoints: [{ addresses: ["10.1.2.3"], ...rest }] }, type);
const addresses = (type: string, ...list: string[]): KubeObject => endpoint({ addresses: list }, type);
const ports = (...list: JsonObject[]): KubeObject => slice({ ports: list });
const many = (count: number, make: (index: number) => string): string[] =>
  Array.from({ length: count }, (_, index) => make(index));

describe("validateEndpointSlice", () => {
  it.each<{ reason: string; one: KubeObject; problems: readonly string[] }>([
    { reason: "an endpoint", one: endpoint({}), problems: [] },
    { reason: "no type", one: slice({}, ""), problems: ["Required addressType"] },
    { reason: "another type", one: slice({}, "Odd"), problems: ["NotSupported addressType"] },
    { reason: "no address", one: addresses("IPv4"), problems: [`Required ${at}.addresses`] },
    { reason: "100 addresses", one: addresses("IPv4", ...many(100, (index) => `10.1.2.${index + 1}`)), problems: [] },
    {
      reason: "101 addresses",
      one: addresses("IPv4", ...many(101, (index) => `10.1.2.${index + 1}`)),
      problems: [`TooMany ${at}.addresses`],
    },
    { reason: "no address at all", one: addresses("IPv4", "x"), problems: [`Invalid ${at}.addresses[0]`] },
    { reason: "IPv6 for IPv4", one: addresses("IPv4", "2001:db8::1"), problems: [`Invalid ${at}.addresses`] },
    { reason: "loopback", one: addresses("IPv4", "127.0.0.1"), problems: [`Invalid ${at}.addresses[0]`] },
    { reason: "IPv6", one: addresses("IPv6", "2001:db8::1"), problems: [] },
    { reason: "IPv4 for IPv6", one: addresses("IPv6", "10.1.2.3"), problems: [`Invalid ${at}.addresses`] },
    { reason: "IPv4 in IPv6", one: addresses("IPv6", "::ffff:10.1.2.3"), problems: [`Invalid ${at}.addresses[0]`] },
    { reason: "link-local IPv6", one: addresses("IPv6", "fe80::1"), problems: [`Invalid ${at}.addresses[0]`] },
    { reason: "a name", one: addresses("FQDN", "a.example.org"), problems: [] },
    { reason: "a whole name", one: addresses("FQDN", "a.example.org."), problems: [] },
    { reason: "a name of one part and a dot", one: addresses("FQDN", "a."), problems: [`Invalid ${at}.addresses[0]`] },
    {
      reason: "a name with a long part",
      one: addresses("FQDN", `${"a".repeat(64)}.example.org`),
      problems: [`Invalid ${at}.addresses[0]`],
    },
    { reason: "a name of one part", one: addresses("FQDN", "a"), problems: [`Invalid ${at}.addresses[0]`] },
    { reason: "an empty name", one: addresses("FQDN", ""), problems: [`Required ${at}.addresses[0]`] },
    { reason: "a name that is none", one: addresses("FQDN", "A_"), problems: [`Invalid ${at}.addresses[0]`] },
    { reason: "a node", one: endpoint({ nodeName: "N_" }), problems: [`Invalid ${at}.nodeName`] },
    { reason: "a host", one: endpoint({ hostname: "a.b" }), problems: [`Invalid ${at}.hostname`] },
    {
      reason: "zones",
      one: endpoint({ hints: { forZones: [{ name: "a" }, { name: "a" }] } }),
      problems: [`Duplicate ${at}.hints.forZones[1].name`],
    },
    {
      reason: "a zone",
      one: endpoint({ hints: { forZones: [{ name: "a b" }] } }),
      problems: [`Invalid ${at}.hints.forZones[0].name`],
    },
    {
      reason: "9 zones",
      one: endpoint({ hints: { forZones: many(9, (index) => `z${index}`).map((name) => ({ name })) } }),
      problems: [`TooMany ${at}.hints.forZones`],
    },
    {
      reason: "8 zones",
      one: endpoint({ hints: { forZones: many(8, (index) => `z${index}`).map((name) => ({ name })) } }),
      problems: [],
    },
    {
      reason: "a node hint",
      one: endpoint({ hints: { forNodes: [{ name: "N_" }] } }),
      problems: [`Invalid ${at}.hints.forNodes[0].name`],
    },
    { reason: "ports", one: ports({ name: "a", protocol: "TCP" }, { name: "b", protocol: "UDP" }), problems: [] },
    {
      reason: "ports of one name",
      one: ports({ name: "a", protocol: "TCP" }, { name: "a", protocol: "UDP" }),
      problems: ["Duplicate ports[1].name"],
    },
    {
      reason: "two ports without a name",
      one: ports({ protocol: "TCP" }, { protocol: "UDP" }),
      problems: ["Duplicate ports[1].name"],
    },
    { reason: "a port's name", one: ports({ name: "A_", protocol: "TCP" }), problems: ["Invalid ports[0].name"] },
    { reason: "a protocol", one: ports({ name: "a", protocol: "HTTP" }), problems: ["NotSupported ports[0].protocol"] },
    {
      reason: "another protocol",
      one: ports({ name: "a", protocol: "TCP", appProtocol: "a b" }),
      problems: ["Invalid ports[0].appProtocol"],
    },
    {
      reason: "1,000 endpoints",
      one: slice({ endpoints: many(1000, () => "").map(() => ({ addresses: ["10.1.2.3"] })) }),
      problems: [],
    },
    {
      reason: "1,001 endpoints",
      one: slice({ endpoints: many(1001, () => "").map(() => ({ addresses: [] })) }),
      problems: ["TooMany endpoints"],
    },
  ])("finds $problems with $reason", ({ one, problems }) => {
    expect(problemsOf(validateEndpointSlice(one, undefined))).toEqual(problems);
  });

  it("keeps its type of addresses", () => {
    expect(problemsOf(validateEndpointSlice(slice({}, "IPv6"), slice({}, "IPv4")))).toEqual(["Invalid addressType"]);
    expect(validateEndpointSlice(slice({}), slice({}))).toEqual([]);
  });
});

describe("validateEndpoints", () => {
  const good = { addresses: [{ ip: "10.1.2.3" }], ports: [{ port: 80, protocol: "TCP" }] };
  const item = "subsets[0]";

  it.each<{ rest: JsonObject; problems: readonly string[] }>([
    { rest: {}, problems: [] },
    { rest: { addresses: [] }, problems: [`Required ${item}`] },
    { rest: { addresses: [], notReadyAddresses: [{ ip: "10.1.2.3" }] }, problems: [] },
    {
      rest: { addresses: [{ ip: "x" }] },
      problems: [`Invalid ${item}.addresses[0].ip`, `Invalid ${item}.addresses[0].ip`],
    },
    { rest: { notReadyAddresses: [{ ip: "127.0.0.1" }] }, problems: [`Invalid ${item}.notReadyAddresses[0].ip`] },
    { rest: { addresses: [{ ip: "10.1.2.3", hostname: "a.b" }] }, problems: [`Invalid ${item}.addresses[0].hostname`] },
    { rest: { addresses: [{ ip: "10.1.2.3", nodeName: "N_" }] }, problems: [`Invalid ${item}.addresses[0].nodeName`] },
    { rest: { ports: [{ port: 0, protocol: "TCP" }] }, problems: [`Invalid ${item}.ports[0].port`] },
    { rest: { ports: [{ port: 80 }] }, problems: [`Required ${item}.ports[0].protocol`] },
    { rest: { ports: [{ port: 80, protocol: "HTTP" }] }, problems: [`NotSupported ${item}.ports[0].protocol`] },
    { rest: { ports: [{ name: "A_", port: 80, protocol: "TCP" }] }, problems: [`Invalid ${item}.ports[0].name`] },
    {
      rest: {
        ports: [
          { name: "a", port: 80, protocol: "TCP" },
          { port: 81, protocol: "TCP" },
        ],
      },
      problems: [`Required ${item}.ports[1].name`],
    },
    {
      rest: { ports: [{ port: 80, protocol: "TCP", appProtocol: "a b" }] },
      problems: [`Invalid ${item}.ports[0].appProtocol`],
    },
  ])("finds $problems with $rest", ({ rest, problems }) => {
    const endpoints = { apiVersion: "v1", kind: "Endpoints", metadata: { name: "a" }, subsets: [{ ...good, ...rest }] };
    expect(problemsOf(validateEndpoints(endpoints))).toEqual(problems);
  });
});

describe("the ports of an EndpointSlice", () => {
  it.each([
    [101, []],
    [20_000, []],
    [20_001, ["ports"]],
  ])("an EndpointSlice may have %i ports", (count, fields) => {
    const one = {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { name: "a" },
      addressType: "IPv4",
      ports: Array.from({ length: count }, (_, index) => ({ name: `p-${index}`, port: 80, protocol: "TCP" })),
    };
    expect(validateEndpointSlice(one, undefined).map(({ field }) => field)).toEqual(fields);
  });
});
