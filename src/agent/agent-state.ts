import type { NodeSummary } from "../join/rollcall/downstream/cluster-facts.ts";
import type { ClusterReportSpec } from "../model/generated/cluster-report.ts";

/** The state behind the probes, and the end of the process's work. */
export interface AgentState {
  /** The agent has reported with a working credential (or, without leadership, could have). */
  hasReported: boolean;
  /** The agent removes itself: the end of the process is part of that, and must not stop it half-way. */
  isLeaving: boolean;
  /** Of the report that was seen last. */
  reportUid: string | undefined;
  /** The content of that report. A hub that was restored from an older copy has lost what was written since the copy. */
  shown: ClusterReportSpec | undefined;
  /** Uid of the report that was written. Another report is empty: all fields are written again. */
  sentUid: string | undefined;
  /** Of the credential for whose successor the hub was asked, also by an earlier process, without an answer so far. */
  unanswered: number | undefined;
  /** Ends the wait for the next report. */
  reportNow: () => void;
  /** It was admitted by this process as the first agent of its cluster: its report is still empty. */
  isFirstJoin: boolean;
  /** The change of the own Deployment that this process watches, and the monotonic time at which it began. */
  watchedRollout: { readonly digest: string; readonly startedAtMs: number; readonly beganMs: number } | undefined;
  /** Of the nodes, as they were listed last; they are not listed again before that time. */
  nodes: { readonly summary: NodeSummary; readonly untilMs: number } | undefined;
}

export function createAgentState(): AgentState {
  return {
    hasReported: false,
    isLeaving: false,
    reportUid: undefined,
    shown: undefined,
    sentUid: undefined,
    unanswered: undefined,
    reportNow: () => undefined,
    isFirstJoin: false,
    watchedRollout: undefined,
    nodes: undefined,
  };
}

/** Both are known, and not the same. */
export function isOther(uid: string | undefined, seen: string | undefined): boolean {
  return uid !== undefined && seen !== undefined && uid !== seen;
}
