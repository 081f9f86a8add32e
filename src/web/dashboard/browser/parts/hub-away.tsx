import type { JSX } from "preact";
import type { FleetOverview } from "../../../../model/generated/page-api.ts";
import { useAnswer } from "../data/use-live.ts";
import { When } from "./when.tsx";

/** No event of the stream reports that a watch has begun to fail. */
export const hubAwayEveryMs = 15_000;

/** Asks whether the hub is watched, and shows since when it is not: for views whose own answer does not have it. */
export function HubAwayNotice(): JSX.Element | null {
  const options = { parts: ["fleet"], hasRows: false, everyMs: hubAwayEveryMs } as const;
  const { hubAwaySince } = useAnswer<FleetOverview>("fleet", options).value ?? {};
  return hubAwaySince === undefined ? null : <HubAway since={hubAwaySince} />;
}

/** Everything shown is as old as this, though the daemon answers. */
export function HubAway({ since }: { readonly since: string }): JSX.Element {
  return (
    <p class="notice bad hub-away" role="alert">
      The hub cannot be watched since <When time={since} />. What you see is as it was then. If this stays, check that
      the daemon reaches the hub.
    </p>
  );
}
