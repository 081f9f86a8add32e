import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";

interface CardProps {
  readonly title: string;
  /** Beside the title: a count, a link. */
  readonly aside?: ComponentChildren;
  readonly tone?: "bad" | "warn";
  /** It has a table that a narrow window scrolls sideways: the keyboard must reach it. Default false. */
  readonly isScrolled?: boolean;
  readonly children: ComponentChildren;
}

/** A part of a view, under a heading of its own. */
export function Card({ title, aside, tone, isScrolled = false, children }: CardProps): JSX.Element {
  const id = useId();
  return (
    <section
      class={tone === undefined ? "card" : `card ${tone}`}
      aria-labelledby={id}
      tabIndex={isScrolled ? 0 : undefined}
    >
      <header>
        <h2 id={id}>{title}</h2>
        {aside !== undefined && <div class="aside">{aside}</div>}
      </header>
      {children}
    </section>
  );
}
