import type { ComponentChildren, JSX } from "preact";
import type { AskError } from "../data/ask.ts";
import { isRefusal, remedyOf } from "../data/refusal.ts";
import type { Known } from "../data/use-live.ts";
import { useLiveStatus } from "../data/use-live.ts";

/** What an answer shows: itself, that it is awaited, or why there is none or no newer one. A refusal hides what was shown. */
export function Answer<T>(props: {
  readonly of: Known<T>;
  readonly children: (value: T) => ComponentChildren;
}): JSX.Element {
  const { value, error } = props.of;
  if (value !== undefined && !(error && isRefusal(error.code)))
    return (
      <>
        {error && <Stale error={error} />}
        {props.children(value)}
      </>
    );
  if (error) return <Notice tone="bad" text={`${error.message} ${remedyOf(error.code)}`.trim()} />;
  return (
    <p class="waiting" role="status">
      Reading…
    </p>
  );
}

/** Why what is shown is old. That no answer comes at all is at the top of the page already. */
function Stale({ error: { code, message } }: { readonly error: AskError }): JSX.Element | null {
  const status = useLiveStatus();
  if (code === "Unreachable" && status === "lost") return null;
  return <Notice tone="bad" text={`${message} What you see is from before. ${remedyOf(code)}`.trim()} />;
}

export function Notice({ tone, text }: { readonly tone: "bad" | "soft"; readonly text: string }): JSX.Element {
  return (
    <p class={`notice ${tone}`} role={tone === "bad" ? "alert" : undefined}>
      {text}
    </p>
  );
}
