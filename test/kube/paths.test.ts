import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HubPair } from "../support/hub-pair.ts";
import { openHubPair } from "../support/hub-pair.ts";

const paths = [
  ...[
    "/",
    "/index.html",
    "/index.htm",
    "/favicon.ico",
    "/robots.txt",
    "//",
    "/api/",
    "/apis/",
    "/api//v1",
    "/swagger.json",
  ],
  ...[
    "/openapi",
    "/openapi/",
    "/openapi/v2",
    "/openapi/v2/",
    "/openapi/v2/x",
    "/openapi/v3",
    "/openapi/v3/",
    "/openapi/v3/none",
  ],
  ...[
    "/openapi/v3/api",
    "/openapi/v3/api/v1",
    "/openapi/v3/api/v2",
    "/openapi/v3/apis",
    "/openapi/v3/apis/apps",
    "/openapi/v3/apis/apps/v1",
  ],
  ...[
    "/openapi/v3/apis/apps/v9",
    "/openapi/v3/apis/none.example.org/v1",
    "/openapi/v3/version",
    "/openapi/v3/api/v1/",
    "/openapi/v4",
  ],
  ...[
    "/api/v2",
    "/api/v1/none",
    "/api/v1/namespaces/default/none",
    "/api/v1/namespaces/default/none/a",
    "/api/v1/namespaces/default/configmaps/a/none",
  ],
  ...[
    "/apis/apps",
    "/apis/apps/v9",
    "/apis/apps/v9/deployments",
    "/apis/apps/v1/none",
    "/apis/apps/v1/namespaces/default/none",
  ],
  ...[
    "/apis/none.example.org",
    "/apis/none.example.org/v1",
    "/apis/none.example.org/v1/things",
    "/apis/none.example.org/v1/namespaces/default/things/a",
  ],
  ...[
    "/version",
    "/version/",
    "/version/x",
    "/healthz/none",
    "/livez/none",
    "/readyz/none",
    "/healthz/",
    "/livez/ping/x",
    "/metrics/",
    "/metrics/x",
  ],
  ...[
    "/logs",
    "/logs/",
    "/debug/pprof",
    "/debug/pprof/x",
    "/debug/none",
    "/.well-known",
    "/.well-known/none",
    "/.well-known/openid-configuration/x",
    "/openid/v1",
    "/openid/v1/jwks/",
  ],
  ...[
    "/none",
    "/none/",
    "/none/deeper",
    "/api/v1/namespaces/default/pods/a/b/c/d",
    "/%20",
    "/a%2Fb",
    "/?x=1",
    "/index.html?x",
  ],
];
const accepts = ["application/json", "application/vnd.kubernetes.protobuf, */*"];

/** What kube-apiserver serves and the embedded hub does not. */
const notServed: readonly string[] = [
  // Documents of paths that have no objects.
  ...["/openapi/v3/api", "/openapi/v3/apis", "/openapi/v3/apis/apps", "/openapi/v3/version"],
  // Profiles of its own process.
  ...["/debug/pprof", "/debug/pprof/x"],
  // Only by clients that name its type.
  "/openid/v1/jwks/",
];
const methods = ["GET", "HEAD", "POST", "DELETE", "PATCH", "PUT", "OPTIONS"] as const;

describe("paths that are no resources, beside kube-apiserver", () => {
  let pair: HubPair | undefined;
  let pools: HubPair["pools"] = [];
  beforeAll(async () => {
    pair = await openHubPair();
    ({ pools } = pair);
  });
  afterAll(async () => {
    await pair?.close();
  });

  /** Of a success its code and type, of a refusal its whole status. */
  async function answers(method: (typeof methods)[number], path: string, accept: string): Promise<unknown[]> {
    return Promise.all(
      pools.map(async (pool) => {
        const body = method === "POST" || method === "PUT" || method === "PATCH" ? "{}" : null;
        const headers = {
          accept,
          "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json",
        };
        const answer = await pool.request({ method, path, body, headers });
        const text = await answer.body.text();
        const type = answer.headers["content-type"];
        // Whether a browser may take the answer for another type than it has.
        const sniffing = answer.headers["x-content-type-options"];
        const head = [answer.statusCode, type, sniffing];
        return answer.statusCode < 300 ? head : [...head, text.slice(0, 2000)];
      }),
    );
  }

  it.each(methods)("have the same answers to %s", async (method) => {
    const differences: unknown[] = [];
    for (const path of paths) {
      for (const accept of accepts) {
        const [here, there] = await answers(method, path, accept);
        if (!notServed.includes(path) && JSON.stringify(here) !== JSON.stringify(there))
          differences.push({ path, accept, here, there });
      }
    }
    expect(differences).toEqual([]);
  });

  it("A41 forbid a browser to take a refusal, which has names of users and objects, for another type", async () => {
    const rights = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
    const name = "sniffing";
    const group = "rbac.authorization.k8s.io";
    const role = {
      metadata: { name },
      rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["update", "patch"] }],
    };
    const binding = {
      metadata: { name },
      roleRef: { apiGroup: group, kind: "Role", name },
      subjects: [{ apiGroup: group, kind: "User", name }],
    };
    const map = "/api/v1/namespaces/default/configmaps/sniffing";
    const requests = [
      { method: "GET", path: "/<none>" },
      { method: "GET", path: "/api/v1/secrets" },
      { method: "POST", path: "/api/v1/namespaces", body: "{}" },
      // What is created by an apply is refused by the handler.
      {
        method: "PATCH",
        path: `${map}?fieldManager=a`,
        body: JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } }),
      },
    ] as const;
    const found = await Promise.all(
      pools.map(async (pool) => {
        const send = async (
          method: "GET" | "POST" | "PATCH" | "DELETE",
          path: string,
          body?: object | string,
          user?: string,
        ) => {
          const headers = {
            "content-type": method === "PATCH" ? "application/apply-patch+yaml" : "application/json",
            ...(user === undefined ? {} : { "impersonate-user": user }),
          };
          const text = typeof body === "object" ? JSON.stringify(body) : (body ?? null);
          const answer = await pool.request({ method, path, body: text, headers });
          await answer.body.text();
          return [path, answer.statusCode, answer.headers["x-content-type-options"]];
        };
        await send("POST", `${rights}/roles`, role);
        await send("POST", `${rights}/rolebindings`, binding);
        const answers: unknown[] = [];
        for (const request of requests)
          answers.push(await send(request.method, request.path, "body" in request ? request.body : undefined, name));
        for (const kind of ["rolebindings", "roles"]) await send("DELETE", `${rights}/${kind}/${name}`);
        return answers;
      }),
    );
    expect(found[0]).toEqual(found[1]);
    expect(found[0]).toContainEqual(["/api/v1/secrets", 403, "nosniff"]);
  });
});
