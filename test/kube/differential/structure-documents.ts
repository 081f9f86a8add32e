import type { Json, JsonObject } from "../../../src/core/json.ts";
import { isJsonObject } from "../../../src/core/json.ts";
import { fixedRequestPem } from "../../support/certificate-request.ts";
import { structuredNodeKinds } from "./structured-node-kinds.ts";
import type { StructuredKind } from "./structured-workloads.ts";
import { structuredWorkloads, workloadTexts } from "./structured-workloads.ts";
import type { Draw } from "./sequences.ts";

const labels = { app: "a" };
const expressions = [{ key: "tier", operator: "In", values: ["a", "b"] }];
const selector = { matchLabels: labels, matchExpressions: expressions };
const backend = { service: { name: "a", port: { number: 80 } } };
const peer = { namespaceSelector: selector, podSelector: selector };
/** Selects nothing that either hub serves. */
const webhook = {
  rules: [
    {
      operations: ["CREATE", "UPDATE"],
      apiGroups: ["none.example.org"],
      apiVersions: ["v1"],
      resources: ["things", "things/status"],
      scope: "Namespaced",
    },
  ],
  failurePolicy: "Fail",
  matchPolicy: "Exact",
  namespaceSelector: selector,
  objectSelector: selector,
  sideEffects: "None",
  timeoutSeconds: 1,
  admissionReviewVersions: ["v1", "v1beta1"],
  matchConditions: [
    { name: "a", expression: "object.metadata.name == 'a'" },
    { name: "example.org/b", expression: "true" },
  ],
};
const certificateRequest = {
  apiVersion: "certificates.k8s.io/v1",
  kind: "CertificateSigningRequest",
  collection: "/apis/certificates.k8s.io/v1/certificatesigningrequests",
} as const;
const certificateSpec = {
  request: Buffer.from(fixedRequestPem).toString("base64"),
  signerName: "example.org/signer",
  usages: ["client auth", "digital signature"],
  expirationSeconds: 3600,
};
const condition = { type: "Checked", status: "Unknown", reason: "a", message: "b" };
const reference = { kind: "Pod", name: "a", namespace: "NS" };

function named(group: string, kind: string, plural: string, content: JsonObject): StructuredKind {
  const path = group === "" ? "/api/v1" : `/apis/${group}/v1`;
  const apiVersion = group === "" ? "v1" : `${group}/v1`;
  return { apiVersion, kind, collection: `${path}/namespaces/NS/${plural}`, content };
}

export const structuredKinds: readonly StructuredKind[] = [
  named("", "Service", "services", {
    spec: {
      type: "LoadBalancer",
      selector: labels,
      sessionAffinity: "ClientIP",
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } },
      externalTrafficPolicy: "Cluster",
      internalTrafficPolicy: "Cluster",
      trafficDistribution: "PreferClose",
      publishNotReadyAddresses: true,
      allocateLoadBalancerNodePorts: true,
      loadBalancerClass: "example.org/a",
      loadBalancerSourceRanges: ["10.0.0.0/8"],
      externalIPs: ["192.0.2.1"],
      ports: [
        { name: "http", port: 80, targetPort: 8080, protocol: "TCP", appProtocol: "example.org/http" },
        { name: "dns", port: 53, targetPort: "dns", protocol: "UDP" },
      ],
    },
  }),
  named("", "Service", "services", {
    spec: { type: "ExternalName", externalName: "example.org", ports: [{ name: "a", port: 80 }] },
  }),
  named("", "Service", "services", {
    spec: {
      clusterIP: "None",
      selector: labels,
      ipFamilyPolicy: "SingleStack",
      ipFamilies: ["IPv4"],
      ports: [{ port: 80 }],
    },
  }),
  named("", "Endpoints", "endpoints", {
    subsets: [
      {
        addresses: [{ ip: "192.0.2.1", hostname: "a", nodeName: "n", targetRef: reference }],
        notReadyAddresses: [{ ip: "2001:db8::1" }],
        ports: [
          { name: "http", port: 80, protocol: "TCP", appProtocol: "http" },
          { name: "dns", port: 53, protocol: "UDP" },
        ],
      },
    ],
  }),
  named("discovery.k8s.io", "EndpointSlice", "endpointslices", {
    addressType: "IPv4",
    endpoints: [
      {
        addresses: ["192.0.2.1"],
        conditions: { ready: true, serving: true, terminating: false },
        hostname: "a",
        nodeName: "n",
        zone: "zone-a",
        targetRef: reference,
        hints: { forZones: [{ name: "zone-a" }, { name: "zone-b" }] },
      },
    ],
    ports: [
      { name: "http", port: 80, protocol: "TCP", appProtocol: "http" },
      { name: "dns", port: 53, protocol: "UDP" },
    ],
  }),
  named("networking.k8s.io", "Ingress", "ingresses", {
    spec: {
      ingressClassName: "a",
      defaultBackend: backend,
      tls: [{ hosts: ["a.example.org", "*.example.org"], secretName: "tls" }],
      rules: [
        {
          host: "a.example.org",
          http: {
            paths: [
              { path: "/a", pathType: "Prefix", backend },
              { path: "/b", pathType: "Exact", backend: { service: { name: "b", port: { name: "http" } } } },
              {
                pathType: "ImplementationSpecific",
                backend: { resource: { apiGroup: "example.org", kind: "A", name: "a" } },
              },
            ],
          },
        },
      ],
    },
  }),
  named("networking.k8s.io", "NetworkPolicy", "networkpolicies", {
    spec: {
      podSelector: selector,
      policyTypes: ["Ingress", "Egress"],
      ingress: [{ from: [peer], ports: [{ port: 80, endPort: 90, protocol: "TCP" }, { port: "http" }] }],
      egress: [{ to: [{ ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] } }], ports: [{ protocol: "SCTP" }] }],
    },
  }),
  named("", "LimitRange", "limitranges", {
    spec: {
      limits: [
        {
          type: "Container",
          max: { cpu: "2", memory: "1Gi", "example.org/gpu": "1" },
          min: { cpu: "100m", memory: "1Mi" },
          default: { cpu: "1", "example.org/gpu": "1" },
          defaultRequest: { cpu: "200m", "example.org/gpu": "1" },
          maxLimitRequestRatio: { cpu: "1500m", memory: "2" },
        },
        { type: "Pod", max: { cpu: "4", memory: "2Gi" }, min: { cpu: "100m" }, maxLimitRequestRatio: { cpu: "10" } },
        { type: "PersistentVolumeClaim", max: { storage: "1Gi" }, min: { storage: "1Mi" } },
        { type: "example.org/thing", max: { "requests.cpu": "1" } },
      ],
    },
  }),
  ...structuredWorkloads,
  named("policy", "PodDisruptionBudget", "poddisruptionbudgets", {
    spec: { minAvailable: "50%", selector, unhealthyPodEvictionPolicy: "AlwaysAllow" },
  }),
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "IngressClass",
    collection: "/apis/networking.k8s.io/v1/ingressclasses",
    content: {
      spec: {
        controller: "example.org/a",
        parameters: { apiGroup: "example.org", kind: "A", name: "a", scope: "Namespace", namespace: "NS" },
      },
    },
  },
  ...structuredNodeKinds,
  {
    ...certificateRequest,
    content: {
      spec: certificateSpec,
      status: { conditions: [{ ...condition, type: "Approved", status: "True" }, condition] },
    },
    subresource: "approval",
  },
  {
    ...certificateRequest,
    content: {
      spec: certificateSpec,
      status: { conditions: [{ ...condition, type: "Failed", status: "True" }, condition] },
    },
    subresource: "status",
  },
  ...["Validating", "Mutating"].map((prefix) => ({
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: `${prefix}WebhookConfiguration`,
    collection: `/apis/admissionregistration.k8s.io/v1/${prefix.toLowerCase()}webhookconfigurations`,
    content: {
      webhooks: [
        {
          ...webhook,
          name: "a.example.org",
          clientConfig: { url: "https://192.0.2.1/a" },
          ...(prefix === "Mutating" ? { reinvocationPolicy: "Never" } : {}),
        },
        {
          ...webhook,
          name: "b.example.org",
          clientConfig: { service: { name: "a", namespace: "b", path: "/a/b", port: 80 } },
        },
      ],
    },
  })),
  {
    apiVersion: "v1",
    kind: "Node",
    collection: "/api/v1/nodes",
    content: {
      spec: {
        podCIDR: "10.1.0.0/24",
        podCIDRs: ["10.1.0.0/24"],
        providerID: "example://a",
        unschedulable: true,
        taints: [
          { key: "example.org/a", value: "b", effect: "NoSchedule" },
          { key: "example.org/a", value: "b", effect: "NoExecute" },
        ],
      },
    },
  },
];

const texts = [
  ...["50m", "100m", "1500m", "2", "3", "1Mi", "1Gi", "0.5", "1e3", "-2", "Pod", "Container", "PersistentVolumeClaim"],
  ...[
    "example.org/signer",
    "example/signer",
    "example.org/a/b",
    "kubernetes.io/legacy-unknown",
    "a".repeat(64) + ".b/c",
  ],
  ...workloadTexts,
  ...["client auth", "server auth", "signing", "Approved", "Denied", "Failed", "True", "False", "Unknown"],
  ...["https://a/b", "http://a", "https://a@b/", "https://a/?b", "https://a/#b", "https://", "a.example.org", "*/*"],
  ...[
    "things/*",
    "*/status",
    "CREATE",
    "CONNECT",
    "Equivalent",
    "NoneOnDryRun",
    "Some",
    "Ignore",
    "v1beta1",
    "IfNeeded",
  ],
  ...["", "a", "A", "a-", "a.b", "a_b", "a/b", "a b", "a".repeat(16), "a".repeat(64), "a".repeat(254), "ä"],
  ...["10.0.0.0/8", "10.1.2.3/8", "10.0.0.0/33", "::/0", "2001:db8::/32", "010.0.0.0/8", "10.0.0.0/08", "10.0.0.0"],
  ...[
    "192.0.2.7",
    "192.0.2.07",
    "127.0.0.1",
    "169.254.1.1",
    "224.0.0.1",
    "0.0.0.0",
    "::1",
    "fe80::1",
    "2001:db8::7",
    "::ffff:192.0.2.1",
    "1.2.3",
    "None",
  ],
  ...["TCP", "UDP", "SCTP", "tcp", "IPv4", "IPv6", "FQDN", "In", "NotIn", "Exists", "DoesNotExist", "Gt"],
  ...[
    "Cluster",
    "Local",
    "ClusterIP",
    "NodePort",
    "LoadBalancer",
    "ExternalName",
    "SingleStack",
    "PreferDualStack",
    "RequireDualStack",
  ],
  ...[
    "Prefix",
    "Exact",
    "ImplementationSpecific",
    "/",
    "/a",
    "//",
    "/a/../b",
    "/a%2fb",
    "Ingress",
    "Egress",
    "Namespace",
  ],
  ...[
    "NoSchedule",
    "PreferNoSchedule",
    "NoExecute",
    "AlwaysAllow",
    "IfHealthyBudget",
    "PreferSameZone",
    "PreferSameNode",
  ],
  ...[
    "0%",
    "50%",
    "100%",
    "101%",
    "1.5%",
    "-1%",
    "%",
    "50",
    "*.example.org",
    "*",
    "a.*.org",
    "example.org.",
    "http",
    "HTTP",
    "1",
    "a--b",
    "dns",
  ],
];
const numbers = [599, 600, -1, 0, 1, 79, 80, 81, 100, 65_535, 65_536, 86_400, 86_401, 2_147_483_647];

type Path = readonly (string | number)[];

/** A document with one to three changes: values of the same type, fields left out, items left out or doubled. */
export function structureDocument(draw: Draw, kind: StructuredKind): JsonObject {
  let content: Json = kind.content;
  for (let left = 1 + Math.floor(draw() * 3); left > 0; left--) {
    const paths = pathsOf(content);
    const path = paths[Math.floor(draw() * paths.length)] ?? [];
    content = changedAt(content, path, (value) => changedValue(draw, value));
  }
  return isJsonObject(content) ? content : {};
}

/** The paths of all values but the whole and its first level. */
function pathsOf(value: Json | undefined, prefix: Path = []): Path[] {
  // Addresses of Services are of ranges that each hub has. Of two values that cannot be decoded, one of them no base64, each
  // hub names another one. Without completions, a policy of success ends kube-apiserver's connection.
  const own =
    prefix.length > 1 &&
    !["clusterIP", "request", "policies", "completions", "startTime", "completionTime"].includes(String(prefix.at(-1)))
      ? [prefix]
      : [];
  if (Array.isArray(value)) {
    return [...own, ...(value as Json[]).flatMap((item, index) => pathsOf(item, [...prefix, index]))];
  }
  if (!isJsonObject(value)) return own;
  return [...own, ...Object.keys(value).flatMap((key) => pathsOf(value[key], [...prefix, key]))];
}

function changedAt(value: Json | undefined, [step, ...rest]: Path, change: (value: Json) => Json | undefined): Json {
  if (step === undefined) return value ?? null;
  const inner = (item: Json | undefined): Json | undefined =>
    rest.length === 0 ? change(item ?? null) : changedAt(item, rest, change);
  if (Array.isArray(value)) {
    return (value as Json[]).flatMap((item, index) => {
      const changed = index === step ? inner(item) : item;
      return changed === undefined ? [] : [changed];
    });
  }
  if (!isJsonObject(value)) return value ?? null;
  const { [String(step)]: old, ...others } = value;
  const changed = inner(old);
  return changed === undefined ? others : { ...others, [String(step)]: changed };
}

/** Undefined: left out. */
function changedValue(draw: Draw, value: Json): Json | undefined {
  if (draw() < 0.15) return undefined;
  if (typeof value === "string") return pick(draw, draw() < 0.1 ? [...numbers] : texts);
  if (typeof value === "number") return pick(draw, draw() < 0.1 ? [...texts] : numbers);
  if (typeof value === "boolean") return !value;
  if (Array.isArray(value)) {
    const items = value as Json[];
    return draw() < 0.4 ? [] : [...items, items[0] ?? "a"];
  }
  return draw() < 0.5 ? {} : value;
}

function pick(draw: Draw, items: readonly Json[]): Json {
  return items[Math.floor(draw() * items.length)] ?? "";
}
