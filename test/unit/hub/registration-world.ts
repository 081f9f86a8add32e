import { createRegistrations } from "../../../src/hub/registrations.ts";
import type { RegistrationDecision, RegistrationScene } from "../../../src/join/join.ts";
import { rollcallProtocol } from "../../../src/join/rollcall/hub/rollcall-protocol.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { startMs } from "../join/hub-scene.ts";
import { openMemberWorld } from "./members/member-world.ts";
import { clusterOf } from "./objects.ts";

/** A decision by the name of the request. */
export type Decide = (name: string, scene: RegistrationScene) => RegistrationDecision;

export const refOf = (name: string) => ({ type: resourceTypes.clusterRegistration, namespace: "fleet", name });
export const refused = (name: string, reason = "ProofInvalid"): RegistrationDecision => ({
  kind: "refused",
  reason,
  write: { ref: refOf(name), status: { decision: "Refused", reason, message: `${name} is refused.` } },
});
export const granted = (clusterName: string, fields: object = {}): RegistrationDecision => ({
  kind: "granted",
  clusterName,
  cluster: clusterOf(clusterName),
  state: { clientID: `uid-${clusterName}` },
  notes: [],
  ...fields,
});

/**
 * A workspace whose requests are decided by `decide`; each came a second after the one before it. Their senders hold the
 * tokens of files that they name, but for those of `forged`.
 */
export async function openRegistrations(decide: Decide, forged: ReadonlySet<string> = new Set()) {
  const world = await openMemberWorld();
  const decided: string[] = [];
  const proposals: unknown[] = [];
  const held: string[] = [];
  const protocol = {
    ...rollcallProtocol,
    registrations: {
      ...rollcallProtocol.registrations,
      isProven: ({ metadata: { name } }: KubeObject, { token }: RegistrationScene) =>
        token !== undefined && !forged.has(name),
      decide: ({ metadata: { name } }: KubeObject, scene: RegistrationScene) => {
        decided.push(name);
        return decide(name, scene);
      },
    },
  };
  const ports = { ...world.ports, protocols: new Map([["rollcall" as const, protocol]]) };
  const reconcile = createRegistrations(ports, {
    onProposal: (proposal) => void proposals.push(proposal),
    holdMember: (workspace, name) => {
      held.push(`hold ${workspace}/${name}`);
      return () => void held.push(`release ${workspace}/${name}`);
    },
  });
  let seconds = 0;
  return {
    ...world,
    ports,
    decided,
    proposals,
    held,
    ask: async (name: string, tokenName?: string, metadata: object = {}, askedAtMs?: number) => {
      world.setNow(askedAtMs ?? startMs + 1000 * seconds++);
      await world.put({
        apiVersion: "rollcall.dev/v1alpha1",
        kind: "ClusterRegistration",
        metadata: { namespace: "fleet", name, ...metadata },
        spec: tokenName === undefined ? {} : { tokenName },
      });
    },
    declareToken: (name: string, manager = "rollcall-git") =>
      world.put(
        {
          apiVersion: "rollcall.dev/v1alpha1",
          kind: "ClusterRegistrationToken",
          metadata: { namespace: "fleet", name, labels: { "rollcall.dev/repository": "rollcall.fleet" } },
          spec: {},
        },
        manager,
      ),
    reconcile: (signal = world.signal) => {
      decided.length = 0;
      world.requests.length = 0;
      return reconcile("fleet", signal);
    },
    statusOf: (name: string) => world.ports.view.get(refOf(name))?.["status"],
  };
}
