import { smallestOf } from "../../../core/extremes.ts";
import type { HubPorts } from "../../hub-ports.ts";
import type { MemberScope, PhaseResult } from "../member-scope.ts";
import { done } from "../member-scope.ts";
import { namespaceEnding } from "./install-agent.ts";

/** An installation that failed is tried again after this, unless its kubeconfig changes before. */
const installRetryMs = 30_000;
const namespaceRetryMs = 2_000;

/** Ends the pass: requeues the member for the next try of its installation, or for the next moment that changes its state. */
export function schedule(
  scope: MemberScope,
  { clock, childFights }: Pick<HubPorts, "clock" | "childFights">,
): PhaseResult {
  const { install, protocol, hub, member, rejoinDueAtMs, key, startedAtMs } = scope;
  const fightInMs = childFights.nextInMs(key);
  if (install === namespaceEnding) return done(Math.min(namespaceRetryMs, fightInMs ?? Infinity));
  if (install !== undefined && install.kind !== "installed")
    return done(Math.min(installRetryMs, fightInMs ?? Infinity));
  // A moment that came during the pass is due: what it changes may have been decided before it.
  const dueAtMs = protocol.dueAtMs({ kind: "member", member }, { ...hub, nowMs: startedAtMs });
  const fightAtMs = fightInMs === undefined ? undefined : clock.nowMs() + fightInMs;
  const moments = [dueAtMs, rejoinDueAtMs, fightAtMs].filter((moment) => moment !== undefined);
  return done(moments.length === 0 ? undefined : Math.max(0, smallestOf(moments) - clock.nowMs()));
}
