import type { JSX } from "preact";
import type { ClusterRow, ClusterState, Verdict } from "../../../../model/generated/page-api.ts";

const words: Readonly<Record<ClusterState, string>> = {
  ready: "Ready",
  notReady: "Not ready",
  unknown: "Unknown",
  leaving: "Leaving",
};

/** Shapes differ as colours do, for readers who cannot distinguish red from green. */
const shapes: Readonly<Record<ClusterState, string>> = {
  ready: "M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zm-1 9.6L4.3 8.4l1.1-1.1L7 8.9l3.6-3.6 1.1 1.1z",
  notReady: "M8 1 15.5 14.5H.5zm-.8 4.8.2 4.4h1.2l.2-4.4zm.8 5.3a.9.9 0 1 0 0 1.8.9.9 0 0 0 0-1.8z",
  unknown:
    "M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zm0 1.7a4.8 4.8 0 1 1 0 9.6 4.8 4.8 0 0 1 0-9.6zM5 7.1h6v1.8H5z",
  leaving: "M2 2h6v1.5H3.5v9H8V14H2zm8.2 2.2L14 8l-3.8 3.8-1.1-1 2-2H6V7.2h5.1l-2-2z",
};

/** A state as a sign, with its text for screen readers and, if wished, for those who see it. */
export function State({
  of,
  hasWord = false,
  word = words[of],
}: {
  readonly of: ClusterState;
  readonly hasWord?: boolean;
  readonly word?: string;
}): JSX.Element {
  return (
    <span class={`state ${of}`}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true" fill="currentColor">
        <path fill-rule="evenodd" d={shapes[of]} />
      </svg>
      <span class={hasWord ? "" : "unseen"}>{word}</span>
    </span>
  );
}

/** The state of a cluster as text, as in docs/cluster-states.md. */
export function wordOfRow({ state, phase }: Pick<ClusterRow, "state" | "phase">): string {
  return phase?.replace(",", ", ") ?? words[state];
}

/** The state that a condition would be drawn as. */
export function stateOfCondition(status: Verdict, isGood: boolean | undefined): ClusterState {
  if (status === "Unknown") return "unknown";
  return isGood === true ? "ready" : "notReady";
}
