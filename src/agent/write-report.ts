import type { Clock } from "../core/clock.ts";
import type { JsonObject } from "../core/json.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { fieldManagers } from "../model/well-known.ts";
import type { AgentContext } from "./agent-context.ts";
import type { CallOptions } from "./hub-link.ts";
import { reportRefOf } from "./membership-of.ts";

export interface WriteOptions extends CallOptions {
  /** The hub checks it and writes nothing. Default false. */
  readonly isDryRun?: boolean;
}

/**
 * Writes these fields of the agent's report; null removes one. Every write has the time: from the time of its arrival
 * the hub computes the skew of this clock.
 */
export async function writeReport(context: AgentContext, spec: JsonObject, options: WriteOptions): Promise<KubeObject> {
  const { isDryRun = false, signal } = options;
  const ref = reportRefOf(context);
  const patch = { spec: { ...spec, time: reportTime(context.clock) } };
  const writing = { fieldManager: fieldManagers.agent, isDryRun, signal };
  return context.link.call((api) => api.mergePatch(ref, patch, writing), options);
}

/** Now, in whole seconds. */
export function reportTime(clock: Clock): string {
  return new Date(clock.nowMs()).toISOString().replace(/\.\d{3}Z$/u, "Z");
}
