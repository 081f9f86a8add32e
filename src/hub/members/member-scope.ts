import type { JoinProtocol } from "../../join/join.ts";
import type { ClusterName } from "../../model/member-state.ts";
import type { HubFacts, Member } from "../../model/member.ts";
import type { InstallState } from "../../planning/cluster-status-inputs.ts";
import type { HubPorts } from "../hub-ports.ts";
import type { HubView } from "../hub-view.ts";
import type { HubWriter, WriterPorts } from "../hub-writer.ts";
import { createHubWriter } from "../hub-writer.ts";
import type { PendingAdmissions } from "../pending-admissions.ts";
import type { CallAside } from "./call-downstream.ts";

/** The ports of the hub, the pending admissions that the status of other members waits for, and a way to call other clusters. */
export interface MemberPorts extends HubPorts {
  readonly pendingAdmissions: Pick<PendingAdmissions, "holdBackMs">;
  readonly callAside: CallAside;
}

/** One pass over one member. Its phases share this value and nothing else. */
export interface MemberScope extends ClusterName {
  /** `workspace/name`. */
  readonly key: string;
  readonly protocol: JoinProtocol;
  readonly signal: AbortSignal;
  /** Writes to the hub. */
  readonly write: HubWriter;
  /** The member and the facts of the hub, read once; the first use after a write of this pass reads them again. */
  readonly member: Member;
  readonly hub: HubFacts;
  /** The time of the facts that were read first (epoch ms): nothing was decided for an earlier one. */
  readonly startedAtMs: number;
  /** Reads them again: for use after a long call to another system. */
  readAgain(): Member;
  /** decideRejoin: when (epoch ms) its result changes although nothing happens. */
  rejoinDueAtMs: number | undefined;
  /** installAgent: undefined where the hub installs nothing. */
  install: InstallState | undefined;
}

/** How a pass proceeds: with the next phase, or not at all until `requeueAfterMs`. Undefined: until an event. */
export type PhaseResult =
  | { readonly kind: "next" }
  | { readonly kind: "done"; readonly requeueAfterMs: number | undefined };

/** Brings one aspect of a member to its desired state. It may be repeated at any time. */
export type MemberPhase = (scope: MemberScope, ports: MemberPorts) => Promise<PhaseResult> | PhaseResult;

export const next: PhaseResult = { kind: "next" };

export function done(requeueAfterMs?: number): PhaseResult {
  return { kind: "done", requeueAfterMs };
}

/** The scope of a pass over a member that was just read. */
export function openMemberScope(
  ports: Pick<HubPorts, "hubApi" | "log" | "hubFacts"> & {
    readonly view: WriterPorts["view"] & Pick<HubView, "memberOf">;
  },
  { member: first, protocol }: { readonly member: Member; readonly protocol: JoinProtocol },
  signal: AbortSignal,
): MemberScope {
  const { view } = ports;
  const { workspace, name } = first;
  let last = first;
  let member: Member | undefined = first;
  let hub: HubFacts | undefined;
  const forget = (): void => {
    member = undefined;
    hub = undefined;
  };
  let startedAtMs: number | undefined;
  const readHub = (): HubFacts => {
    hub ??= ports.hubFacts();
    startedAtMs ??= hub.nowMs;
    return hub;
  };
  const readMember = (): Member => {
    // A member that is deleted meanwhile stays as it was last seen: its writes fail by their preconditions.
    last = member ??= view.memberOf(workspace, name) ?? last;
    return last;
  };
  const reportingView: WriterPorts["view"] = {
    get: (ref) => view.get(ref),
    listsAll: (ref) => view.listsAll(ref),
    memberStateOf: (inWorkspace, of) => view.memberStateOf(inWorkspace, of),
    recordWritten: (type, object) => {
      view.recordWritten(type, object);
      forget();
    },
    recordDeleted: (ref) => {
      view.recordDeleted(ref);
      forget();
    },
  };
  return {
    workspace,
    name,
    key: `${workspace}/${name}`,
    protocol,
    signal,
    write: createHubWriter({ ...ports, view: reportingView }, signal),
    get member() {
      return readMember();
    },
    get hub() {
      return readHub();
    },
    get startedAtMs() {
      return startedAtMs ?? readHub().nowMs;
    },
    readAgain: () => {
      forget();
      return readMember();
    },
    rejoinDueAtMs: undefined,
    install: undefined,
  };
}
