import { foreignFactsOf } from "../foreign/foreign-facts.ts";
import { agentOfRequest } from "./agent-of-request.ts";
import type { Invariant, Scene } from "./invariant.ts";

/** What is served to any account, and describes itself. */
const anybodys = /^\/(?:api|apis|openapi|version|livez|readyz|healthz)(?:$|\?)|\/selfsubject[a-z]+reviews(?:$|\?)/u;

/** Nothing of one cluster is read or written by the credential of another, and nothing of the workspace. */
export function agentsKeepToTheirOwn({ world, violate }: Scene): Invariant {
  const name = "a credential reaches nothing but its own cluster's objects";
  return {
    name,
    onCall: ({ request, server, status }) => {
      if (server !== world.hub || status >= 300) return;
      const cluster = agentOfRequest(request, world);
      if (cluster === undefined || anybodys.test(request.path)) return;
      const path = request.path.split("?")[0] ?? "";
      const reach = foreignFactsOf(cluster)?.reachOf(cluster);
      if (reach?.test(`${request.method} ${path}`) ?? (isOwn(path, cluster) || isOwnWatch(request.path, cluster)))
        return;
      violate(name, `${request.method} ${request.path} is served by the credential of ${cluster}`);
    },
  };
}

function isOwn(path: string, cluster: string): boolean {
  const [, type, object] = /\/namespaces\/fleet\/([^/]+)\/([^/]+)/u.exec(path) ?? [];
  if (type === "clusterreports") return object === cluster;
  if (type === "configmaps") return object === `rollcall-agent-${cluster}`;
  return type === "leases" && object === `rollcall-${cluster}`;
}

/** A list or a watch of one object. */
function isOwnWatch(path: string, cluster: string): boolean {
  const url = new URL(path, "https://hub");
  const name = /^metadata\.name=([^,]+)$/u.exec(url.searchParams.get("fieldSelector") ?? "")?.[1];
  return name !== undefined && isOwn(`${url.pathname}/${name}`, cluster);
}
