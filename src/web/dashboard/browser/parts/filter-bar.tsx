import type { JSX } from "preact";
import type { ClusterFilter, filterChoices } from "../data/cluster-filter.ts";
import { wordOf } from "./state.tsx";
import { count } from "../data/words.ts";

interface FilterBarProps {
  readonly filter: ClusterFilter;
  readonly choices: ReturnType<typeof filterChoices>;
  readonly shownCount: number;
  readonly allCount: number;
  readonly onChange: (changes: Partial<ClusterFilter>) => void;
}

const fields = [
  { field: "state", title: "State" },
  { field: "reason", title: "Reason" },
  { field: "workspace", title: "Workspace" },
  { field: "group", title: "Group" },
  { field: "protocol", title: "Protocol" },
  { field: "version", title: "Kubernetes" },
] as const;

const nothing = { text: "", state: "", reason: "", workspace: "", group: "", protocol: "", version: "" };

/** Search and filters of the table. A field with one choice is not offered, unless it is chosen. */
export function FilterBar({ filter, choices, shownCount, allCount, onChange }: FilterBarProps): JSX.Element {
  const isFiltered = filter.text !== "" || fields.some(({ field }) => filter[field] !== "");
  const offered = fields.filter(({ field }) => choices[field].length > 1 || filter[field] !== "");
  return (
    <form class="filter-bar" role="search" onSubmit={(event) => event.preventDefault()}>
      <input
        type="search"
        aria-label="Search clusters"
        placeholder="Name, reason, label or key=value"
        value={filter.text}
        spellcheck={false}
        onInput={({ currentTarget }) => onChange({ text: currentTarget.value })}
      />
      {offered.map(({ field, title }) => (
        <Choice
          key={field}
          title={title}
          value={filter[field]}
          choices={choices[field]}
          onChoose={(value) => onChange({ [field]: value })}
        />
      ))}
      {isFiltered && (
        <button type="button" class="quiet" onClick={() => onChange(nothing)}>
          Clear
        </button>
      )}
      <output>
        {isFiltered
          ? `${shownCount.toLocaleString("en")} of ${allCount.toLocaleString("en")}`
          : count(allCount, "cluster")}
      </output>
    </form>
  );
}

interface ChoiceProps {
  readonly title: string;
  readonly value: string;
  readonly choices: readonly string[];
  readonly onChoose: (value: string) => void;
}

function Choice({ title, value, choices, onChoose }: ChoiceProps): JSX.Element {
  const all = choices.includes(value) || value === "" ? choices : [value, ...choices];
  return (
    <select
      aria-label={title}
      class={value === "" ? "" : "chosen"}
      value={value}
      onChange={({ currentTarget }) => onChoose(currentTarget.value)}
    >
      <option value="">{title}: any</option>
      {all.map((choice) => (
        <option key={choice} value={choice}>
          {title}: {nameOf(choice)}
        </option>
      ))}
    </select>
  );
}

function nameOf(choice: string): string {
  switch (choice) {
    case "ready":
    case "notReady":
    case "unknown":
    case "leaving":
      return wordOf(choice).toLowerCase();
    default:
      return choice;
  }
}
