import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Session } from "../../../../model/generated/page-api.ts";
import { signIn } from "../data/session.ts";

interface SignInProps {
  /** Why one has to sign in. */
  readonly why: string;
  readonly onEntered: (session: Session) => void;
}

/** Asks for a Kubernetes bearer token. */
export function SignInView({ why, onEntered }: SignInProps): JSX.Element {
  const [token, setToken] = useState("");
  const [failure, setFailure] = useState<string>();
  const [isAsking, setAsking] = useState(false);
  const enter = (event: Event): void => {
    event.preventDefault();
    if (isAsking) return;
    setAsking(true);
    setFailure(undefined);
    signIn(token)
      .then(onEntered, (error: unknown) => setFailure(error instanceof Error ? error.message : String(error)))
      .finally(() => setAsking(false));
  };
  return (
    <main class="view narrow sign-in">
      <h1>Rollcall</h1>
      <p class="soft">{why}</p>
      <form onSubmit={enter}>
        <label for="token">Bearer token</label>
        <textarea
          id="token"
          rows={5}
          required
          autocomplete="off"
          spellcheck={false}
          value={token}
          onInput={({ currentTarget }) => setToken(currentTarget.value)}
        />
        {/* While it has the focus it is not `disabled`: the focus would be lost. */}
        <button type="submit" disabled={token.trim() === ""} aria-disabled={isAsking}>
          {isAsking ? "Asking the hub…" : "Sign in"}
        </button>
        {failure !== undefined && (
          <p class="notice bad" role="alert">
            {failure}
          </p>
        )}
      </form>
      <p class="soft">
        You see the workspaces in which the hub lets you list clusters. A token comes, for example, from{" "}
        <code>kubectl create token &lt;account&gt;</code>. It is kept in a cookie of this browser and nowhere else.
      </p>
    </main>
  );
}
