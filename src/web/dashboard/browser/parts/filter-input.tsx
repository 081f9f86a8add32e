import type { JSX } from "preact";
import { useId, useMemo, useRef, useState } from "preact/hooks";
import type { Suggestion } from "../../../../model/filter/complete-filter.ts";
import { completeFilter } from "../../../../model/filter/complete-filter.ts";
import type { ClusterRow } from "../../../../model/generated/page-api.ts";
import { useOptions } from "../data/use-options.ts";

interface FilterInputProps {
  readonly text: string;
  readonly rows: readonly ClusterRow[];
  readonly onChange: (text: string) => void;
}

/** The field of the filter. It offers keys and values with their counts; arrows and Enter choose, Escape closes. */
export function FilterInput({ text, rows, onChange }: FilterInputProps): JSX.Element {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [caret, setCaret] = useState(text.length);
  const [isOpen, setOpen] = useState(false);
  const completion = useMemo(
    () => (isOpen ? completeFilter(text, Math.min(caret, text.length), rows) : undefined),
    [isOpen, text, caret, rows],
  );
  const items = completion?.items ?? [];
  const choose = (item: Suggestion): void => {
    if (!completion) return;
    const head = text.slice(0, completion.start) + item.insert;
    const rest = text.slice(completion.end);
    const gap = item.kind === "value" && rest === "" && !isInList(head) ? " " : "";
    const place = head.length + gap.length;
    // At once: the next key may be pressed before the view is drawn again.
    if (input.current) input.current.value = head + gap + rest;
    input.current?.setSelectionRange(place, place);
    setCaret(place);
    setOpen(item.kind === "key");
    onChange(head + gap + rest);
  };
  const options = useOptions({ id, items, onChoose: choose, onClose: () => setOpen(false) });
  const recordCaret = (): void => setCaret(input.current?.selectionStart ?? text.length);
  return (
    <div class="filter-input">
      <input
        ref={input}
        type="text"
        id={`${id}-input`}
        {...options.input}
        aria-label="Filter clusters"
        placeholder="name, env=prod state!=Ready region in (eu, us) version<1.33"
        value={text}
        spellcheck={false}
        autocomplete="off"
        maxLength={2000}
        onInput={({ currentTarget }) => {
          onChange(currentTarget.value);
          setOpen(true);
          recordCaret();
        }}
        onClick={recordCaret}
        onKeyUp={recordCaret}
        onBlur={() => setOpen(false)}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown" && !isOpen) setOpen(true);
          options.onKeyDown(event);
        }}
      />
      {items.length > 0 && (
        <ul class="options" {...options.list} aria-label="What can be typed here">
          {items.map((item, index) => (
            <li key={item.title} {...options.option(index)}>
              <span dir="auto">{item.title}</span> <span class="soft">{item.count.toLocaleString("en")}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function isInList(head: string): boolean {
  return head.lastIndexOf("(") > head.lastIndexOf(")");
}
