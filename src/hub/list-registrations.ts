import type { RegistrationKind } from "../join/join.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { provenTokenOf } from "./decide-registration.ts";
import type { HubPorts } from "./hub-ports.ts";

/** The requests to join a workspace. Those that are being deleted too: they wait for their finalizers. */
export function allRegistrations(view: HubPorts["view"], kind: RegistrationKind, workspace: string): KubeObject[] {
  return view.list(kind.type).filter((object) => kind.workspaceOf(object) === workspace);
}

/** The same without those that are being deleted. */
export function liveRegistrations(view: HubPorts["view"], kind: RegistrationKind, workspace: string): KubeObject[] {
  return allRegistrations(view, kind, workspace).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

/**
 * The oldest of each token, then the second of each, and so on: a flood by one token delays those of another by only
 * one request. All requests that name no token, or one that the sender does not hold, count as one token.
 */
export function inTurn(
  ports: Pick<HubPorts, "view" | "hubFacts">,
  kind: RegistrationKind,
  oldestFirst: readonly KubeObject[],
): KubeObject[] {
  const counts = new Map<string, number>();
  const turns = oldestFirst.map((registration) => {
    const token = provenTokenOf(ports, kind, registration) ?? "";
    const turn = counts.get(token) ?? 0;
    counts.set(token, turn + 1);
    return { registration, turn };
  });
  return turns.sort((a, b) => a.turn - b.turn).map(({ registration }) => registration);
}

/** Oldest first. */
export function compareAge(a: KubeObject, b: KubeObject): number {
  const [left = "", right = ""] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  return left < right ? -1 : left > right ? 1 : a.metadata.name < b.metadata.name ? -1 : 1;
}
