/** The state behind the probes, and the end of the process's work. */
export interface AgentState {
  /** The agent has reported with a working credential (or, without leadership, could have). */
  hasReported: boolean;
  /** The agent removes itself: the end of the process is part of that, and must not stop it half-way. */
  isLeaving: boolean;
  /** Of the report that was seen last. */
  reportUid: string | undefined;
  /** Uid of the report that was written. Another report is empty: all fields are written again. */
  saidUid: string | undefined;
  /** Ends the wait for the next report. */
  reportNow: () => void;
  /** It was let in by this process as the first agent of its cluster: its report is still empty. */
  isFirstJoin: boolean;
}

export function createAgentState(): AgentState {
  return {
    hasReported: false,
    isLeaving: false,
    reportUid: undefined,
    saidUid: undefined,
    reportNow: () => undefined,
    isFirstJoin: false,
  };
}

/** Both are known, and not the same. */
export function isOther(uid: string | undefined, seen: string | undefined): boolean {
  return uid !== undefined && seen !== undefined && uid !== seen;
}
