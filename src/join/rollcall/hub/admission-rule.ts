import { isGlob, matchesGlob } from "../../../core/name-glob.ts";
import { bootstrapSecretName, clusterOfInternalToken } from "../../../model/dialects/rollcall.ts";
import type { HubFacts, Member, TokenSubject } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import type { MemberIndex } from "../../../planning/member-index.ts";
import { isTokenClosed, isUsedUp, tokenUses } from "../../../planning/token-life.ts";
import type { RegistrationScene } from "../../join.ts";
import { childOf } from "./member-facts.ts";
import type { RefusalReason } from "./refusals.ts";
import { proofKeyOf, valuesSecretOf } from "./token-values.ts";

/** The rule that admits an agent: of a ClusterRegistrationToken, or of a token made for one cluster alone. */
export interface AdmissionRule {
  readonly kind: "token" | "internal";
  readonly proofKey: Uint8Array;
  /** The names that the rule writes out: these may be claimed. */
  readonly isNamed: (clusterName: string) => boolean;
  readonly mayCreate: (clusterName: string) => boolean;
  readonly needsApproval: boolean;
  readonly agentLabels: readonly string[];
  readonly clusterLabels: Readonly<Record<string, string>>;
  /** The only name this rule can mean, when there is one. */
  readonly onlyName: string | undefined;
  readonly isUsedUp: boolean;
  /** What the member remembers of it. */
  readonly mark: { readonly token: string; readonly tokenUse: number } | { readonly bootstrap: number };
}

export type RuleFinding =
  | { readonly kind: "rule"; readonly rule: AdmissionRule }
  | { readonly kind: "refusal"; readonly reason: RefusalReason }
  /** The token is there, its proofKey is not yet. */
  | { readonly kind: "wait" };

/** Finds the rule that a registration names. It applies only if the proof fits its key. */
export function findAdmissionRule(tokenName: string, scene: RegistrationScene, hub: HubFacts): RuleFinding {
  const cluster = clusterOfInternalToken(tokenName);
  if (cluster !== undefined) return internalRule(scene.members.named(cluster));
  const { token: subject } = scene;
  if (subject?.name !== tokenName) return { kind: "refusal", reason: "UnknownToken" };
  if (isTokenClosed(subject, hub)) return { kind: "refusal", reason: "TokenClosed" };
  const proofKey = proofKeyOf(valuesSecretOf(subject));
  if (proofKey === undefined) return { kind: "wait" };
  return { kind: "rule", rule: ruleOfToken(subject, proofKey, scene.members) };
}

function ruleOfToken(subject: TokenSubject, proofKey: Uint8Array, members: MemberIndex): AdmissionRule {
  const { clusterNames, clusterLabels = {}, agentLabels = [], approval } = subject.token.spec ?? {};
  const uses = tokenUses(subject, members);
  const [onlyName, ...others] = clusterNames ?? [];
  return {
    kind: "token",
    proofKey,
    isNamed: (name) => (clusterNames ?? []).includes(name),
    mayCreate: (name) => clusterNames === undefined || clusterNames.some((pattern) => matchesGlob(pattern, name)),
    needsApproval: approval === "PullRequest",
    agentLabels,
    clusterLabels,
    onlyName: onlyName !== undefined && others.length === 0 && !isGlob(onlyName) ? onlyName : undefined,
    isUsedUp: isUsedUp(subject, uses),
    mark: { token: subject.name, tokenUse: uses + 1 },
  };
}

function internalRule(member: Member | undefined): RuleFinding {
  const number = member?.state?.bootstrap?.number;
  if (member === undefined || number === undefined) return { kind: "refusal", reason: "UnknownToken" };
  const proofKey = proofKeyOf(childOf(member, resourceTypes.secret, bootstrapSecretName(member.name, number)));
  if (proofKey === undefined) return { kind: "refusal", reason: "TokenClosed" };
  const isMember = (name: string) => name === member.name;
  return {
    kind: "rule",
    rule: {
      kind: "internal",
      proofKey,
      isNamed: isMember,
      mayCreate: () => false,
      needsApproval: false,
      agentLabels: [],
      clusterLabels: {},
      onlyName: member.name,
      isUsedUp: member.state?.join?.bootstrap === number,
      mark: { bootstrap: number },
    },
  };
}
