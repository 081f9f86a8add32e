/** One thing that must be well. `isWell` is asked at every request. */
export interface HealthCheck {
  readonly name: string;
  /** Endpoints that ask it: health is the old name of both. */
  readonly endpoints: readonly ("healthz" | "livez" | "readyz")[];
  readonly isWell: () => boolean;
}

export interface HealthAnswer {
  readonly statusCode: number;
  readonly body: string;
}

/**
 * `/livez`, `/readyz`, `/healthz`, with `?verbose` and `?exclude=<name>`, and single checks below them. Undefined for a
 * check that does not exist. Source: Kubernetes, "Kubernetes API health endpoints".
 */
export function answerHealth(
  checks: readonly HealthCheck[],
  path: string,
  query: URLSearchParams,
): HealthAnswer | undefined {
  const [, endpoint = "", ...rest] = path.split("/");
  const own = checks.filter(({ endpoints }) => endpoints.some((name) => name === endpoint));
  if (own.length === 0) return undefined;
  if (rest.length > 0 && rest.join("/") !== "") {
    const check = own.find(({ name }) => name === rest.join("/"));
    if (check === undefined) return undefined;
    return check.isWell()
      ? { statusCode: 200, body: "ok" }
      : { statusCode: 500, body: "internal server error: not well\n" };
  }
  const excluded = new Set(query.getAll("exclude"));
  const lines: string[] = [];
  let isWell = true;
  for (const check of own) {
    if (excluded.has(check.name)) lines.push(`[+]${check.name} excluded: ok`);
    else if (check.isWell()) lines.push(`[+]${check.name} ok`);
    else {
      lines.push(`[-]${check.name} failed: reason withheld`);
      isWell = false;
    }
  }
  const unknown = [...excluded].filter((name) => !own.some((check) => check.name === name));
  for (const name of unknown) lines.push(`warn: some health checks cannot be excluded: no matches for "${name}"`);
  const result = `${endpoint} check ${isWell ? "passed" : "failed"}`;
  if (isWell && !query.has("verbose")) return { statusCode: 200, body: "ok" };
  return { statusCode: isWell ? 200 : 500, body: `${[...lines, result].join("\n")}\n` };
}
