import { Agent, request } from "node:https";
import { objectsAt, textAt, textsAt } from "../../src/core/read-json.ts";
import { mapConcurrently } from "../../src/core/map-concurrently.ts";
import type { KubeApi } from "../../src/kube/kube.ts";

/** A right as a rule of RBAC has it; without a namespace it holds everywhere. */
export interface HeldRight {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
  readonly namespace?: string;
}

export interface ServedResource {
  readonly group: string;
  /** `/api/v1` or `/apis/<group>/<version>`. */
  readonly root: string;
  /** `pods`, or `pods/log`. */
  readonly name: string;
  readonly isNamespaced: boolean;
}

export interface Attempt {
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  readonly namespace?: string;
  readonly object?: string;
  readonly method: string;
  readonly path: string;
}

/** Every resource of every group that an API server serves, subresources too. */
export async function servedResources(api: KubeApi): Promise<ServedResource[]> {
  const groups = JSON.parse((await api.getRaw("/apis")).text) as unknown;
  const versions = objectsAt(groups, "groups").map((group) => textAt(group, "preferredVersion", "groupVersion") ?? "");
  const served: ServedResource[] = [];
  for (const version of ["v1", ...versions]) {
    const root = version === "v1" ? "/api/v1" : `/apis/${version}`;
    for (const resource of objectsAt(JSON.parse((await api.getRaw(root)).text), "resources"))
      served.push({
        group: version === "v1" ? "" : (version.split("/")[0] ?? ""),
        root,
        name: textAt(resource, "name") ?? "",
        isNamespaced: resource["namespaced"] === true,
      });
  }
  return served.filter(({ group, name }) => !isEverybodys(group, name));
}

/** What every account may, to see what it itself is and may. */
function isEverybodys(group: string, name: string): boolean {
  return ["authorization.k8s.io", "authentication.k8s.io"].includes(group) && name.startsWith("selfsubject");
}

/** Every verb on every resource: in these namespaces, on objects of these names. */
export function everyAttempt(
  resources: readonly ServedResource[],
  {
    namespaces,
    names,
  }: { readonly namespaces: readonly string[]; readonly names: (resource: string) => readonly string[] },
): Attempt[] {
  return resources.flatMap(({ group, root, name, isNamespaced }) =>
    (isNamespaced ? namespaces : [undefined]).flatMap((namespace) => {
      const [plural = "", ...sub] = name.split("/");
      const collection = namespace === undefined ? `${root}/${plural}` : `${root}/namespaces/${namespace}/${plural}`;
      const common = { group, resource: name, ...(namespace === undefined ? {} : { namespace }) };
      const onAll =
        sub.length > 0
          ? []
          : [
              { ...common, verb: "list", method: "GET", path: collection },
              { ...common, verb: "watch", method: "GET", path: `${collection}?watch=true&timeoutSeconds=1` },
              { ...common, verb: "create", method: "POST", path: collection },
              { ...common, verb: "deletecollection", method: "DELETE", path: collection },
            ];
      const onOne = names(plural).flatMap((object) => {
        const path = [collection, object, ...sub].join("/");
        const one = { ...common, object, path };
        return [
          { ...one, verb: "get", method: "GET" },
          { ...one, verb: "update", method: "PUT" },
          { ...one, verb: "patch", method: "PATCH" },
          { ...one, verb: "delete", method: "DELETE" },
          ...(sub.length > 0 ? [{ ...one, verb: "create", method: "POST" }] : []),
        ];
      });
      return [...onAll, ...onOne];
    }),
  );
}

/** True when one of the rights covers it. A right on objects by name covers none that has no name. */
export function isHeld(attempt: Attempt, rights: readonly HeldRight[]): boolean {
  return rights.some(
    ({ apiGroups, resources, resourceNames, verbs, namespace }) =>
      apiGroups.includes(attempt.group) &&
      resources.includes(attempt.resource) &&
      verbs.includes(attempt.verb) &&
      (namespace === undefined || namespace === attempt.namespace) &&
      (resourceNames === undefined || (attempt.object !== undefined && resourceNames.includes(attempt.object))),
  );
}

/** What the API server did not forbid, of all that is tried by this token. An empty body: what is let through does no harm. */
export async function notForbidden(
  { server, ca, token }: { readonly server: string; readonly ca: string; readonly token: string },
  attempts: readonly Attempt[],
): Promise<string[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 16, ca });
  try {
    const answers = await mapConcurrently(attempts, 16, async (attempt) => {
      const status = await statusOf(new URL(server.replace(/\/$/u, "") + attempt.path), { ...attempt, agent, token });
      return status === 403 ? [] : [`${status} ${attempt.verb} ${attempt.path}`];
    });
    return answers.flat();
  } finally {
    agent.destroy();
  }
}

function statusOf(
  url: URL,
  { method, agent, token }: { readonly method: string; readonly agent: Agent; readonly token: string },
): Promise<number> {
  return new Promise((resolve, reject) => {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const headers = { authorization: `Bearer ${token}`, "content-type": type };
    const sent = request(url, { method, agent, headers }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode ?? 0));
      response.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(method === "GET" || method === "DELETE" ? undefined : "{}");
  });
}

/** The rights in rules that are not written as such: those of tables. */
export function asRights(rules: readonly unknown[], namespace?: string): HeldRight[] {
  return rules.map((rule) => ({
    apiGroups: textsAt(rule, "apiGroups"),
    resources: textsAt(rule, "resources"),
    verbs: textsAt(rule, "verbs"),
    ...(textsAt(rule, "resourceNames").length === 0 ? {} : { resourceNames: textsAt(rule, "resourceNames") }),
    ...(namespace === undefined ? {} : { namespace }),
  }));
}
