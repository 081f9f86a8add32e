import type { JSX } from "preact";
import type { RecordChange } from "../../../../model/generated/page-api.ts";
import { State } from "./state.tsx";

const names: Readonly<Record<RecordChange["kind"], string>> = {
  Added: "Declared",
  Removed: "Removed",
  State: "State",
  Joined: "Joined",
  Credential: "Credential",
  Agent: "Agent",
  Kubernetes: "Kubernetes",
  Labels: "Labels",
  Spec: "Spec",
};

/** What a commit changed in the record of a cluster, a line each. */
export function RecordChanges({ changes }: { readonly changes: readonly RecordChange[] }): JSX.Element {
  return (
    <ul class="record-changes">
      {changes.map(({ kind, message, state, phase }) => (
        <li key={`${kind} ${message}`}>
          {state === undefined ? (
            <span class="tag">{names[kind]}</span>
          ) : (
            <State of={state} {...(phase === undefined ? {} : { word: phase })} />
          )}{" "}
          {message}
        </li>
      ))}
    </ul>
  );
}
