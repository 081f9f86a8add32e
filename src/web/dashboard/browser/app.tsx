import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Session } from "../../../model/generated/page-api.ts";
import { ActionsContext } from "./data/perform-action.ts";
import { AskError } from "./data/ask.ts";
import { Live } from "./data/live.ts";
import { followLink, useLocation } from "./data/navigation.ts";
import { Notice } from "./parts/answer.tsx";
import { HubAwayNotice } from "./parts/hub-away.tsx";
import { TopBar } from "./parts/top-bar.tsx";
import type { Route } from "./data/routes.ts";
import { parseRoute } from "./data/routes.ts";
import { isRefusal, remedyOf } from "./data/refusal.ts";
import { onSessionChange, readSession, signOut } from "./data/session.ts";
import { LiveContext } from "./data/use-live.ts";
import { ClusterView } from "./views/cluster.tsx";
import { ClustersView } from "./views/clusters.tsx";
import { HistoryView } from "./views/history.tsx";
import { OverviewView } from "./views/overview.tsx";
import { PlanPage } from "./views/plan.tsx";
import { RepositoryView } from "./views/repository.tsx";
import { SignInView } from "./views/sign-in.tsx";
import { TokensView } from "./views/tokens.tsx";

type Entrance =
  | { readonly kind: "asking" }
  | { readonly kind: "in"; readonly session: Session; readonly live: Live }
  | { readonly kind: "out"; readonly error: Failure };

type Failure = Pick<AskError, "code" | "message" | "takesToken">;

const retryMs = 3_000;
/** The server remembers for this time what a viewer may see. */
const rightsMs = 15_000;

/** The whole page: who one is, then the view that the address names. */
export function App(): JSX.Element {
  const [entrance, setEntrance] = useState<Entrance>({ kind: "asking" });
  const current = useRef<{ readonly live: Live; readonly user: string | undefined }>(undefined);
  const leave = (error: Failure): void => {
    current.current?.live.close();
    current.current = undefined;
    setEntrance({ kind: "out", error });
  };
  const enter = (session: Session): void => {
    current.current?.live.close();
    const live = new Live(readSession, session.user);
    current.current = { live, user: session.user };
    live.subscribe((event) => {
      if (event.kind === "out") leave(event);
      // The rights of the viewer may be what has changed.
      if (event.kind === "reset") readAgain();
    });
    setEntrance({ kind: "in", session, live });
  };
  const readAgain = (): void => {
    readSession().then(
      (session) => {
        const { live, user } = current.current ?? {};
        if (live === undefined || user !== session.user) enter(session);
        else setEntrance({ kind: "in", session, live });
      },
      (error: unknown) => {
        const failure = error instanceof AskError ? error : new AskError("Failed", String(error));
        if (isRefusal(failure.code) || current.current === undefined) leave(failure);
      },
    );
  };
  useEffect(() => {
    readAgain();
    return onSessionChange(readAgain);
  }, []);
  useEffect(() => {
    if (entrance.kind !== "out" || isForSignIn(entrance.error)) return;
    const timer = setTimeout(readAgain, isRefusal(entrance.error.code) ? rightsMs : retryMs);
    return () => clearTimeout(timer);
  }, [entrance]);
  switch (entrance.kind) {
    case "asking":
      return <main class="view" aria-busy="true" />;
    case "out":
      return <Outside error={entrance.error} onEntered={enter} />;
    case "in":
      return (
        <LiveContext.Provider value={entrance.live}>
          <ActionsContext.Provider value={entrance.session.hasActions === true ? entrance.session.user : undefined}>
            {/* What it has read, and what it asks before an action, is of one viewer. */}
            <Inside key={entrance.session.user} session={entrance.session} />
          </ActionsContext.Provider>
        </LiveContext.Provider>
      );
  }
}

/** The viewer has to give a token, which the page does not ask for twice. */
function isForSignIn({ code, takesToken }: Failure): boolean {
  return code === "SignIn" && takesToken;
}

function Outside(props: { readonly error: Failure; readonly onEntered: (session: Session) => void }): JSX.Element {
  const { error, onEntered } = props;
  const takesToken = isForSignIn(error);
  useLayoutEffect(() => {
    document.title = takesToken ? "Sign in · Rollcall" : "Rollcall";
  }, [takesToken]);
  if (takesToken) return <SignInView why={error.message} onEntered={onEntered} />;
  return (
    <main class="view narrow">
      <h1>Rollcall</h1>
      <Notice tone="bad" text={`${error.message} ${remedyOf(error.code)}`.trim()} />
      {error.takesToken && (
        <button type="button" class="quiet" onClick={() => void signOut().then(() => location.reload())}>
          Sign out
        </button>
      )}
    </main>
  );
}

function Inside({ session }: { readonly session: Session }): JSX.Element {
  const url = useLocation();
  const route = parseRoute(url.pathname);
  const main = useRef<HTMLElement>(null);
  const shown = useRef(url.pathname);
  // Before the view is painted: a tab in the background paints nothing, and its title is all that is seen of it.
  useLayoutEffect(() => {
    document.title = titleOf(route, url);
    // What had the focus was part of the view that was left.
    if (shown.current !== url.pathname) main.current?.focus({ preventScroll: true });
    shown.current = url.pathname;
  }, [url.pathname, url.search]);
  return (
    <div class="shell" onClick={followLink}>
      <a class="skip" href="#view">
        Skip to the content
      </a>
      <TopBar route={route} session={session} />
      <main ref={main} id="view" class={`view ${route.view}`} tabIndex={-1}>
        {route.view !== "overview" && <HubAwayNotice />}
        <View route={route} url={url} session={session} />
      </main>
    </div>
  );
}

function View(props: { readonly route: Route; readonly url: URL; readonly session: Session }): JSX.Element {
  const { route, url, session } = props;
  const branch = url.searchParams.get("branch") ?? "";
  switch (route.view) {
    case "overview":
      return <OverviewView session={session} />;
    case "clusters":
      return <ClustersView query={url.searchParams} />;
    case "cluster":
      return <ClusterView workspace={route.workspace} name={route.name} />;
    case "repository":
      return <RepositoryView />;
    case "plan":
      return branch === "" ? <RepositoryView /> : <PlanPage branch={branch} />;
    case "tokens":
      return <TokensView />;
    case "history":
      return session.canSeeRepository ? (
        <HistoryView query={url.searchParams} />
      ) : (
        <Notice tone="soft" text="The history is for those who may see the repository." />
      );
    case "nowhere":
      return (
        <>
          <h1>There is nothing at this address</h1>
          <p>
            See the <a href="/">overview</a> or all <a href="/clusters">clusters</a>, or find one with Ctrl-K.
          </p>
        </>
      );
  }
}

function titleOf(route: Route, { searchParams }: URL): string {
  switch (route.view) {
    case "overview":
      return "Overview · Rollcall";
    case "clusters":
      return "Clusters · Rollcall";
    case "cluster":
      return `${route.name} · Rollcall`;
    case "repository":
      return "Repository · Rollcall";
    case "plan":
      return `${searchParams.get("branch") ?? "Branch"} · plan · Rollcall`;
    case "tokens":
      return "Tokens · Rollcall";
    case "history":
      return "History · Rollcall";
    case "nowhere":
      return "Nothing here · Rollcall";
  }
}
