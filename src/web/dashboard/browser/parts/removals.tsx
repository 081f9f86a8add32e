import type { JSX } from "preact";
import type { RemovalView } from "../../../../model/generated/page-api.ts";

const most = 50;
const words: Readonly<Record<RemovalView["kind"], string>> = {
  leave: "leaves the fleet",
  move: "moves away",
  protocol: "changes its protocol",
  label: "loses a label",
};
const withheldWords: typeof words = {
  leave: "would leave the fleet",
  move: "would move away",
  protocol: "would change its protocol",
  label: "would lose a label",
};

/** What is taken away, or would be, one line each. */
export function Removals({ removals }: { readonly removals: readonly RemovalView[] }): JSX.Element {
  return (
    <>
      <ul class="removals">
        {removals.slice(0, most).map(({ kind, cluster, reason, waits }) => (
          <li key={`${kind} ${cluster} ${reason}`}>
            <strong>{cluster}</strong> {(waits === undefined ? words : withheldWords)[kind]}{" "}
            <span class="soft">{reason}</span>
            {waits !== undefined && <span class="waits">Stays: {waits}</span>}
          </li>
        ))}
      </ul>
      {removals.length > most && <p class="soft">And {removals.length - most} more.</p>}
    </>
  );
}
