/** One request of the matrix. `NS` and `GROUP` in its target are placeholders for names of the run. */
export interface MatrixRequest {
  readonly account: string;
  readonly method: string;
  readonly target: string;
  readonly body?: object;
  /** The whole answer counts, not only its code. Never of a watch. */
  readonly readsAnswer?: boolean;
}

const methods = [
  "GET",
  "GET",
  "GET",
  "HEAD",
  "POST",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "DELETE",
  "OPTIONS",
  "get",
  "FOO",
];
const roots = ["/api/v1", "/api/v1", "/api/v1", "/apis/apps/v1", "/apis/GROUP/v1", "/apis/GROUP/v1"];
const unknownRoots = [
  "/api/v2",
  "/apis/none.example.org/v1",
  "/apis/apps/v9",
  "/apis/GROUP/v9",
  "/apis//v1",
  "/api/",
  "/apis/apps",
];
const resources = ["configmaps", "configmaps", "pods", "serviceaccounts", "secrets", "nodes", "namespaces", "bindings"];
const groupResources = ["deployments", "widgets", "widgets", "gadgets"];
const oddResources = ["unknown", "", "watch", "proxy", "status", "ConfigMaps", "constructor", "__proto__"];
const names = ["alpha", "alpha", "missing", "NS", "", ".", "..", "watch", "a%20b", "__proto__"];
const subresources = ["status", "token", "scale", "log", "finalize", "eviction", "unknown", "", "binding"];
const paths = [
  "/",
  "/api",
  "/api/v1",
  "/api/v2",
  "/apis",
  "/apis/apps",
  "/apis/apps/v1",
  "/apis/apps/v9",
  "/apis/GROUP",
  "/apis/GROUP/v1",
  "/version",
  "/healthz",
  "/healthz/ping",
  "/livez",
  "/readyz",
  "/readyz/ping",
  "/openapi",
  "/openapi/v2",
  "/openapi/v3",
  "/openapi/v3/api/v1",
  "/openapi/v3/apis/apps/v1",
  "/.well-known/openid-configuration",
  "/openid/v1/jwks",
  "/nothing",
  "/Version",
];
const queries = [
  "watch=true",
  "watch=false",
  "watch",
  "watch=",
  "watch=0",
  "watch=False",
  "watch=true;a=b",
  "watch=%zz",
  "watch=false&watch=true",
  "fieldSelector=metadata.name%3Dalpha",
  "fieldSelector=metadata.name==alpha",
  "fieldSelector=metadata.name=alpha&watch=1",
  "fieldSelector=metadata.name!=alpha",
  "fieldSelector=metadata.name=missing,metadata.name=alpha",
  "fieldSelector=metadata.namespace=x,metadata.name=alpha",
  "fieldSelector=metadata.name=al%5C,pha",
  "fieldSelector=metadata.name=a=b",
  "fieldSelector=metadata.name=..",
  "fieldSelector=metadata.name=alpha&labelSelector=((",
  "fieldSelector=metadata.name=alpha&limit=abc",
  "fieldSelector=metadata.name=alpha&limit=",
  "fieldSelector=metadata.name=alpha&timeoutSeconds=x",
  "fieldSelector=metadata.name=alpha&limit=99999999999999999999",
  "fieldSelector=metadata.name=alpha&resourceVersion=x",
  "fieldSelector=constructor=alpha",
  "fieldSelector=__proto__=alpha",
  "labelSelector=a%3Db",
];

export interface MatrixChoice {
  readonly random: () => number;
  readonly accounts: readonly string[];
}

/** A request of any method, form of path and account, often slightly wrong. */
export function makeMatrixRequest({ random, accounts }: MatrixChoice): MatrixRequest {
  const pick = (list: readonly string[]): string => list[Math.floor(random() * list.length)] ?? "";
  const chance = (part: number): boolean => random() < part;

  const resourcePath = (): string => {
    const root = chance(0.06) ? pick(unknownRoots) : pick(roots);
    const known = root.startsWith("/apis") ? groupResources : resources;
    const resource = chance(0.06) ? pick(oddResources) : pick(known);
    const mode = chance(0.75) ? "" : chance(0.8) ? "/watch" : "/proxy";
    const place = chance(0.25)
      ? ""
      : chance(0.85)
        ? "/namespaces/NS"
        : pick(["/namespaces/none", "/namespaces/", "/namespaces"]);
    const name = chance(0.4) ? "" : `/${pick(names)}`;
    const subresource = name === "" || chance(0.65) ? "" : `/${pick(subresources)}`;
    const rest = chance(0.04) ? pick(["/x", "/x/y", "//x", "/status"]) : "";
    return `${root}${mode}${place}/${resource}${name}${subresource}${rest}`;
  };

  const escape = (character: string): string => {
    const hex = (character.codePointAt(0) ?? 0).toString(16).padStart(2, "0");
    return `%${chance(0.5) ? hex : hex.toUpperCase()}`;
  };
  const slashes = (path: string): number[] =>
    [...path].flatMap((character, index) => (character === "/" ? [index] : []));
  const replaceAt = (path: string, index: number, text: string): string =>
    path.slice(0, index) + text + path.slice(index + 1);
  const slashOf = (path: string): number => Number(pick(slashes(path).map(String)));
  const changes: readonly ((path: string) => string)[] = [
    (path) => replaceAt(path, slashOf(path), "//"),
    (path) => replaceAt(path, Math.max(1, slashOf(path)), "%2f"),
    (path) => {
      const index = 1 + Math.floor(random() * (path.length - 1));
      return path.length < 2 || path[index] === "%" ? path : replaceAt(path, index, escape(path[index] ?? "a"));
    },
    (path) => `${path}${pick(["/", "//", "/.", "/..", "/%2e", "/%2E%2e", "%2f", "%20", "%00", "%ff"])}`,
    (path) => `${path}${pick([";", ";x=1", ";/x", "*", "%3bx", "%3f", "%23"])}`,
    (path) => replaceAt(path, slashOf(path), pick(["/./", "/../", "/%2e%2e/", "/x/../"])),
    (path) => replaceAt(path, slashOf(path), ";x/"),
    (path) => `${path}${pick(["%", "%zz", "%2"])}`,
    (path) => path.replace(/\/(api|namespaces|watch|configmaps|status)/u, (text) => text.toUpperCase()),
  ];
  const base = chance(0.15) ? pick(paths) : resourcePath();
  let path = base;
  while (chance(0.3)) path = (changes[Math.floor(random() * changes.length)] ?? String)(path);
  if (!path.startsWith("/")) path = `/${path}`;
  const method = pick(methods);
  const query = chance(0.25) ? [pick(queries)] : [];
  const isWrite = !["GET", "HEAD"].includes(method);
  const target = [path, [...query, ...(isWrite ? ["dryRun=All"] : [])].join("&")]
    .filter((part) => part !== "")
    .join("?");
  return { account: pick(accounts), method, target, ...bodyOf(method, base) };
}

/** A body that fits the path, so that what is allowed is done. */
export function bodyOf(method: string, path: string): { readonly body?: object } {
  if (method === "PATCH") return { body: { metadata: { labels: { touched: "yes" } } } };
  if (method !== "POST" && method !== "PUT") return {};
  const metadata = method === "POST" ? { generateName: "made-" } : { name: "alpha" };
  if (path.endsWith("/token"))
    return { body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} } };
  if (path.endsWith("/scale")) return { body: { apiVersion: "autoscaling/v1", kind: "Scale", metadata, spec: {} } };
  if (path.includes("/pods")) return { body: { apiVersion: "v1", kind: "Pod", metadata, spec: podSpec } };
  if (path.includes("/deployments")) return { body: { apiVersion: "apps/v1", kind: "Deployment", metadata, spec } };
  if (path.includes("/serviceaccounts")) return { body: { apiVersion: "v1", kind: "ServiceAccount", metadata } };
  if (path.includes("/secrets")) return { body: { apiVersion: "v1", kind: "Secret", metadata } };
  if (path.includes("/widgets")) return { body: { apiVersion: "GROUP/v1", kind: "Widget", metadata } };
  if (path.includes("/gadgets")) return { body: { apiVersion: "GROUP/v1", kind: "Gadget", metadata } };
  if (path.includes("/nodes")) return { body: { apiVersion: "v1", kind: "Node", metadata } };
  if (path.includes("/configmaps")) return { body: { apiVersion: "v1", kind: "ConfigMap", metadata } };
  return { body: { apiVersion: "v1", kind: "Namespace", metadata } };
}

const podSpec = { containers: [{ name: "main", image: "main" }] };
const labels = { app: "main" };
const spec = { replicas: 0, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec } };
