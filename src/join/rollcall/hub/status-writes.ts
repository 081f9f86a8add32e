import { numberAt, objectAt, textAt } from "../../../core/read-json.ts";
import { manifestName } from "../../../model/dialects/rollcall.ts";
import type { ClusterReportStatus, RenewalAnswer, Successor } from "../../../model/generated/cluster-report.ts";
import type { ObjectRef } from "../../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import { annotationKeys, fieldManagers } from "../../../model/well-known.ts";
import type { StatusWrite } from "../../join.ts";
import { signedHubInfo } from "./hub-info.ts";
import { memberManifest, offeredManifest } from "./member-manifest.ts";
import { keptSuccessor } from "./successor.ts";
import { hasConfirmed, isGranted, isHubInitiated, isLeaving, isRevoked, reportOf } from "./member-facts.ts";

/** Smallest skew that is shown. */
const shownSkewSeconds = 60;

/** The status of the member's report, by which the hub answers the agent. None before the report exists. */
export function memberStatusWrites(member: Member, hub: HubFacts): StatusWrite[] {
  if (!isGranted(member) || isRevoked(member) || reportOf(member) === undefined) return [];
  const answer = keptAnswer(member);
  // It was answered, and the answer is not to be seen here (yet): a status without it would take it away unread. An
  // answer that was never written is asked for again.
  if (answer === undefined && isAnswerAwaited(member)) return [];
  const successor = keptSuccessor(member);
  return [{ ref: reportRef(member), status: reportStatus(member, hub, { renewal: answer, successor }) }];
}

/** What the hub answers the agent in its report. */
export interface ReportAnswers {
  readonly renewal?: RenewalAnswer | undefined;
  readonly successor?: Successor | undefined;
}

/** The whole status, with these answers. */
export function reportStatus(
  member: Member,
  hub: HubFacts,
  { renewal, successor }: ReportAnswers = {},
): ClusterReportStatus {
  const skewSeconds = clockSkewSeconds(member);
  const leave = leaveOrder(member, hub);
  return {
    hubInfo: signedHubInfo(hub, member),
    ...shownOffer(member, hub),
    ...(renewal === undefined ? {} : { renewal }),
    ...(leave === undefined ? {} : { leave }),
    ...(successor === undefined ? {} : { successor }),
    ...(skewSeconds === undefined || Math.abs(skewSeconds) <= shownSkewSeconds
      ? {}
      : { clockSkewSeconds: skewSeconds }),
  };
}

/** None while the hub is to install another one than it offers: the agent that it installs would go back to the offer. */
function shownOffer(member: Member, hub: HubFacts): Pick<ClusterReportStatus, "manifest"> {
  if (isLeaving(member) || member.cluster.spec?.paused) return {};
  const { digest } = offeredManifest(member, hub);
  if (member.state?.rejoin === "Redeploy" && digest !== memberManifest(member, hub).digest) return {};
  return { manifest: { configMap: manifestName(member.name), digest } };
}

export function reportRef(member: Member): ObjectRef {
  return { type: resourceTypes.clusterReport, namespace: member.workspace, name: member.name };
}

export function effectiveDeletionPolicy(member: Member): "Uninstall" | "Detach" {
  return member.cluster.spec?.deletionPolicy ?? (isHubInitiated(member) ? "Uninstall" : "Detach");
}

/** The order to remove itself, for an agent that the hub cannot remove. */
function leaveOrder(member: Member, hub: HubFacts): ClusterReportStatus["leave"] {
  const commit = member.cluster.metadata.annotations?.[annotationKeys.leave];
  if (commit === undefined || member.state?.leave?.commit !== commit) return undefined;
  if (effectiveDeletionPolicy(member) !== "Uninstall" || isHubInitiated(member)) return undefined;
  return { commit, policy: "Uninstall", epoch: hub.trust.epoch };
}

/** What the field holds (int32): an API server refuses the whole status for more. */
const longestSkewSeconds = 2 ** 31 - 1;

/**
 * How far the agent's clock is ahead: the time it wrote, against the time at which the API server took that write.
 * Undefined when the report does not contain both.
 */
export function clockSkewSeconds(member: Member): number | undefined {
  const report = reportOf(member);
  const written = Date.parse(textAt(report, "spec", "time") ?? "");
  const entry = report?.metadata.managedFields?.find(
    ({ manager, subresource }) => manager === fieldManagers.agent && subresource === undefined,
  );
  const taken = Date.parse(entry?.time ?? "");
  if (Number.isNaN(written) || Number.isNaN(taken)) return undefined;
  const seconds = Math.round((written - taken) / 1000);
  return Math.max(-longestSkewSeconds, Math.min(longestSkewSeconds, seconds));
}

/**
 * The request in the report is answered, as far as the hub has recorded, and the agent has not reported that it has the
 * answer.
 */
function isAnswerAwaited(member: Member): boolean {
  const asked = numberAt(reportOf(member), "spec", "renewal", "nonce");
  return asked !== undefined && asked === member.state?.answeredNonce && !hasConfirmed(member);
}

/** The answer in the status stays until the agent reports that it has it. */
export function keptAnswer(member: Member): RenewalAnswer | undefined {
  const answer = objectAt(reportOf(member), "status", "renewal");
  const nonce = numberAt(answer, "nonce");
  const number = numberAt(answer, "number");
  const enc = textAt(answer, "sealed", "enc");
  const ciphertext = textAt(answer, "sealed", "ciphertext");
  if (nonce === undefined || number === undefined || enc === undefined || ciphertext === undefined) return undefined;
  if (nonce !== member.state?.answeredNonce || hasConfirmed(member)) return undefined;
  return { nonce, number, sealed: { enc, ciphertext } };
}
