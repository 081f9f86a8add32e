import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";

interface CardProps {
  readonly title: string;
  /** Beside the title: a count, a link. */
  readonly aside?: ComponentChildren;
  readonly tone?: "bad" | "warn";
  readonly children: ComponentChildren;
}

/** A part of a view, under a heading of its own. */
export function Card({ title, aside, tone, children }: CardProps): JSX.Element {
  const id = useId();
  return (
    <section class={tone === undefined ? "card" : `card ${tone}`} aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {aside !== undefined && <div class="aside">{aside}</div>}
      </header>
      {children}
    </section>
  );
}
