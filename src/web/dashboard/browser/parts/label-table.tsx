import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { LabelView } from "../../../../model/generated/page-api.ts";
import { LabelLink } from "./labels.tsx";
import { LinkOut } from "./link-out.tsx";

const mostAtFirst = 40;
const owners: Readonly<Record<LabelView["owner"], string>> = {
  File: "its file",
  Rule: "rule",
  Token: "token",
  Agent: "its agent",
  Other: "another writer",
};

/** Labels with their owners: only the owner can change a label. */
export function LabelTable({ labels }: { readonly labels: readonly LabelView[] }): JSX.Element {
  const [isWhole, setWhole] = useState(false);
  const body = useRef<HTMLTableSectionElement>(null);
  // The button is removed: the focus moves from it to the first label that it has shown.
  useLayoutEffect(() => {
    if (isWhole) body.current?.children[mostAtFirst]?.querySelector("a")?.focus();
  }, [isWhole]);
  if (labels.length === 0) return <p class="soft">None.</p>;
  const shown = isWhole ? labels : labels.slice(0, mostAtFirst);
  return (
    <>
      <table class="label-table">
        <thead>
          <tr>
            <th scope="col">Label</th>
            <th scope="col">Owner</th>
          </tr>
        </thead>
        <tbody ref={body}>
          {shown.map(({ key, value, owner, from, link }) => (
            <tr key={key}>
              <td>
                <LabelLink name={key} value={value} />
              </td>
              <td class="soft">
                {owners[owner]} {from !== undefined && <LinkOut href={link}>{from}</LinkOut>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length < labels.length && (
        <button type="button" class="quiet" onClick={() => setWhole(true)}>
          Show all {labels.length}
        </button>
      )}
    </>
  );
}
