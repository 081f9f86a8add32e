import { describe, expect, it } from "vitest";
import { warnOfService } from "../../../../src/embedded-hub/validation/service-warnings.ts";
import type { JsonObject } from "../../../../src/core/json.ts";

describe("warnOfService", () => {
  it.each<[spec: JsonObject, annotations: Record<string, string>, warnings: readonly string[]]>([
    [{ clusterIP: "10.96.0.7", clusterIPs: ["10.96.0.7"] }, {}, []],
    [
      { clusterIP: "010.96.0.7", clusterIPs: ["010.96.0.7"] },
      {},
      [
        'spec.clusterIPs[0]: non-standard IP address "010.96.0.7" will be considered invalid in a future Kubernetes release: use "10.96.0.7"',
      ],
    ],
    [
      {
        clusterIP: "None",
        clusterIPs: ["None"],
        externalIPs: ["1.2.3.4"],
        sessionAffinity: "ClientIP",
        loadBalancerIP: "1.2.3.4",
      },
      {},
      [
        "spec.loadBalancerIP is ignored for headless services",
        "spec.externalIPs is ignored for headless services",
        "spec.SessionAffinity is ignored for headless services",
      ],
    ],
    [
      { type: "ExternalName", externalName: "a", externalIPs: ["1.2.3.4"] },
      {},
      ['spec.externalIPs is ignored when spec.type is "ExternalName"'],
    ],
    [{ externalName: "a" }, {}, ['spec.externalName is ignored when spec.type is not "ExternalName"']],
    [
      { type: "LoadBalancer", loadBalancerSourceRanges: ["10.1.2.3/8"] },
      {},
      [
        'spec.loadBalancerSourceRanges[0]: CIDR value "10.1.2.3/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.1.2.3/32"?)',
      ],
    ],
    [
      {},
      { "service.kubernetes.io/topology-aware-hints": "auto" },
      [
        "annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode instead",
      ],
    ],
  ])("warns of %j with the annotations %j: %j", (spec, annotations, warnings) => {
    const metadata = { name: "a", namespace: "shop", annotations };
    const whole = { type: "ClusterIP", sessionAffinity: "None", ...spec };
    expect(warnOfService({ apiVersion: "v1", kind: "Service", metadata, spec: whole })).toEqual(warnings);
  });
});
