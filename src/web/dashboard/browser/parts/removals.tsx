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

/** What is taken away, or would be, one line each. `count`: all of them. */
export function Removals(props: { readonly removals: readonly RemovalView[]; readonly count: number }): JSX.Element {
  const { removals, count } = props;
  const shown = removals.slice(0, most);
  return (
    <>
      <ul class="removals">
        {shown.map(({ kind, cluster, reason, waits }) => (
          <li key={`${kind} ${cluster} ${reason}`}>
            <strong>{cluster}</strong> {(waits === undefined ? words : withheldWords)[kind]}{" "}
            <span class="soft">{reason}</span>
            {waits !== undefined && <span class="waits">Stays: {waits}</span>}
          </li>
        ))}
      </ul>
      {count > shown.length && <p class="soft">And {count - shown.length} more.</p>}
    </>
  );
}
