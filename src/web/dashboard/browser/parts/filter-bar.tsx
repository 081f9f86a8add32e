import type { ComponentChildren, JSX, TargetedMouseEvent } from "preact";
import { useMemo } from "preact/hooks";
import { missingLabels } from "../../../../model/filter/count-values.ts";
import { chooseValue } from "../../../../model/filter/edit-filter.ts";
import { parseFilter } from "../../../../model/filter/parse-filter.ts";
import type { ClusterRow } from "../../../../model/generated/page-api.ts";
import type { Facet } from "../data/cluster-filter.ts";
import { count } from "../data/words.ts";
import { FilterInput } from "./filter-input.tsx";

interface FilterBarProps {
  readonly text: string;
  readonly rows: readonly ClusterRow[];
  readonly facets: readonly Facet[];
  readonly shownCount: number;
  /** Links to other views of the same clusters. */
  readonly viewLinks: ComponentChildren;
  readonly onChange: (text: string) => void;
}

const titles: Readonly<Record<Facet["field"], string>> = {
  state: "State",
  reason: "Reason",
  workspace: "Workspace",
  group: "Group",
  protocol: "Protocol",
  version: "Kubernetes",
};

/** The filter as text, and its commonest terms to choose from. A field with one value is not offered, unless it is chosen. */
export function FilterBar({ text, rows, facets, shownCount, viewLinks, onChange }: FilterBarProps): JSX.Element {
  const offered = facets.filter(({ chosen, values }) => values.length > 1 || chosen !== "");
  // The button is removed: the focus would be lost with it.
  const clear = ({ currentTarget }: TargetedMouseEvent<HTMLButtonElement>): void => {
    currentTarget.form?.querySelector("input")?.focus();
    onChange("");
  };
  return (
    <form class="filter-bar" role="search" onSubmit={(event) => event.preventDefault()}>
      <FilterInput text={text} rows={rows} onChange={onChange} />
      {offered.map((facet) => (
        <FacetChoice
          key={facet.field}
          facet={facet}
          onChoose={(value) => onChange(chooseValue(text, { field: facet.field, value }))}
        />
      ))}
      {text !== "" && (
        <button type="button" class="quiet" onClick={clear}>
          Clear
        </button>
      )}
      <output>
        {text === ""
          ? count(rows.length, "cluster")
          : `${shownCount.toLocaleString("en")} of ${rows.length.toLocaleString("en")}`}
      </output>
      {viewLinks}
      <FilterProblems text={text} rows={rows} />
    </form>
  );
}

/** What of the filter is not understood, and what to type instead. The rest of it holds. */
function FilterProblems({ text, rows }: Pick<FilterBarProps, "text" | "rows">): JSX.Element {
  const problems = useMemo(() => {
    const parsed = parseFilter(text);
    return [...parsed.problems, ...missingLabels(rows, parsed)];
  }, [text, rows]);
  return (
    <div class="filter-problems" role="status">
      {problems.map(({ start, end, message, remedy }) => (
        <p key={start}>
          <code>{text.slice(start, end)}</code> at {start + 1}: {message} {remedy}
        </p>
      ))}
    </div>
  );
}

function FacetChoice(props: { readonly facet: Facet; readonly onChoose: (value: string) => void }): JSX.Element {
  const { field, chosen, values } = props.facet;
  return (
    <select
      aria-label={titles[field]}
      class={chosen === "" ? "" : "chosen"}
      value={chosen}
      onChange={({ currentTarget }) => props.onChoose(currentTarget.value)}
    >
      <option value="">{titles[field]}: any</option>
      {values.map(({ value, count: clusters }) => (
        <option key={value} value={value}>
          {titles[field]}: {value} ({clusters.toLocaleString("en")})
        </option>
      ))}
    </select>
  );
}
