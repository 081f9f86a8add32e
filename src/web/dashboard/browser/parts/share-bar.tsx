import type { JSX } from "preact";
import type { StateCount } from "../../../../model/generated/page-api.ts";
import { termText } from "../../../../model/filter/edit-filter.ts";
import { clustersPath } from "../data/routes.ts";
import { State } from "./state.tsx";

/** How the fleet divides by state: a bar, and the numbers, each leading to those clusters unless they are of the past. */
export function ShareBar(props: { readonly states: readonly StateCount[]; readonly isPast?: boolean }): JSX.Element {
  const { states, isPast = false } = props;
  return (
    <div class="share">
      <div class="bar" aria-hidden="true">
        {states.map(({ phase, state, count }) => (
          <span key={phase} class={`fill ${state}`} style={{ flexGrow: count }} />
        ))}
      </div>
      <ul>
        {states.map(({ phase, state, count }) => {
          const content = (
            <>
              <strong>{count.toLocaleString("en")}</strong>
              <State of={state} hasWord word={phase} />
            </>
          );
          return (
            <li key={phase}>{isPast ? content : <a href={clustersPath(termText("state", phase))}>{content}</a>}</li>
          );
        })}
      </ul>
    </div>
  );
}
