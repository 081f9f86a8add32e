import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { configMapNamed, page, status, useScriptedApi } from "./scripted-api.ts";
import { answerJson } from "./scripted-server.ts";
import type { Script } from "./scripted-server.ts";

const { configMap } = resourceTypes;

describe("listPages", () => {
  const scripted = useScriptedApi();

  const first = page(["a", "b"], { resourceVersion: "5", continue: "page 2" });

  it("reads all pages of one version and fills in kind and apiVersion", async () => {
    scripted.play(first, page(["c"], { resourceVersion: "5" }));
    const list = await scripted.open().list(configMap, { namespace: "edge", labelSelector: "a in (b, c)" });
    expect(list.resourceVersion).toBe("5");
    expect(list.items).toEqual(
      ["a", "b", "c"].map((name) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "edge", name } })),
    );
    const selector = `labelSelector=${encodeURIComponent("a in (b, c)")}`;
    expect(scripted.server.lines).toEqual([
      `GET /api/v1/namespaces/edge/configmaps?limit=500&${selector}`,
      `GET /api/v1/namespaces/edge/configmaps?limit=500&continue=page%202&${selector}`,
    ]);
  });

  it("holds of each object only what the caller wants of it, page by page", async () => {
    scripted.play(first, page(["c"], { resourceVersion: "5" }));
    const names: string[] = [];
    const hold = ({ apiVersion, kind, metadata: { name } }: KubeObject) => {
      names.push(`${name} after ${scripted.server.lines.length}`);
      return { apiVersion, kind, metadata: { name } };
    };
    const { items } = await scripted.open().list(configMap, { hold });
    expect(items).toEqual(["a", "b", "c"].map((name) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } })));
    expect(names).toEqual(["a after 1", "b after 1", "c after 2"]);
  });

  it("F9 begins anew, with pages, when the server forgot the version in the middle", async () => {
    const expired = status(410, { reason: "Expired", metadata: { continue: "inconsistent" } });
    scripted.play(
      first,
      expired,
      page(["a"], { resourceVersion: "9", continue: "x" }),
      page(["d"], { resourceVersion: "9" }),
    );
    const list = await scripted.open({ pageSize: 2 }).list(configMap);
    expect(list).toMatchObject({
      resourceVersion: "9",
      items: [{ metadata: { name: "a" } }, { metadata: { name: "d" } }],
    });
    expect(scripted.server.lines.map((line) => line.replace("GET /api/v1/configmaps", ""))).toEqual([
      "?limit=2",
      "?limit=2&continue=page%202",
      "?limit=2",
      "?limit=2&continue=x",
    ]);
  });

  it("F9 gives up when that continues", async () => {
    let turn = 0;
    scripted.server.script = (request, response) =>
      (turn++ % 2 === 0 ? first : status(410, { reason: "Expired" }))(request, response);
    await expect(scripted.open().list(configMap)).rejects.toMatchObject({ code: "E_KUBE_GONE" });
    expect(scripted.server.lines).toHaveLength(6);
  });

  it("A56 refuses a list that gives the same page again and again", async () => {
    scripted.play(first);
    await expect(scripted.open().list(configMap)).rejects.toMatchObject({ code: "E_KUBE_SERVER" });
    expect(scripted.server.lines).toHaveLength(2);
  });

  it.each([
    { what: "empty pages", names: [] },
    { what: "pages of objects", names: ["a", "b"] },
  ])("A56 refuses a list that gives $what with ever new continue tokens", async ({ names }) => {
    let turn = 0;
    scripted.server.script = (request, response) =>
      page(names, { resourceVersion: "5", continue: `page ${++turn}` })(request, response);
    const api = scripted.open({ maxPageBytes: 16 * 1024 });
    await expect(api.list(configMap)).rejects.toMatchObject({ code: "E_KUBE_SERVER" });
    expect(turn).toBe(17);
  });

  it("F1 never mixes pages of different versions", async () => {
    scripted.play(first, page(["c"], { resourceVersion: "6" }), page(["z"], { resourceVersion: "7" }));
    expect(await scripted.open().list(configMap)).toMatchObject({
      resourceVersion: "7",
      items: [{ metadata: { name: "z" } }],
    });
  });

  it.each([
    { what: "a later page fails", script: status(500, { reason: "InternalError" }), code: "E_KUBE_SERVER" },
    {
      what: "a later page is cut off",
      script: ((_, response) => {
        response.writeHead(200, { "content-length": 1000 });
        response.write('{"kind":', () => response.socket?.destroy());
      }) satisfies Script,
      code: "E_KUBE_UNREACHABLE",
    },
    {
      what: "a later page is cut off and no length was declared",
      script: ((_, response) =>
        response.writeHead(200, { connection: "close" }).end('{"kind":"ConfigMapList"')) satisfies Script,
      code: "E_KUBE_SERVER",
    },
    {
      what: "a later page is an object",
      script: ((_, response) => answerJson(response, 200, configMapNamed("x"))) satisfies Script,
      code: "E_KUBE_SERVER",
    },
    {
      what: "a later page has no items",
      script: ((_, response) =>
        answerJson(response, 200, { kind: "ConfigMapList", metadata: { resourceVersion: "5" } })) satisfies Script,
      code: "E_KUBE_SERVER",
    },
    {
      what: "a later page is HTML",
      script: ((_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>")) satisfies Script,
      code: "E_KUBE_SERVER",
    },
  ])("F1 fails as a whole when $what", async ({ script, code }) => {
    scripted.play(first, script);
    await expect(scripted.open().list(configMap)).rejects.toMatchObject({ code });
  });
});
