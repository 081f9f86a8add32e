import type { JSX } from "preact";
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ClusterRow, FleetOverview, TokenList } from "../../../../model/generated/page-api.ts";
import { goTo } from "../data/navigation.ts";
import type { PaletteEntry } from "../data/palette.ts";
import { findEntries, paletteEntries } from "../data/palette.ts";
import type { Known } from "../data/use-live.ts";
import { useAnswer, useClusters } from "../data/use-live.ts";
import { useOptions } from "../data/use-options.ts";

/** A button and two keys, Ctrl-K and `/`, that open the palette. */
export function PaletteButton(): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const isCommand = (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k";
      const isSlash = event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target);
      if (!isCommand && !isSlash) return;
      event.preventDefault();
      setOpen(true);
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  return (
    <>
      <button type="button" class="quiet palette-button" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        Go to… <kbd>Ctrl K</kbd>
      </button>
      {isOpen && <Palette onClose={() => setOpen(false)} />}
    </>
  );
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("input, textarea, select, [contenteditable]") !== null;
}

/** Leads to any page, cluster, group, token, reason or file by its name. The focus returns to where it was. */
function Palette({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState("");
  const clusters = useClusters();
  const tokens = useAnswer<TokenList>("tokens", { parts: ["tokens"] });
  const overview = useAnswer<FleetOverview>("fleet", { parts: ["repository"] });
  // Not an effect: that runs after the next frame, and the first letters before it would be lost.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const entries = useMemo(
    () => paletteEntries({ rows: clusters.value ?? [], tokens: tokens.value?.tokens ?? [], overview: overview.value }),
    [clusters.value, tokens.value, overview.value],
  );
  const found = useMemo(() => findEntries(entries, text), [entries, text]);
  const choose = ({ href }: PaletteEntry): void => {
    dialog.current?.close();
    if (href.startsWith("https://")) open(href, "_blank", "noreferrer,noopener");
    else goTo(href);
  };
  const options = useOptions({
    id,
    items: found,
    hasFirst: true,
    onChoose: choose,
    onClose: () => dialog.current?.close(),
  });
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Go to"
      onClose={onClose}
      onMouseDown={(event) => event.target === dialog.current && dialog.current?.close()}
    >
      <input
        type="text"
        {...options.input}
        aria-label="Go to"
        placeholder="A cluster, group, token, reason, file or page; or a filter"
        value={text}
        spellcheck={false}
        autocomplete="off"
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={options.onKeyDown}
      />
      <ul {...options.list} aria-label="Places">
        {found.map(({ kind, title, detail }, index) => (
          <li key={`${kind} ${title} ${detail}`} {...options.option(index)}>
            <span class="tag">{kind}</span> <strong dir="auto">{title}</strong>{" "}
            <span class="soft" dir="auto">
              {detail}
            </span>
          </li>
        ))}
      </ul>
      <p class="soft" role="status">
        {describeQuery(clusters)}
      </p>
    </dialog>
  );
}

function describeQuery({ value, error }: Known<readonly ClusterRow[]>): string {
  if (value !== undefined) return "↑ ↓ choose, Enter opens, Esc closes";
  return error ? `The clusters are missing: ${error.message}` : "Reading the clusters…";
}
