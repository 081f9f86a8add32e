import type { JSX } from "preact";

const most = 50;

interface Deletion {
  /** `Kind/namespace/name`. */
  readonly object: string;
  readonly reason?: string;
  /** Why it stays for now. */
  readonly waits?: string;
}

/** Objects that are deleted, or would be, one line each. */
export function Deletions(props: { readonly deletions: readonly Deletion[]; readonly count: number }): JSX.Element {
  const { deletions, count } = props;
  const shown = deletions.slice(0, most);
  return (
    <>
      <ul class="removals">
        {shown.map(({ object, reason, waits }) => (
          <li key={object}>
            <strong>{object}</strong> {waits === undefined ? "is deleted" : "would be deleted"}{" "}
            <span class="soft">{reason}</span>
            {waits !== undefined && <span class="waits">Stays: {waits}</span>}
          </li>
        ))}
      </ul>
      {count > shown.length && <p class="soft">And {count - shown.length} more.</p>}
    </>
  );
}
