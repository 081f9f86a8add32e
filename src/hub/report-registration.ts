import { textAt } from "../core/read-json.ts";
import type { RegistrationDecision, RegistrationKind } from "../join/join.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { registrationTokenOf } from "./decide-registration.ts";
import type { HubPorts } from "./hub-ports.ts";
import type { HubWriter } from "./hub-writer.ts";

type Refusal = Extract<RegistrationDecision, { kind: "refused" }>;

/** A decision that admits no agent, and the request that it answers. */
export interface Reported<Answer = Extract<RegistrationDecision, { kind: "refused" | "proposal" }>> {
  readonly registration: KubeObject;
  readonly decision: Answer;
}

/** Writes the decision to its request; true when a new refusal was reported. */
export async function reportRegistration(
  ports: Pick<HubPorts, "view" | "log" | "events">,
  kind: RegistrationKind,
  { registration, decision }: Reported,
  write: HubWriter,
): Promise<boolean> {
  const isNew = await write.applyStatus(decision.write);
  if (decision.kind === "proposal" || !isNew) return false;
  recordRefusal(ports, kind, { registration, decision });
  ports.log.warn("registration refused", {
    registration: `${kind.workspaceOf(registration)}/${registration.metadata.name}`,
    reason: decision.reason,
    message: messageOf(decision),
  });
  return true;
}

function messageOf({ message, write }: Refusal): string {
  return message ?? textAt(write.status, "message") ?? "The registration was refused.";
}

/** An object without namespace can have no Event in ours: then the Event is recorded on the token. */
function recordRefusal(
  ports: Pick<HubPorts, "view" | "events">,
  kind: RegistrationKind,
  { registration, decision }: Reported<Refusal>,
): void {
  const isPlaced = registration.metadata.namespace !== undefined;
  const regarding = isPlaced ? registration : registrationTokenOf(ports, kind, registration)?.token;
  if (regarding === undefined) return;
  const result = messageOf(decision);
  const message = isPlaced ? result : `${registration.metadata.name}: ${result}`;
  ports.events.record({ regarding, type: "Warning", reason: decision.reason, message });
}
