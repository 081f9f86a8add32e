import type { JoinProtocol, OffboardingStep } from "../../join/join.ts";
import type { ProtocolName } from "../../model/generated/protocol.ts";
import { successorOf } from "../members/successor.ts";
import { readReportedFacts } from "../reported-facts.ts";

/** What the protocols were asked to do. */
export interface RehearsalNotes {
  readonly steps: string[];
  readonly credentials: { purpose: string; reason: string }[];
}

/**
 * The same protocols, whose agents answer at once, and that record what they do. An agent whose cluster is renamed works
 * under the new name as soon as it has a credential there.
 */
export function rehearsedProtocols(
  protocols: ReadonlyMap<ProtocolName, JoinProtocol>,
  seen: RehearsalNotes,
): ReadonlyMap<ProtocolName, JoinProtocol> {
  return new Map([...protocols].map(([name, protocol]) => [name, rehearsed(protocol, seen)]));
}

function rehearsed(protocol: JoinProtocol, seen: RehearsalNotes): JoinProtocol {
  return {
    ...protocol,
    factsOf: (member, hub) => {
      const facts = readReportedFacts(protocol, member, hub);
      const { movedFrom, credential } = member.state ?? {};
      return movedFrom === undefined || credential === undefined ? facts : { ...facts, hasJoined: true };
    },
    offboardingSteps: (member, hub) => {
      const steps = protocol.offboardingSteps(member, hub);
      // A renamed cluster does not leave: only objects of its old name are deleted.
      if (successorOf(member) !== undefined) return steps.map(answered);
      for (const step of steps.map(describeStep)) if (!seen.steps.includes(step)) seen.steps.push(step);
      return steps.map(answered);
    },
    deliver: (subject, credential, hub, entropy) => {
      const { purpose, reason } = credential.due;
      seen.credentials.push({ purpose, reason });
      return protocol.deliver(subject, credential, hub, entropy);
    },
  };
}

function answered(step: OffboardingStep): OffboardingStep {
  switch (step.kind) {
    case "ask-agent":
    case "notify-agent":
    case "remove-placed":
      return { ...step, isDone: true };
    case "wait":
      return { ...step, untilMs: 0 };
    case "delete":
    case "uninstall":
    case "release":
      return step;
  }
}

function describeStep(step: OffboardingStep): string {
  switch (step.kind) {
    case "delete":
      return step.purpose === "revoke" ? "revoke credentials" : `delete objects (${step.purpose})`;
    case "uninstall":
      return "uninstall the agent by the kubeconfig";
    case "ask-agent":
      return "ask the agent to uninstall itself";
    case "notify-agent":
      return "notify the agent that its cluster leaves";
    case "remove-placed":
      return "remove what was placed on it";
    case "release":
      return "remove finalizers";
    case "wait":
      return "wait until no agent sees it";
  }
}
