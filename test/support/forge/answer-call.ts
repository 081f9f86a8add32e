import { forgeRepository } from "./forge-state.ts";
import type { ForgeCall, ForgeRoutes, ForgeState, Route, RouteAnswer } from "./forge-state.ts";

/** What a forge with these routes answers a call, and what it does to its state. */
export function answerCall(routes: ForgeRoutes, state: ForgeState, call: ForgeCall, origin: string): RouteAnswer {
  if (!routes.isAuthorized(call.headers)) return { status: 401, json: routes.unauthorized };
  const url = new URL(call.path, origin);
  for (const name of ["limit", "per_page"]) {
    if (Number(url.searchParams.get(name)) > state.mostPerPage) url.searchParams.set(name, `${state.mostPerPage}`);
  }
  const formerRoot = `${routes.prefix}/repos/${state.formerName ?? ""}`;
  if (state.formerName !== undefined && url.pathname.startsWith(formerRoot)) {
    const location = call.path.replace(formerRoot, `${routes.prefix}/repos/${forgeRepository}`);
    return { status: call.method === "GET" ? 301 : routes.statusOfMovedWrites, headers: { location } };
  }
  for (const route of routes.routes) {
    const match = route.method === call.method ? route.path.exec(pathOf(url, routes, route)) : null;
    if (match === null) continue;
    const body = call.body === "" ? {} : (JSON.parse(call.body) as Record<string, unknown>);
    const params = match.slice(1).map(decodeURIComponent);
    return route.answer({ state, params, query: url.searchParams, body, origin });
  }
  return { status: 404, json: routes.notFound };
}

/** Empty where a route is not. */
function pathOf({ pathname }: URL, { prefix }: ForgeRoutes, { isBesidePrefix = false }: Route): string {
  if (isBesidePrefix) return pathname;
  return pathname.startsWith(prefix) ? pathname.slice(prefix.length) : "";
}
