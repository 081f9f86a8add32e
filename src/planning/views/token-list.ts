import { compact } from "../../core/compact.ts";
import { objectAt, textAt } from "../../core/read-json.ts";
import { compareNames } from "../../core/compare-names.ts";
import { compareText } from "../../core/compare-text.ts";
import type { ClusterRegistrationToken } from "../../model/generated/cluster-registration-token.ts";
import type { RegistrationRow, TokenList, TokenRow } from "../../model/generated/page-api.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { findCondition } from "../conditions.ts";
import type { ForgeLinks } from "./forge-links.ts";
import { sourceView } from "./source-view.ts";

const mostRegistrations = 500;

/** Tokens, those that end first before the others, and requests to join, those that wait before the others. */
export function tokenList(
  tokens: readonly ClusterRegistrationToken[],
  registrations: readonly KubeObject[],
  links: ForgeLinks,
): TokenList {
  const rows = registrations.map((registration) => registrationRow(registration, links));
  return {
    tokens: tokens.map((token) => tokenRow(token, links)).sort(byEnd),
    registrations: rows.sort(byUrgency).slice(0, mostRegistrations),
  };
}

function tokenRow({ metadata, spec, status }: ClusterRegistrationToken, links: ForgeLinks): TokenRow {
  const ready = findCondition(status?.conditions, "Ready");
  const maximum = spec?.maxRegistrations ?? 0;
  return compact({
    workspace: metadata.namespace ?? "",
    name: metadata.name,
    protocol: spec?.protocol ?? "rollcall",
    state: ready?.status ?? "Unknown",
    reason: ready?.reason ?? "NotSeenYet",
    message: ready?.message ?? "The daemon has not reconciled it yet.",
    expires: status?.expires,
    credentialExpires: status?.credentialExpires,
    uses: status?.uses ?? 0,
    maximumUses: maximum > 0 ? maximum : undefined,
    approval: spec?.approval ?? "Automatic",
    clusterNames: (spec?.clusterNames ?? []).slice(0, 100),
    labels: { ...spec?.clusterLabels },
    lastUses: (status?.lastUses ?? []).map(({ cluster, time }) => ({ cluster, time })),
    source: sourceView(status?.source, links),
  });
}

/** A request to join, of any protocol: the shapes are read as far as they agree. */
function registrationRow(registration: KubeObject, links: ForgeLinks): RegistrationRow {
  const { metadata } = registration;
  const status = objectAt(registration, "status");
  const workspace = metadata.namespace ?? "";
  const token = textAt(registration, "spec", "tokenName");
  const decision = decisionOf(textAt(status, "decision"), status?.["granted"] === true);
  const isOffered = decision === "Proposed" && token !== undefined;
  return compact({
    workspace,
    name: metadata.name,
    token,
    cluster: textAt(status, "clusterName") ?? textAt(registration, "spec", "clusterName"),
    decision,
    reason: textAt(status, "reason"),
    message: textAt(status, "message"),
    time: metadata.creationTimestamp,
    link: isOffered ? links.pullRequest(`rollcall/join/${workspace}/${token}`) : undefined,
  });
}

function decisionOf(decision: string | undefined, isGranted: boolean): RegistrationRow["decision"] {
  if (isGranted || decision === "Granted") return "Granted";
  if (decision === "Refused" || decision === "Proposed") return decision;
  return "Waiting";
}

function isWaiting({ decision }: RegistrationRow): boolean {
  return decision === "Proposed" || decision === "Waiting";
}

function byEnd(a: TokenRow, b: TokenRow): number {
  return (
    compareText(a.expires ?? "~", b.expires ?? "~") ||
    compareNames(a.workspace, b.workspace) ||
    compareNames(a.name, b.name)
  );
}

function byUrgency(a: RegistrationRow, b: RegistrationRow): number {
  return Number(isWaiting(b)) - Number(isWaiting(a)) || compareText(b.time ?? "", a.time ?? "");
}
