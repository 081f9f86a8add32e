import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { objectAt } from "../../src/core/read-json.ts";
import type { HubPair } from "../support/hub-pair.ts";
import { openHubPair } from "../support/hub-pair.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { until } from "../support/until.ts";

/** `ROLLCALL_MEDIA_TYPES_SEED=7 npm run test:kube -- test/kube/media-types.test.ts` makes up other headers. */
const seed = Number(process.env["ROLLCALL_MEDIA_TYPES_SEED"] ?? "1");
const group = "media.example.org";
const things = `/apis/${group}/v1/namespaces/default/things`;
const maps = "/api/v1/namespaces/default/configmaps";
const map = `${maps}/media`;

const read = [
  ...["/", "/api", "/api/", "/apis", "/apis/apps", "/apis/apps/v1", `/apis/${group}`, `/apis/${group}/v1`, "/api/v1"],
  ...["/version", "/version/", "/livez", "/openapi/v2", "/openapi/v3", "/openapi/v3/apis/apps/v1"],
  ...["/.well-known/openid-configuration", "/openid/v1/jwks", "/none", "/api/v1/none", "/openapi/v3/none"],
  ...[maps, map, `${maps}/none`, `${maps}?watch=true&resourceVersion=x`, "/apis/apps/v1/deployments"],
  ...[things, `${things}/media`, `${things}/none`, `${things}/media/scale`, `${things}/media/status`],
];
const shapes = ["Table", "PartialObjectMetadata", "PartialObjectMetadataList", "None", "APIGroupDiscoveryList"];
const types = [
  ...["*/*", "*", "application/*", "application/json", "application/yaml", "application/vnd.kubernetes.protobuf"],
  ...["text/html", "text/plain", "text/*", "*/json", "application/cbor", "APPLICATION/JSON", "application/ json"],
  ...["json", "/", "", "application/json/x", "application/openmetrics-text", "application/jwk-set+json"],
];
const parameters = [
  ...[
    ";q=0",
    ";q=0.5",
    ";q=x",
    ";q=2",
    ";charset=utf-8",
    ";stream=watch",
    ";stream=x",
    ";sv=1",
    ";pretty=1",
    ";",
    ";as",
  ],
  ...shapes.flatMap((as) => ["v1", "v1beta1", "v2", "v9"].map((v) => `;as=${as};v=${v};g=meta.k8s.io`)),
  ...["v2", "v2beta1"].map((v) => `;as=APIGroupDiscoveryList;v=${v};g=apidiscovery.k8s.io`),
];
/** Without protobuf: bodies in JSON that claim to be protobuf end some requests of kube-apiserver with 500. */
const bodyTypes = [
  ...[
    ...types.filter((type) => !type.endsWith("protobuf")),
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
  ],
  ...["application/json-patch+json", "application/apply-patch+yaml", "application/apply-patch"],
  ...["application/json;charset=utf-8", "application/json;x", "application/json;a=b;a=c", ";", "application/json;"],
];
const scale = JSON.stringify({ apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "media" }, spec: {} });
const review = { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview", spec: {} };
const writes = [
  ["POST", `${maps}?dryRun=All`, JSON.stringify({ metadata: { name: "new" } })],
  ["PUT", `${map}?dryRun=All`, JSON.stringify({ metadata: { name: "media" } })],
  ["PATCH", `${map}?dryRun=All`, "{}"],
  ["DELETE", `${map}?dryRun=All`, "{}"],
  ["DELETE", `${maps}?dryRun=All&labelSelector=none`, "{}"],
  ["PATCH", `${things}/media?dryRun=All`, "{}"],
  ["DELETE", `${things}/media?dryRun=All`, "{}"],
  ["PUT", `${things}/none/scale`, scale],
  ["POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", JSON.stringify(review)],
  ["POST", "/version", "{}"],
  ["POST", "/api", "{}"],
] as const;

interface Request {
  readonly method: "GET" | (typeof writes)[number][0];
  readonly path: string;
  readonly body?: string;
  readonly headers: Readonly<Record<string, string>>;
}

describe("media types, beside kube-apiserver", () => {
  let pair: HubPair | undefined;
  let pools: HubPair["pools"] = [];
  beforeAll(async () => {
    pair = await openHubPair();
    ({ pools } = pair);
    for (const pool of pools) await prepare(pool);
  });
  afterAll(async () => {
    for (const path of [map, `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.${group}`])
      await pools[1]?.request({ method: "DELETE", path });
    await pair?.close();
  });

  async function differencesOf(requests: readonly Request[]): Promise<unknown[]> {
    const differences: unknown[] = [];
    for (const request of requests) {
      const [here, there] = await Promise.all(pools.map((pool) => answerOf(pool, request)));
      if (JSON.stringify(here) !== JSON.stringify(there)) differences.push({ ...request, here, there });
    }
    return differences;
  }

  it("answers each Accept header of one type as kube-apiserver does", async () => {
    const headers = types.flatMap((type) => [type, `${type};q=0.5`, `${type}${parameters[11] ?? ""}`]);
    expect(await differencesOf(read.flatMap((path) => headers.map((accept) => reading(path, accept))))).toEqual([]);
  });

  it("answers generated Accept headers as kube-apiserver does", async () => {
    const random = seededRandom(seed);
    const any = (of: readonly string[]): string => of[Math.floor(random() * of.length)] ?? "";
    const clause = (): string => `${any(types)}${random() < 0.6 ? any(parameters) : ""}`;
    const header = (): string => Array.from({ length: 1 + Math.floor(random() * 3) }, clause).join(any([",", ", "]));
    const requests = Array.from({ length: 1000 }, () => reading(any(read), header())).filter(isServed);
    expect(await differencesOf(requests)).toEqual([]);
  });

  it.each(["application/json", "application/yaml"])(
    "names where lists of a custom kind continue: %s",
    async (accept) => {
      const [here, there] = await Promise.all(
        pools.map(async (pool) => {
          const answer = await pool.request({ method: "GET", path: things, headers: { accept } });
          return Object.keys(objectAt(parse(await answer.body.text()), "metadata") ?? {}).sort();
        }),
      );
      expect(here).toEqual(there);
    },
  );

  it("takes bodies of the types that kube-apiserver takes", async () => {
    const requests = writes.flatMap(([method, path, body]) =>
      bodyTypes.flatMap((type) =>
        ["application/json", "text/html"].map((accept) => ({
          ...{ method, path, body },
          headers: { accept, "content-type": type },
        })),
      ),
    );
    expect(await differencesOf(requests)).toEqual([]);
  });
});

/** The hub writes all resources in one document as JSON only. */
function isServed({ headers }: Request): boolean {
  return !/(?:yaml|protobuf)[^,]*;as=APIGroupDiscoveryList;v=v2;g=apidiscovery/u.test(headers["accept"] ?? "");
}

function reading(path: string, accept: string): Request {
  return { method: "GET", path, headers: { accept } };
}

/** Of a success its code and type, of a refusal its whole status. */
async function answerOf(pool: HubPair["pools"][number], request: Request): Promise<readonly unknown[]> {
  const answer = await pool.request(request);
  const text = await answer.body.text();
  const type = answer.headers["content-type"];
  if (answer.statusCode < 300) return [answer.statusCode, type];
  // Lines of YAML end elsewhere.
  if (type === "application/yaml") return [answer.statusCode, type, parse(text) as unknown];
  return [answer.statusCode, type, text];
}

async function prepare(pool: HubPair["pools"][number]): Promise<void> {
  const create = async (path: string, object: object): Promise<number> => {
    const headers = { "content-type": "application/json" };
    const answer = await pool.request({ method: "POST", path, headers, body: JSON.stringify(object) });
    await answer.body.dump();
    return answer.statusCode;
  };
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  const paths = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };
  const version = { name: "v1", served: true, storage: true, schema, subresources: { status: {}, scale: paths } };
  await create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    metadata: { name: `things.${group}` },
    spec: { group, scope: "Namespaced", names: { plural: "things", kind: "Thing" }, versions: [version] },
  });
  await create(maps, { metadata: { name: "media" } });
  const thing = { apiVersion: `${group}/v1`, kind: "Thing", metadata: { name: "media" }, spec: { replicas: 1 } };
  await until(
    () => create(things, thing),
    (code) => code === 201,
  );
}
