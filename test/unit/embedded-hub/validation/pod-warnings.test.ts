import { expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { warnOfPod } from "../../../../src/embedded-hub/validation/pod-warnings.ts";

function containers(...given: readonly JsonObject[]): JsonObject {
  return { containers: given.map((container, index) => ({ name: `c${index}`, ...container })) };
}

const zone = "failure-domain.beta.kubernetes.io/zone";
const noSelector = "labelSelector: a null labelSelector results in matching no pod";
const preferred = "preferredDuringSchedulingIgnoredDuringExecution";
const port = { containerPort: 80, protocol: "TCP" };

it.each<[spec: JsonObject, warnings: readonly string[]]>([
  [containers({}), []],
  [
    { nodeSelector: { "beta.kubernetes.io/os": "linux" } },
    ['spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead'],
  ],
  [
    { affinity: { nodeAffinity: { [preferred]: [{ preference: { matchExpressions: [{ key: zone }] } }] } } },
    [
      `spec.affinity.nodeAffinity.${preferred}[0].preference.matchExpressions[0].key: ${zone} is deprecated since v1.17; use "topology.kubernetes.io/zone" instead`,
    ],
  ],
  [{ topologySpreadConstraints: [{ topologyKey: "a" }] }, [`spec.topologySpreadConstraints[0].${noSelector}`]],
  [
    { affinity: { podAffinity: { [preferred]: [{ podAffinityTerm: {} }] } } },
    [`spec.affinity.podAffinity.${preferred}[0].podAffinityTerm.${noSelector}`],
  ],
  [{ affinity: { podAffinity: { [preferred]: [{ podAffinityTerm: { labelSelector: {} } }] } } }, []],
  [
    { imagePullSecrets: [{ name: "a" }, { name: "a" }, {}] },
    ['spec.imagePullSecrets[1].name: duplicate name "a"', 'spec.imagePullSecrets[2].name: invalid empty name ""'],
  ],
  [{ hostAliases: [{ ip: "1.2.3.4" }, { ip: "1.2.3.4" }] }, ['spec.hostAliases[1].ip: duplicate ip "1.2.3.4"']],
  [
    containers({ resources: { requests: { memory: "1500m", cpu: "1500m" } } }),
    ['spec.containers[0].resources.requests[memory]: fractional byte value "1500m" is invalid, must be an integer'],
  ],
  [
    containers({
      env: [
        { name: "A", value: "1" },
        { name: "A", value: "$(A)2" },
        { name: "A", value: "3" },
      ],
    }),
    ['spec.containers[0].env[2]: hides previous definition of "A", which may be dropped when using apply'],
  ],
  [
    containers({ ports: [port, { ...port, hostPort: 81 }, { ...port, hostPort: 81, hostIP: "1.2.3.4" }] }),
    [
      "spec.containers[0].ports[1]: overlapping port definition with spec.containers[0].ports[0]",
      "spec.containers[0].ports[2]: overlapping port definition with spec.containers[0].ports[0]",
      "spec.containers[0].ports[2]: dangerously ambiguous port definition with spec.containers[0].ports[1]",
    ],
  ],
  [
    containers({ ports: [port] }, { ports: [port] }),
    ["spec.containers[1].ports[0]: duplicate port definition with spec.containers[0].ports[0]"],
  ],
  [
    containers({ ports: [{ ...port, hostIP: "1.2.3.4" }] }),
    [
      "spec.containers[0].ports[0]: hostIP set without hostPort: {Name: HostPort:0 ContainerPort:80 Protocol:TCP HostIP:1.2.3.4}",
    ],
  ],
  [
    containers({ ports: [{ ...port, name: "web" }] }, { ports: [{ ...port, containerPort: 81, name: "web" }] }),
    [
      'spec.containers[1].ports[0]: duplicate port name "web" with spec.containers[0].ports[0], services and probes that select ports by name will use spec.containers[0].ports[0]',
    ],
  ],
  [
    { terminationGracePeriodSeconds: -1 },
    ["spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1"],
  ],
  [
    { dnsConfig: { nameservers: ["010.0.0.1"] } },
    [
      'spec.dnsConfig.nameservers[0]: non-standard IP address "010.0.0.1" will be considered invalid in a future Kubernetes release: use "10.0.0.1"',
    ],
  ],
])("warns of the Pod %j: %j", (spec, warnings) => {
  expect(warnOfPod({ spec })).toEqual(warnings);
});

it("names the path of a template, and annotations without effect", () => {
  const annotations = { "security.alpha.kubernetes.io/sysctls": "a=b" };
  const spec = { terminationGracePeriodSeconds: -1 };
  expect(warnOfPod({ metadata: { annotations }, spec }, "spec.template")).toEqual([
    'spec.template.metadata.annotations[security.alpha.kubernetes.io/sysctls]: non-functional in v1.11+; use the "sysctls" field instead',
    "spec.template.spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1",
  ]);
});

it("compares a port with few others, so that many of one number cost in proportion to their count", () => {
  const ports = Array.from({ length: 20_000 }, () => port);
  expect(warnOfPod({ spec: containers({ ports }) }).length).toBe(8 * ports.length - 36);
});
