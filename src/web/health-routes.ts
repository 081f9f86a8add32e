import type { WebAnswer, WebRoute } from "./web.ts";

/** A check by name: undefined when it holds, else why it does not, in a sentence without secrets. */
export type HealthChecks = Readonly<Record<string, () => string | undefined>>;

export interface HealthOptions {
  /** What a restart may repair. */
  readonly live: HealthChecks;
  /** What must hold before others may count on this process. A replica that does not lead is ready too. */
  readonly ready: HealthChecks;
}

/** /livez and /readyz answer 200 or 503, and name each check; /healthz is the same as /livez. */
export function healthRoutes({ live, ready }: HealthOptions): WebRoute[] {
  const routeOf = (path: string, checks: HealthChecks): WebRoute => ({
    method: "GET",
    path,
    answer: () => runChecks(checks),
  });
  return [routeOf("/healthz", live), routeOf("/livez", live), routeOf("/readyz", ready)];
}

function runChecks(checks: HealthChecks): WebAnswer {
  const results = Object.entries(checks).map(([name, check]) => ({ name, failure: check() }));
  const lines = results.map(({ name, failure }) =>
    failure === undefined ? `[+] ${name} ok` : `[-] ${name}: ${failure}`,
  );
  const isOk = results.every(({ failure }) => failure === undefined);
  return { status: isOk ? 200 : 503, body: [...lines, isOk ? "ok" : "not ok", ""].join("\n") };
}
