import { describe, expect, it } from "vitest";
import { clusternetProtocol } from "../../../src/join/clusternet/hub/clusternet-protocol.ts";
import { fleetProtocol } from "../../../src/join/fleet/hub/fleet-protocol.ts";
import { kubefleetProtocol } from "../../../src/join/kubefleet/hub/kubefleet-protocol.ts";
import { rollcallProtocol } from "../../../src/join/rollcall/hub/rollcall-protocol.ts";
import type { JoinProtocol } from "../../../src/join/join.ts";
import { describeRef } from "../../../src/model/kubernetes.ts";
import type { MemberState } from "../../../src/model/member-state.ts";
import { hubFacts, memberOf } from "./hub-scene.ts";

const time = "2027-01-15T08:00:00Z";
const digests = { manifestDigest: "m", kubeconfigDigest: "k", redeployGeneration: 0, bootstrap: 1, time };

function uninstalled(protocol: JoinProtocol, declared: string, installed?: string): string[] {
  return uninstalledBy(protocol, declared, {
    install: installed === undefined ? digests : { ...digests, namespace: installed },
  });
}

function uninstalledBy(protocol: JoinProtocol, declared: string, state: MemberState): string[] {
  const spec = { protocol: protocol.name, kubeConfigSecretRef: { name: "k" }, agent: { namespace: declared } };
  const annotations = { "rollcall.dev/leave": "c0ffee" };
  const member = memberOf("eu-1", { spec, state, annotations });
  const step = protocol.offboardingSteps(member, hubFacts()).find(({ kind }) => kind === "uninstall");
  return step?.kind === "uninstall" ? step.refs.map(describeRef) : [];
}

describe.each([rollcallProtocol, fleetProtocol, kubefleetProtocol, clusternetProtocol])(
  "offboardingSteps: an agent of $name whose file moved it before it left",
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

    it("is removed where the hub began to install it, and was interrupted", () => {
      const begun = { since: time, namespace: "first-place" };
      const removed = uninstalledBy(protocol, "first-place", { installing: begun });
      expect(removed).toEqual(uninstalled(protocol, "first-place"));
      const moved = uninstalledBy(protocol, "new-place", {
        install: { ...digests, namespace: "old" },
        installing: begun,
      });
      for (const place of ["old", "first-place", "new-place"])
        expect(moved.some((ref) => ref.includes("Deployment") && ref.includes(place))).toBe(true);
      expect(uninstalledBy(protocol, "first-place", {})).toEqual([]);
    });
  },
);
