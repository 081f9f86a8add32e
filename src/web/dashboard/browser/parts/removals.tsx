import type { JSX } from "preact";
import type { RemovalView } from "../../../../model/generated/page-api.ts";

const most = 50;
const words: Readonly<Record<RemovalView["kind"], string>> = {
  leave: "leaves the fleet",
  move: "moves away",
  protocol: "changes its protocol",
  label: "loses a label",
};

/** What is taken away, one line each. */
export function Removals({ removals }: { readonly removals: readonly RemovalView[] }): JSX.Element {
  return (
    <>
      <ul class="removals">
        {removals.slice(0, most).map(({ kind, cluster, reason }) => (
          <li key={`${kind} ${cluster} ${reason}`}>
            <strong>{cluster}</strong> {words[kind]} <span class="soft">{reason}</span>
          </li>
        ))}
      </ul>
      {removals.length > most && <p class="soft">And {removals.length - most} more.</p>}
    </>
  );
}
