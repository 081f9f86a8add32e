import { importTokenName } from "../../../model/dialects/fleet.ts";
import type { HubFacts, Member, TokenSubject } from "../../../model/member.ts";
import { isGlob, matchesGlob } from "../../../core/name-glob.ts";
import { isTokenClosed, isUsedUp, tokenUses } from "../../../planning/token-life.ts";
import type { RegistrationScene } from "../../join.ts";
import { isHubInitiated } from "../../member-state.ts";
import type { ExplainedRefusal, FleetRequest } from "./registration-request.ts";
import { isImportOpen } from "./import-state.ts";
import { tokenAccountOf } from "./desired-token-objects.ts";

/** Characters of an account's name that are not of a digest. */
const accountStart = 56;
/** From this length on less than the first eight characters of a uid are left. */
const shortestAmbiguous = 48;

/** The rule by which a Fleet agent is admitted. */
export interface AdmissionRule {
  /** A token; the token that the hub made for one cluster; or what applies to an agent that does not name its token. */
  readonly kind: "token" | "import" | "unnamed";
  readonly tokenName: string;
  readonly nextUse: number;
  /** The account that may read the answer; empty for one that is not named. */
  readonly account: string;
  /** The names that the rule writes out: these may be admitted again. */
  readonly isNamed: (clusterName: string) => boolean;
  readonly mayCreate: (clusterName: string) => boolean;
  readonly onlyName: string | undefined;
  readonly isUsedUp: boolean;
  readonly needsApproval: boolean;
  readonly agentLabels: readonly string[] | undefined;
  readonly clusterLabels: Readonly<Record<string, string>>;
}

/** Finds the rule that a request names, or returns the reason why there is none. */
export function findAdmissionRule(
  request: FleetRequest,
  scene: RegistrationScene,
  hub: HubFacts,
): AdmissionRule | ExplainedRefusal {
  if (request.tokenName === undefined) return ruleOfUnnamed(scene, hub);
  const { token } = scene;
  const named = scene.members.find(importTokenNameOf, request.tokenName);
  const [member, other] = named.filter(isInstalled);
  if (token !== undefined && token.name === request.tokenName) {
    if ((token.token.spec?.protocol ?? "rollcall") !== "fleet") return "UnknownToken";
    // The account by which the hub installs that member's agent asks under the same name.
    if (member !== undefined) return "TokenNameReserved";
    if (isTokenClosed(token, hub)) return "TokenClosed";
    return isAmbiguous(token, scene) ? "TokenAmbiguous" : ruleOfToken(token, scene);
  }
  if (named.length === 0) return "UnknownToken";
  if (other !== undefined) return "TokenAmbiguous";
  return member !== undefined && isImportOpen(member, hub) ? ruleOfImport(member) : "TokenClosed";
}

/** Fleet's agent of this member is installed by the hub. The name of another one may be shortened to the same text. */
function isInstalled(member: Member): boolean {
  return isHubInitiated(member) && (member.cluster.spec?.protocol ?? "rollcall") === "fleet";
}

/**
 * Accounts are named after the first 56 characters of a token's name and a uid: of a name as long as this one so little of
 * the uid is left that the admission policy cannot distinguish its account from that of another token which begins alike.
 */
function isAmbiguous({ name }: TokenSubject, scene: RegistrationScene): boolean {
  if (name.length < shortestAmbiguous) return false;
  const start = name.slice(0, accountStart);
  return scene.tokens().some((other) => other.name !== name && tokenAccountOf(other)?.startsWith(start) === true);
}

function importTokenNameOf({ name }: Member): string {
  return importTokenName(name);
}

/** The token that the hub made for this cluster alone. */
function ruleOfImport(member: Member): AdmissionRule {
  const tokenName = importTokenName(member.name);
  const isMember = (name: string): boolean => name === member.name;
  return {
    ...closedRule,
    kind: "import",
    tokenName,
    account: tokenName,
    isNamed: isMember,
    mayCreate: isMember,
    onlyName: member.name,
  };
}

function ruleOfToken(subject: TokenSubject, { members }: RegistrationScene): AdmissionRule {
  const { clusterNames, clusterLabels = {}, agentLabels, approval } = subject.token.spec ?? {};
  const uses = tokenUses(subject, members);
  const [first, ...others] = clusterNames ?? [];
  return {
    kind: "token",
    tokenName: subject.name,
    nextUse: uses + 1,
    account: tokenAccountOf(subject) ?? "",
    isNamed: (name) => (clusterNames ?? []).includes(name),
    mayCreate: (name) => clusterNames === undefined || clusterNames.some((pattern) => matchesGlob(pattern, name)),
    onlyName: first !== undefined && others.length === 0 && !isGlob(first) ? first : undefined,
    isUsedUp: isUsedUp(subject, uses),
    needsApproval: approval === "PullRequest",
    agentLabels,
    clusterLabels,
  };
}

/**
 * An agent that does not name its token may do what every open token of the workspace allows, and never be
 * admitted again. It could not ask at all without the account of one of them. Where a token counts its registrations, such
 * a request is refused: none would count it.
 */
function ruleOfUnnamed(scene: RegistrationScene, hub: HubFacts): AdmissionRule | ExplainedRefusal {
  const open = openTokens(scene, hub);
  if (open.length === 0) return "UnknownToken";
  if (open.some(isCounting)) return "TokenNotNamed";
  const rules = open.map((token) => ruleOfToken(token, scene));
  return {
    ...closedRule,
    kind: "unnamed",
    mayCreate: (name) => rules.every((rule) => rule.mayCreate(name)),
    needsApproval: rules.some((rule) => rule.needsApproval),
    agentLabels: rules.some((rule) => rule.agentLabels !== undefined) ? [] : undefined,
  };
}

function openTokens(scene: RegistrationScene, hub: HubFacts): readonly TokenSubject[] {
  return scene.tokens().filter((token) => token.token.spec?.protocol === "fleet" && !isTokenClosed(token, hub));
}

function isCounting({ token }: TokenSubject): boolean {
  return token.spec?.maxRegistrations !== undefined;
}

const closedRule: AdmissionRule = {
  kind: "unnamed",
  tokenName: "",
  nextUse: 0,
  account: "",
  isNamed: () => false,
  mayCreate: () => false,
  onlyName: undefined,
  isUsedUp: false,
  needsApproval: false,
  agentLabels: undefined,
  clusterLabels: {},
};
