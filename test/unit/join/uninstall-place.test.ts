import { describe, expect, it } from "vitest";
import { clusternetProtocol } from "../../../src/join/clusternet/hub/clusternet-protocol.ts";
import { fleetProtocol } from "../../../src/join/fleet/hub/fleet-protocol.ts";
import { kubefleetProtocol } from "../../../src/join/kubefleet/hub/kubefleet-protocol.ts";
import { rollcallProtocol } from "../../../src/join/rollcall/hub/rollcall-protocol.ts";
import type { JoinProtocol } from "../../../src/join/join.ts";
import { describeRef } from "../../../src/model/kubernetes.ts";
import { hubFacts, memberOf } from "./hub-scene.ts";

const time = "2027-01-15T08:00:00Z";
const digests = { manifestDigest: "m", kubeconfigDigest: "k", redeployGeneration: 0, bootstrap: 1, time };

function uninstalled(protocol: JoinProtocol, declared: string, installed?: string): string[] {
  const spec = { protocol: protocol.name, kubeConfigSecretRef: { name: "k" }, agent: { namespace: declared } };
  const install = installed === undefined ? digests : { ...digests, namespace: installed };
  const annotations = { "rollcall.dev/leave": "c0ffee" };
  const member = memberOf("eu-1", { spec, state: { install }, annotations });
  const step = protocol.leaveSteps(member, hubFacts()).find(({ kind }) => kind === "uninstall");
  return step?.kind === "uninstall" ? step.refs.map(describeRef) : [];
}

describe.each([rollcallProtocol, fleetProtocol, kubefleetProtocol, clusternetProtocol])(
  "leaveSteps: an agent of $name whose file moved it before it left",
  (protocol) => {
    it("is removed where it was installed, and where a try to move it may have left something", () => {
      const refs = uninstalled(protocol, "new-place", "old-place");
      const expected = [...uninstalled(protocol, "old-place"), ...uninstalled(protocol, "new-place")];
      expect(new Set(refs)).toEqual(new Set(expected));
      expect(refs.length).toBe(new Set(refs).size);
      expect(refs.some((ref) => ref.includes("Deployment") && ref.includes("old-place"))).toBe(true);
    });

    it("is removed from one place where that is the declared one", () => {
      expect(uninstalled(protocol, "one-place", "one-place")).toEqual(uninstalled(protocol, "one-place"));
    });
  },
);
