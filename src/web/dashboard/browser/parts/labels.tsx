import type { JSX } from "preact";
import type { ClusterRow } from "../../../../model/generated/page-api.ts";
import { termText } from "../../../../model/filter/edit-filter.ts";
import { keyText } from "../../../../model/filter/filter.ts";
import { clustersPath } from "../data/routes.ts";

const most = 2;

/** Some labels of a cluster; each leads to all clusters that have it. */
export function Labels({ row }: { readonly row: ClusterRow }): JSX.Element {
  const entries = Object.entries(row.labels);
  const hidden = entries.length - most + (row.moreLabels ?? 0);
  return (
    <span class="labels">
      {entries.slice(0, most).map(([key, value]) => (
        <LabelLink key={key} name={key} value={value} />
      ))}
      {hidden > 0 && <span class="soft">+{hidden}</span>}
    </span>
  );
}

export function LabelLink({ name, value }: { readonly name: string; readonly value: string }): JSX.Element {
  const text = value === "" ? name : `${name}=${value}`;
  const term = termText(keyText({ kind: "label", name }), value);
  return (
    <a class="label" href={clustersPath(term)} title={`All clusters with ${text}`} dir="auto">
      {text}
    </a>
  );
}
