import type { HTMLAttributes } from "preact";
import { useEffect, useState } from "preact/hooks";

interface OptionsProps<T> {
  readonly id: string;
  readonly items: readonly T[];
  readonly onChoose: (item: T) => void;
  readonly onClose: () => void;
  /** The first is active from the start: Enter chooses it. Default false. */
  readonly hasFirst?: boolean;
}

interface OptionParts {
  readonly input: {
    readonly role: "combobox";
    readonly "aria-expanded": boolean;
    readonly "aria-controls": string;
    readonly "aria-autocomplete": "list";
    readonly "aria-activedescendant": string | undefined;
  };
  readonly list: HTMLAttributes<HTMLUListElement>;
  readonly option: (index: number) => HTMLAttributes<HTMLLIElement>;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/**
 * The list of a combobox: the focus stays in its input, arrows move the active option, Enter chooses it, Escape closes.
 * Source: W3C, ARIA Authoring Practices, combobox with list autocomplete.
 */
export function useOptions<T extends { readonly title: string }>({
  id,
  items,
  onChoose,
  onClose,
  hasFirst = false,
}: OptionsProps<T>): OptionParts {
  const start = hasFirst ? 0 : -1;
  const [chosen, setChosen] = useState({ titles: "", index: start });
  const isOpen = items.length > 0;
  // Live changes make new items of the same titles: they keep what is active. Another list begins anew, at once: an effect
  // would run behind the next key.
  const titles = items.map(({ title }) => title).join("\n");
  const active = chosen.titles === titles ? chosen.index : start;
  const setActive = (index: number): void => setChosen({ titles, index });
  useEffect(() => {
    if (isOpen && active >= 0) document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: "nearest" });
  }, [active, isOpen]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const item = items[active];
    // The keys of an input method, such as the Enter that ends a Japanese word, are not for the list. In Safari the word has
    // ended before that key, which has the code of all keys of an input method.
    if (event.isComposing || event.keyCode === 229) return;
    if (!isOpen || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "ArrowDown") setActive((active + 1) % items.length);
    else if (event.key === "ArrowUp") setActive((active <= 0 ? items.length : active) - 1);
    else if (event.key === "Enter" && item !== undefined) onChoose(item);
    else if (event.key === "Escape") onClose();
    else return;
    event.preventDefault();
  };
  return {
    input: {
      role: "combobox",
      "aria-expanded": isOpen,
      "aria-controls": `${id}-list`,
      "aria-autocomplete": "list",
      "aria-activedescendant": isOpen && active >= 0 ? `${id}-${active}` : undefined,
    },
    list: { id: `${id}-list`, role: "listbox" },
    option: (index) => ({
      id: `${id}-${index}`,
      role: "option",
      "aria-selected": index === active,
      // Before the input loses the focus.
      onMouseDown: (event: MouseEvent) => {
        event.preventDefault();
        const item = items[index];
        if (item !== undefined) onChoose(item);
      },
    }),
    onKeyDown,
  };
}
