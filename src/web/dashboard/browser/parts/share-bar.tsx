import type { JSX } from "preact";
import type { ClusterState, FleetCounts } from "../../../../model/generated/page-api.ts";
import { termText } from "../../../../model/filter/edit-filter.ts";
import { clustersPath } from "../data/routes.ts";
import { State, wordOf } from "./state.tsx";

const states: readonly ClusterState[] = ["ready", "notReady", "unknown", "leaving"];

/** How the fleet divides by state: a bar, and the numbers, each leading to those clusters. */
export function ShareBar({ counts }: { readonly counts: FleetCounts }): JSX.Element {
  const shown = states.filter((state) => counts[state] > 0 || state === "ready");
  return (
    <div class="share">
      <div class="bar" aria-hidden="true">
        {shown.map((state) => (
          <span key={state} class={`fill ${state}`} style={{ flexGrow: counts[state] }} />
        ))}
      </div>
      <ul>
        {shown.map((state) => (
          <li key={state}>
            <a href={clustersPath(termText("state", state))}>
              <strong>{counts[state].toLocaleString("en")}</strong>
              <State of={state} />
              <span aria-hidden="true">{wordOf(state)}</span>
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
