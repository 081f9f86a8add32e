import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/json.ts";
import { objectsAt, textAt } from "../../src/core/read-json.ts";
import type { HubPair } from "../support/hub-pair.ts";
import { openHubPair } from "../support/hub-pair.ts";
import { inKeyOrder } from "./differential/replay.ts";

const aggregated = ["v2", "v2beta1"].map(
  (version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
);
/** `ETAG` is the tag of the document. */
const tags = ["ETAG", "W/ETAG", '"other"', '"other", ETAG', "*", "ETAG;", ""];

interface Document {
  readonly path: string;
  readonly accept?: string;
}

const documents: readonly Document[] = [
  ...["/openapi/v2", "/openapi/v3", "/openapi/v3/api/v1", "/openapi/v3/apis/apps/v1"].map((path) => ({ path })),
  { path: "/openapi/v2", accept: "application/com.github.proto-openapi.spec.v2.v1.0+protobuf" },
  { path: "/openapi/v3/api/v1", accept: "application/com.github.proto-openapi.spec.v3.v1.0+protobuf" },
  ...["/api", "/apis"].map((path) => ({ path, accept: aggregated[0] ?? "" })),
];

describe("documents of health, discovery and OpenAPI, beside kube-apiserver", () => {
  let pair: HubPair | undefined;
  let pools: HubPair["pools"] = [];
  beforeAll(async () => {
    pair = await openHubPair();
    ({ pools } = pair);
  });
  afterAll(async () => {
    await pair?.close();
  });

  async function both<T>(ask: (pool: HubPair["pools"][number]) => Promise<T>): Promise<readonly T[]> {
    return Promise.all(pools.map(ask));
  }

  it.each(documents)("are sent again only to clients that do not have them: $path $accept", async (document) => {
    const [here, there] = await both(async (pool) => {
      const etag = String((await get(pool, document)).headers["etag"] ?? '"none"');
      const answers: unknown[] = [];
      for (const tag of tags) {
        const answer = await get(pool, document, { "if-none-match": tag.replace("ETAG", etag) });
        answers.push([tag, answer.statusCode, answer.headers["content-type"], answer.headers["cache-control"]]);
      }
      return answers;
    });
    expect(here).toEqual(there);
  });

  it.each(["/livez", "/readyz", "/healthz"])("of health have the same headers: %s", async (path) => {
    const paths = [path, `${path}?verbose`, `${path}?exclude=etcd`, `${path}/ping`, `${path}/etcd`, `${path}/none`];
    const [here, there] = await both((pool) =>
      Promise.all(
        paths.map(async (one) => {
          const { statusCode, headers } = await get(pool, { path: one });
          return [one, statusCode, headers["content-type"], headers["x-content-type-options"]];
        }),
      ),
    );
    expect(here).toEqual(there);
  });

  it("describe each resource that both serve in the same way", async () => {
    const groups = objectsAt((await get(pools[0], { path: "/apis" })).body, "groups").flatMap((group) =>
      objectsAt(group, "versions").map((version) => `/apis/${textAt(version, "groupVersion") ?? ""}`),
    );
    expect(groups.length).toBeGreaterThan(10);
    for (const path of ["/api/v1", ...groups]) {
      const [here = [], there = []] = await both(async (pool) =>
        objectsAt((await get(pool, { path })).body, "resources"),
      );
      const names = here.map((resource) => textAt(resource, "name"));
      const same = there.filter((resource) => names.includes(textAt(resource, "name")));
      expect(here.map(inKeyOrder), path).toEqual(same.map(inKeyOrder));
    }
  });

  it.each(["/api", "/apis"])("describe all resources at once in the same way: %s", async (path) => {
    const [here = [], there = []] = await both(async (pool) => {
      const { body } = await get(pool, { path, accept: aggregated[0] ?? "" });
      return objectsAt(body, "items").flatMap((group) =>
        objectsAt(group, "versions").flatMap((version) =>
          objectsAt(version, "resources").map((resource) => ({
            group: textAt(group, "metadata", "name") ?? "",
            version: textAt(version, "version") ?? "",
            resource,
          })),
        ),
      );
    });
    const nameOf = ({ group, version, resource }: (typeof here)[number]): string =>
      [group, version, textAt(resource, "resource")].join("/");
    const served = new Map(there.map((one) => [nameOf(one), one]));
    expect(here.length).toBeGreaterThan(10);
    // Some subresources are not served here.
    const sharedPart = (one: (typeof here)[number] | undefined, other: (typeof here)[number]): unknown => {
      const names = objectsAt(other.resource, "subresources").map((each) => textAt(each, "subresource"));
      const subresources = objectsAt(one?.resource, "subresources").filter((each) =>
        names.includes(textAt(each, "subresource")),
      );
      return inKeyOrder({ ...one?.resource, subresources });
    };
    for (const one of here) expect(sharedPart(one, one), nameOf(one)).toEqual(sharedPart(served.get(nameOf(one)), one));
  });

  it("name resources of all groups only at paths as they are written", async () => {
    const paths = ["/api", "/apis"].flatMap((path) => [path, `${path}/`]);
    const [here, there] = await both((pool) =>
      Promise.all(
        paths.flatMap((path) =>
          [...aggregated, `${aggregated[0] ?? ""},application/json`].map(async (accept) => {
            const { statusCode, headers } = await get(pool, { path, accept });
            return [path, accept, statusCode, headers["content-type"]];
          }),
        ),
      ),
    );
    expect(here).toEqual(there);
  });
});

interface Got {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Of JSON; else empty. */
  readonly body: JsonObject;
}

async function get(
  pool: HubPair["pools"][number] | undefined,
  { path, accept }: Document,
  more: Readonly<Record<string, string>> = {},
): Promise<Got> {
  if (pool === undefined) throw new Error("there is no such hub");
  const headers = { ...more, ...(accept === undefined ? {} : { accept }) };
  const answer = await pool.request({ method: "GET", path, headers });
  const text = await answer.body.text();
  const isJson = String(answer.headers["content-type"]).startsWith("application/json") && text !== "";
  return { ...answer, body: isJson ? (JSON.parse(text) as JsonObject) : {} };
}
