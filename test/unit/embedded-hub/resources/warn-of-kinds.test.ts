import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import {
  warnOfBalancer,
  warnOfIngress,
  warnOfManyIndexes,
  warnOfNetworkPolicy,
  warnOfNode,
  warnOfSecret,
} from "../../../../src/embedded-hub/resources/warn-of-kinds.ts";

function object(rest: JsonObject, annotations: Record<string, string> = {}): KubeObject {
  return { apiVersion: "v1", kind: "Any", metadata: { name: "a", annotations }, ...rest };
}

const created = { isNew: true, subresource: undefined };
const changed = { isNew: false, subresource: undefined };
const ofStatus = { isNew: false, subresource: "status" };
const classed = { "kubernetes.io/ingress.class": "a" };
const encoded = (text: string): string => Buffer.from(text).toString("base64");
const pem = encoded("-----BEGIN X-----");
const secret = (crt: string, key: string): KubeObject =>
  object({ type: "kubernetes.io/tls", data: { "tls.crt": crt, "tls.key": key } });
const balanced = object({ status: { loadBalancer: { ingress: [{ ip: "192.0.2.01" }] } } });
const old = (path: string, value: string, plain: string, what: string): string =>
  `${path}: non-standard ${what} ${JSON.stringify(value)} will be considered invalid in a future Kubernetes release: use ${JSON.stringify(plain)}`;

const rows: readonly {
  readonly reason: string;
  readonly warnings: readonly string[];
  readonly expected: readonly string[];
}[] = [
  {
    reason: "networks of a NetworkPolicy in both directions",
    warnings: warnOfNetworkPolicy(
      object({
        spec: {
          ingress: [{ from: [{ ipBlock: { cidr: "010.0.0.0/8" } }, { podSelector: {} }] }],
          egress: [{}, { to: [{ ipBlock: { cidr: "10.0.0.0/8", except: ["010.1.0.0/16"] } }] }],
        },
      }),
    ),
    expected: [
      old("spec.ingress[0].from[0].ipBlock.cidr", "010.0.0.0/8", "10.0.0.0/8", "CIDR value"),
      old("spec.egress[1].to[0].ipBlock.except[0]", "010.1.0.0/16", "10.1.0.0/16", "CIDR value"),
    ],
  },
  {
    reason: "the class of a new Ingress in an annotation",
    warnings: warnOfIngress(object({ spec: {} }, classed), created),
    expected: ["annotation \"kubernetes.io/ingress.class\" is deprecated, please use 'spec.ingressClassName' instead"],
  },
  { reason: "not of one that changes", warnings: warnOfIngress(object({ spec: {} }, classed), changed), expected: [] },
  {
    reason: "not of one that has a class, too",
    warnings: warnOfIngress(object({ spec: { ingressClassName: "b" } }, classed), created),
    expected: [],
  },
  {
    reason: "addresses of an Ingress",
    warnings: warnOfIngress(balanced, ofStatus),
    expected: [old("status.loadBalancer.ingress[0]", "192.0.2.01", "192.0.2.1", "IP address")],
  },
  { reason: "addresses of a Service", warnings: warnOfBalancer(balanced), expected: warnOfIngress(balanced, ofStatus) },
  {
    reason: "networks and the old name of a Node",
    warnings: warnOfNode(object({ spec: { externalID: "a", podCIDRs: ["010.0.0.0/8"] } }), created),
    expected: [
      "spec.externalID: this field is deprecated, and is unused by Kubernetes",
      old("spec.podCIDRs[0]", "010.0.0.0/8", "10.0.0.0/8", "CIDR value"),
    ],
  },
  { reason: "not of its status", warnings: warnOfNode(object({ spec: { externalID: "a" } }), ofStatus), expected: [] },
  {
    reason: "a certificate that is none",
    warnings: warnOfSecret(secret(encoded("x"), "")),
    expected: ["tls: failed to find any PEM data in certificate input"],
  },
  {
    reason: "a key that is none",
    warnings: warnOfSecret(secret(pem, encoded("y"))),
    expected: ["tls: failed to find any PEM data in key input"],
  },
  { reason: "not of a pair", warnings: warnOfSecret(secret(pem, pem)), expected: [] },
  { reason: "not of other Secrets", warnings: warnOfSecret(object({ type: "Opaque", data: {} })), expected: [] },
  {
    reason: "a Job with too many indexes",
    warnings: warnOfManyIndexes({ completionMode: "Indexed", completions: 100_001, parallelism: 10_001 }, "spec"),
    expected: [
      "spec: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail",
    ],
  },
  {
    reason: "not of one with as many as are tracked",
    warnings: warnOfManyIndexes({ completionMode: "Indexed", completions: 100_000, parallelism: 10_001 }, "spec"),
    expected: [],
  },
];

describe("warnings of valid objects", () => {
  it.each(rows)("are those of kube-apiserver: $reason", ({ warnings, expected }) => {
    expect(warnings).toEqual(expected);
  });
});
