import type { HubFacts } from "../../../model/member.ts";
import { isTokenClosed, isUsedUp, tokenUses } from "../../../planning/token-life.ts";
import type { RegistrationScene } from "../../join.ts";
import { isImportOpen } from "./import-state.ts";
import type { ClusternetRefusal, ClusternetRequest } from "./registration-request.ts";

/** The rule by which an agent is admitted. */
export interface AdmissionRule {
  /** A token, or the credential that the hub made for one cluster alone and installed its agent with. */
  readonly kind: "token" | "import";
  readonly tokenName: string;
  readonly nextUse: number;
  readonly isNamed: (clusterName: string) => boolean;
  readonly isUsedUp: boolean;
  readonly needsApproval: boolean;
  readonly agentLabels: readonly string[] | undefined;
  readonly clusterLabels: Readonly<Record<string, string>>;
}

/** Finds the rule that a request names, or returns the reason why there is none. */
export function findAdmissionRule(
  { request, tokenName }: { readonly request: ClusternetRequest; readonly tokenName: string | undefined },
  scene: RegistrationScene,
  hub: HubFacts,
): AdmissionRule | ClusternetRefusal {
  const { clusterName } = request;
  if (tokenName === undefined) return ruleOfImport(clusterName, scene, hub);
  const { token } = scene;
  if (token === undefined || (token.token.spec?.protocol ?? "rollcall") !== "clusternet")
    return { reason: "UnknownToken", message: `there is no token ${tokenName} of protocol clusternet` };
  if (isTokenClosed(token, hub)) return { reason: "TokenClosed", message: `token ${tokenName} has ended` };
  const { clusterNames = [], clusterLabels = {}, agentLabels, approval } = token.token.spec ?? {};
  const uses = tokenUses(token, scene.members);
  return {
    kind: "token",
    tokenName,
    nextUse: uses + 1,
    isNamed: (name) => clusterNames.includes(name),
    isUsedUp: isUsedUp(token, uses),
    needsApproval: approval === "PullRequest",
    agentLabels,
    clusterLabels,
  };
}

function ruleOfImport(
  clusterName: string,
  { members }: RegistrationScene,
  hub: HubFacts,
): AdmissionRule | ClusternetRefusal {
  const member = members.named(clusterName);
  if (member === undefined || !isImportOpen(member, hub))
    return {
      reason: "NoToken",
      message: `it names no token, and the hub has not installed the agent of cluster ${clusterName}: start the agent with the flags of a token`,
    };
  return {
    kind: "import",
    tokenName: "",
    nextUse: 0,
    isNamed: (name) => name === clusterName,
    isUsedUp: false,
    needsApproval: false,
    agentLabels: undefined,
    clusterLabels: {},
  };
}
