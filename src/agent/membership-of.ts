import { AppError } from "../core/errors.ts";
import type { Membership } from "../join/rollcall/downstream/agent-identity.ts";
import type { ObjectRef } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import type { AgentContext } from "./agent-context.ts";

/** The membership of an agent that has joined. */
export function membershipOf({ secrets }: AgentContext): Membership {
  const membership = secrets.identity?.membership;
  if (membership === undefined) throw new AppError("E_BUG", "this agent has not joined yet");
  return membership;
}

/** The report that this agent writes, under its current name. */
export function reportRefOf(context: AgentContext): ObjectRef & { readonly namespace: string } {
  const namespace = context.secrets.identity?.workspace ?? "";
  return { type: resourceTypes.clusterReport, namespace, name: membershipOf(context).clusterName };
}
