import type { RegistrationDecision, RegistrationKind, RegistrationScene } from "../join/join.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import type { TokenSubject } from "../model/member.ts";
import { isFromGit, isMadeByHand } from "../planning/edits-by-hand.ts";
import type { MemberIndex } from "../planning/member-index.ts";
import type { HubPorts } from "./hub-ports.ts";

type DecisionPorts = Pick<HubPorts, "view" | "hubFacts">;

/** The decision on a request to join, from what the view shows; nothing is written. */
export function decideRegistration(
  ports: DecisionPorts,
  kind: RegistrationKind,
  { registration, members }: { readonly registration: KubeObject; readonly members: MemberIndex },
): RegistrationDecision {
  const decision = kind.decide(registration, sceneOf(ports, kind, registration, members), ports.hubFacts());
  // A Cluster that no file declares admits no agent, and keeps its name.
  const claimed = decision.kind === "granted" ? members.named(decision.clusterName) : undefined;
  return claimed !== undefined && isMadeByHand(claimed) ? { kind: "none" } : decision;
}

/** The name of the token that the sender of a request holds. */
export function provenTokenOf(
  ports: DecisionPorts,
  kind: RegistrationKind,
  registration: KubeObject,
): string | undefined {
  const isProven = kind.isProven(registration, sceneOf(ports, kind, registration), ports.hubFacts());
  return isProven ? kind.tokenNameOf(registration) : undefined;
}

/** What decides on a request. Default: the members that the view shows. */
function sceneOf(
  ports: Pick<HubPorts, "view">,
  kind: RegistrationKind,
  registration: KubeObject,
  members?: MemberIndex,
): RegistrationScene {
  const { view } = ports;
  const workspace = kind.workspaceOf(registration);
  const token = registrationTokenOf(ports, kind, registration);
  return {
    ...(token ? { token } : {}),
    members: members ?? view.membersOf(workspace),
    tokens: () => view.tokensOf(workspace).filter((subject) => isFromGit(subject.token)),
    unowned: (type) => view.unownedOf(type, workspace),
  };
}

/** The token that a request names, if a file declares it. */
export function registrationTokenOf(
  ports: Pick<HubPorts, "view">,
  kind: RegistrationKind,
  registration: KubeObject,
): TokenSubject | undefined {
  const tokenName = kind.tokenNameOf(registration);
  if (tokenName === undefined) return undefined;
  const subject = ports.view.tokenOf(kind.workspaceOf(registration), tokenName);
  return subject !== undefined && isFromGit(subject.token) ? subject : undefined;
}
