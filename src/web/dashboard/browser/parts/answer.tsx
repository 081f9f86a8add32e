import type { ComponentChildren, JSX } from "preact";
import type { Known } from "../data/use-live.ts";

/** What an answer shows: itself, that it is awaited, or why there is none. */
export function Answer<T>(props: {
  readonly of: Known<T>;
  readonly children: (value: T) => ComponentChildren;
}): JSX.Element {
  const { value, error } = props.of;
  if (value !== undefined) return <>{props.children(value)}</>;
  if (error) return <Notice tone="bad" text={error.message} />;
  return (
    <p class="waiting" role="status">
      Reading…
    </p>
  );
}

export function Notice({ tone, text }: { readonly tone: "bad" | "soft"; readonly text: string }): JSX.Element {
  return (
    <p class={`notice ${tone}`} role={tone === "bad" ? "alert" : undefined}>
      {text}
    </p>
  );
}
