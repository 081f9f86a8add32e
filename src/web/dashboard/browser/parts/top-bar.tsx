import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Session } from "../../../../model/generated/page-api.ts";
import { PaletteButton } from "./palette.tsx";
import type { Route } from "../data/routes.ts";
import { signOut } from "../data/session.ts";
import { applyTheme, nextTheme, readTheme } from "../data/theme.ts";
import { useLiveStatus } from "../data/use-live.ts";

const places: readonly { readonly href: string; readonly title: string; readonly views: readonly Route["view"][] }[] = [
  { href: "/", title: "Overview", views: ["overview"] },
  { href: "/clusters", title: "Clusters", views: ["clusters", "cluster"] },
  { href: "/repository", title: "Repository", views: ["repository", "plan"] },
  { href: "/tokens", title: "Tokens", views: ["tokens"] },
  { href: "/history", title: "History", views: ["history"] },
];

/** Where one is, where one can go, and whether what one sees is current. */
export function TopBar({ route, session }: { readonly route: Route; readonly session: Session }): JSX.Element {
  return (
    <header class="top-bar">
      <a class="brand" href="/">
        <img src="/assets/icon.svg" alt="" width="22" height="22" />
        Rollcall
      </a>
      <nav aria-label="Views">
        {places.map(({ href, title, views }) => (
          <a key={href} href={href} aria-current={views.includes(route.view) ? "page" : undefined}>
            {title}
          </a>
        ))}
      </nav>
      <PaletteButton />
      <LiveSign />
      <ThemeButton />
      <Identity session={session} />
    </header>
  );
}

const signs = {
  connecting: "Connecting…",
  live: "Live",
  lost: "Connection lost: what you see is old. Trying again…",
} as const;

function LiveSign(): JSX.Element {
  const status = useLiveStatus();
  return (
    <p class={`live ${status}`} role="status">
      <i aria-hidden="true" />
      {signs[status]}
    </p>
  );
}

const themeNames = { auto: "Auto", light: "Light", dark: "Dark" } as const;

function ThemeButton(): JSX.Element {
  const [theme, setTheme] = useState(readTheme);
  const change = (): void => {
    const next = nextTheme(theme);
    applyTheme(next);
    setTheme(next);
  };
  return (
    <button type="button" class="quiet" onClick={change} title="Light, dark, or as the system">
      <span aria-hidden="true">◐ </span>
      {themeNames[theme]}
      <span class="unseen"> colours</span>
    </button>
  );
}

function Identity({ session }: { readonly session: Session }): JSX.Element | null {
  const [failure, setFailure] = useState<string>();
  if (session.user === undefined) return null;
  const leave = (): void => {
    setFailure(undefined);
    signOut().then(
      () => location.reload(),
      (error: unknown) => setFailure(error instanceof Error ? error.message : String(error)),
    );
  };
  return (
    <p class="identity">
      {failure !== undefined && (
        <span class="failure" role="alert">
          You are still signed in: {failure} Try again.
        </span>
      )}
      <span title="As the hub knows you">{session.user}</span>
      {session.access === "Token" && (
        <button type="button" class="quiet" onClick={leave}>
          Sign out
        </button>
      )}
    </p>
  );
}
