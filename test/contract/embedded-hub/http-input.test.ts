import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { decodeKubeObject, encodeKubeObject } from "../../../src/embedded-hub/protobuf/kube-protobuf.ts";
import { objectsAt, textAt, valueAt } from "../../../src/core/read-json.ts";
import { ofThisMachine, startCpuWatch } from "../../support/of-this-machine.ts";
import type { Answer, TestHub } from "./hub-client.ts";
import { startTestHub } from "./hub-client.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
let server: TestHub;

beforeAll(async () => {
  server = await startTestHub();
});
afterAll(() => server.stop());

function create(body: object | string | Buffer, contentType = "application/json", query = ""): Promise<Answer> {
  return server.call({
    method: "POST",
    path: `${configMaps}?dryRun=All${query}`,
    body,
    headers: { "content-type": contentType },
  });
}

function messageOf(answer: Answer): string {
  return textAt(answer.json, "message") ?? "";
}

describe("a body", () => {
  it("may be JSON or YAML, and is taken as it comes", async () => {
    const json = { metadata: { name: "a" }, data: { x: "1" } };
    expect((await create(json)).json).toMatchObject({ kind: "ConfigMap", data: { x: "1" } });
    expect((await create("metadata: {name: a}\ndata:\n  x: '1'\n", "application/yaml")).json).toMatchObject({
      data: { x: "1" },
    });
    const compressed = await create(gzipSync(JSON.stringify(json)));
    expect(compressed.statusCode).toBe(400);
    expect(messageOf(compressed)).toContain(String.raw`invalid character '\x1f' looking for beginning of value`);
  });

  it.each([
    ['{"metadata":{"name":"a"', "unexpected end of JSON input"],
    ['{"metadata":{"name":}}', "invalid character '}' looking for beginning of value"],
    ["[]", "json: cannot unmarshal array into Go value of type struct"],
  ])("that is no object is refused with the message of kube-apiserver: %s", async (body, words) => {
    const answer = await create(body);
    expect(answer.statusCode).toBe(400);
    expect(answer.json).toMatchObject({ kind: "Status", apiVersion: "v1", status: "Failure", reason: "BadRequest" });
    expect(messageOf(answer)).toContain(words);
  });

  it("of more than 3 MiB is refused, whatever its declared length", async () => {
    const big = JSON.stringify({ metadata: { name: "a" }, data: { x: "x".repeat(3 * 1024 * 1024) } });
    const answer = await create(big);
    expect(answer.statusCode).toBe(413);
    expect(answer.json).toMatchObject({
      reason: "RequestEntityTooLarge",
      message: "Request entity too large: limit is 3145728",
    });
    const chunked = await server.call({
      method: "POST",
      path: configMaps,
      body: big,
      headers: { "transfer-encoding": "chunked" },
    });
    expect(chunked.statusCode).toBe(413);
    expect((await create({ metadata: { name: "a" } })).statusCode).toBe(201);
  });

  it.each([
    ["objects", `{"metadata":{"name":"a"},"x":${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}}`],
    ["lists", `{"metadata":{"name":"a"},"x":${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
    ["lists without an end", "[".repeat(200_000)],
  ])("of too many %s within each other is refused", async (_, body) => {
    const answer = await create(body);
    expect(answer.statusCode).toBe(400);
    expect(messageOf(answer)).toContain("exceeded max depth");
  });

  it("in YAML may not be too deep either, nor expand by aliases", async () => {
    const deep = await create(`x: ${"[".repeat(50_000)}${"]".repeat(50_000)}`, "application/yaml");
    expect(deep.statusCode).toBe(400);
    expect(messageOf(deep)).toContain("exceeded max depth");
    const levels = Array.from({ length: 12 }, (_, level) =>
      level === 0 ? "a0: &a0 [x,x,x,x,x,x,x,x,x,x]" : `a${level}: &a${level} [${`*a${level - 1},`.repeat(10)}]`,
    );
    const bomb = await create(levels.join("\n"), "application/yaml");
    expect(bomb.statusCode).toBe(400);
  });

  it("of an unknown media type is refused with those that are known", async () => {
    const answer = await create("<a/>", "application/xml");
    expect(answer.statusCode).toBe(415);
    expect(answer.json).toMatchObject({ kind: "Status", reason: "UnsupportedMediaType" });
    expect(messageOf(answer)).toContain("application/json");
  });
});

describe("fields", () => {
  const twice = '{"metadata":{"name":"a"},"data":{"a":"1","a":"2"},"foo":1}';

  it("that are unknown or duplicate cause warnings", async () => {
    const answer = await create(twice);
    expect(answer.statusCode).toBe(201);
    expect(answer.headers["warning"]).toBe('299 - "duplicate field \\"data.a\\"", 299 - "unknown field \\"foo\\""');
    expect(answer.json).toMatchObject({ data: { a: "2" } });
    expect(answer.json["foo"]).toBeUndefined();
  });

  it("are refused when the client wants that", async () => {
    const answer = await create(twice, "application/json", "&fieldValidation=Strict");
    expect(answer.statusCode).toBe(400);
    expect(messageOf(answer)).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "data.a", unknown field "foo"',
    );
  });

  it("are named a hundred at most, as by Go's decoder", async () => {
    const unknown = Array.from({ length: 150 }, (_, index) => `,"unknown${index}":1`).join("");
    const answer = await create(
      `{"metadata":{"name":"many"}${unknown}}`,
      "application/json",
      "&fieldValidation=Strict",
    );
    expect(answer.statusCode).toBe(400);
    expect(messageOf(answer).match(/unknown field/gu)).toHaveLength(100);
  });

  it("are ignored without a warning when the client wants that", async () => {
    const answer = await create(twice, "application/json", "&fieldValidation=Ignore");
    expect(answer.statusCode).toBe(201);
    expect(answer.headers["warning"]).toBeUndefined();
  });

  it("of YAML that are duplicate are reported with their lines", async () => {
    const text = "metadata:\n  name: a\ndata:\n  a: '1'\n  a: '2'\n";
    const warned = await create(text, "application/yaml");
    expect(warned.headers["warning"]).toBe('299 - "line 5: key \\"a\\" already set in map"');
    const refused = await create(text, "application/yaml", "&fieldValidation=Strict");
    expect(messageOf(refused)).toContain('yaml: unmarshal errors:\n  line 5: key "a" already set in map');
  });
});

describe("an object in protobuf", () => {
  // As typed clients of Go send built-in kinds: Clusternet's agent its Lease, with nothing in JSON to fall back to.
  const contentType = "application/vnd.kubernetes.protobuf";
  const headers = { "content-type": contentType, accept: `${contentType}, application/json` };

  it.each([
    {
      path: "/apis/coordination.k8s.io/v1/namespaces/default/leases",
      object: {
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: { name: "proto" },
        spec: { holderIdentity: "a" },
      },
      change: { spec: { holderIdentity: "b" } },
    },
    {
      path: "/api/v1/namespaces/default/secrets",
      object: { apiVersion: "v1", kind: "Secret", metadata: { name: "proto" }, data: { token: "YQ==" } },
      change: { data: { token: "Yg==" } },
    },
  ])("is made, read and changed at $path", async ({ path, object, change }) => {
    const send = async (method: string, place: string, body?: object): Promise<unknown> => {
      const bytes = body === undefined ? {} : { body: Buffer.from(encodeKubeObject(body as JsonObject) ?? []) };
      const answer = await server.call({ method, path: place, headers, ...bytes });
      expect(answer.headers["content-type"], answer.text).toBe(contentType);
      const decoded = decodeKubeObject(answer.bytes);
      return decoded.kind === "object" ? decoded.object : decoded;
    };
    const made = await send("POST", path, object);
    expect(made).toMatchObject(object);
    expect(await send("GET", `${path}/proto`)).toEqual(made);
    const changed = await send("PUT", `${path}/proto`, { ...(made as JsonObject), ...change });
    expect(changed).toMatchObject(change);
    expect((await server.call({ path: `${path}/proto` })).json).toMatchObject(change);
  });
});

describe("an answer", () => {
  it("is what the client accepts best", async () => {
    const accepted = async (accept: string): Promise<string | undefined> =>
      (await server.call({ path: configMaps, headers: { accept } })).headers["content-type"];
    expect(await accepted("application/yaml")).toBe("application/yaml");
    expect(await accepted("application/vnd.kubernetes.protobuf, application/json")).toBe(
      "application/vnd.kubernetes.protobuf",
    );
    expect(await accepted("text/html;q=0.9, */*;q=0.8")).toBe("application/json");
  });

  it("is a refusal when the client accepts nothing of what there is", async () => {
    const answer = await server.call({ path: configMaps, headers: { accept: "text/html" } });
    expect(answer.statusCode).toBe(406);
    expect(answer.json).toMatchObject({ kind: "Status", reason: "NotAcceptable" });
  });

  it("is a table or metadata alone for who asks for that", async () => {
    await server.call({ method: "POST", path: configMaps, body: { metadata: { name: "shown" }, data: { a: "1" } } });
    const as = async (shape: string, path: string): Promise<Answer> =>
      server.call({ path, headers: { accept: `application/json;as=${shape};v=v1;g=meta.k8s.io` } });
    const table = await as("Table", configMaps);
    expect(table.json).toMatchObject({
      kind: "Table",
      columnDefinitions: [{ name: "Name" }, { name: "Data" }, { name: "Age" }],
    });
    const rows = objectsAt(table.json, "rows").map((row) => valueAt(row, "cells"));
    expect(rows).toContainEqual(["shown", 1, expect.any(String)]);
    const metadata = await as("PartialObjectMetadata", `${configMaps}/shown`);
    expect(metadata.json).toMatchObject({ kind: "PartialObjectMetadata", metadata: { name: "shown" } });
    expect(metadata.json["data"]).toBeUndefined();
  });

  it("of many bytes is compressed for who can read that", async () => {
    const data = { x: "y".repeat(200_000) };
    await server.call({ method: "POST", path: configMaps, body: { metadata: { name: "large" }, data } });
    const answer = await server.call({ path: `${configMaps}/large`, headers: { "accept-encoding": "gzip" } });
    expect(answer.headers["content-encoding"]).toBe("gzip");
    expect(answer.bytes.length).toBeLessThan(10_000);
  });

  it("is an error for paths and methods that are not served", async () => {
    expect(await server.call({ path: "/api/v1/namespaces/default/nothings" })).toMatchObject({ statusCode: 404 });
    expect(await server.call({ path: "/apis/no.example/v1/things" })).toMatchObject({ statusCode: 404 });
    expect(await server.call({ method: "PUT", path: configMaps, body: {} })).toMatchObject({ statusCode: 405 });
    const exec = await server.call({ method: "POST", path: "/api/v1/namespaces/default/pods/p/exec?command=ls" });
    expect(exec.statusCode).toBe(501);
    expect(exec.json).toMatchObject({ kind: "Status", reason: "NotImplemented" });
  });
});

describe("A49 YAML that costs more than its size", () => {
  const nested = (levels: number): string => `a: ${"[".repeat(levels)}`;
  const fill = (piece: string): string => piece.repeat(Math.floor((3 * 1024 * 1024 - 100) / piece.length));
  const bodies: readonly [name: string, body: () => string, code?: number][] = [
    ["20,000 brackets that are never closed", () => nested(20_000)],
    ["3 MiB of brackets", () => nested(3_000_000)],
    ["3 MiB of items within each other", () => "- ".repeat(1_500_000)],
    ["2,000 levels by indentation", () => Array.from({ length: 2000 }, (_, i) => `${" ".repeat(i)}a:`).join("\n")],
    ["250,000 keys", () => Array.from({ length: 250_000 }, (_, i) => `k${i}: v`).join("\n"), 413],
    ["10,000 keys", () => Array.from({ length: 10_000 }, (_, i) => `  k${i}: v\n`).join(""), 413],
    ["lists within a list", () => `a: [${fill("[],")}]`, 413],
    ["blank lines", () => `a: 1${fill("\n")}b: 1`, 413],
    ["blank lines in quotes", () => `a: "${fill("\n")}`, 413],
    ["blank lines in a folded text", () => `a: >\n${fill("\n")}  x`, 413],
    ["lines of a literal text", () => `a: |\n${fill("  x\n")}`, 413],
    ["merge keys", () => `a: &a {b: 1}\nc:\n${fill("  <<: *a\n")}`, 413],
    ["an anchor of 400 kB that is used 10,000 times", () => anchored(400_000, 10_000)],
    ["anchors within anchors", () => lolYaml(30)],
    ["as many documents as fit", () => "---\n[\n".repeat(400_000)],
    ["as many tags as fit", () => `a: ${"!a ".repeat(1_000_000)}`],
    ["as many quotes as fit", () => '- "\n'.repeat(700_000), 413],
    ["blank lines and comments", () => `${"\n".repeat(500_000)}${"   #\n".repeat(400_000)}]`, 413],
    ["a number of 3,000,000 digits", () => `a: ${"9".repeat(3_000_000)}\n? [a, {b: c}]\n: d\n`],
    ["a list as a key", () => "? [a, {b: c}]\n: d\n"],
  ];

  it.each(bodies.map(([name, body, code = 400]) => ({ name, body, code })))(
    "is refused on little time: $name",
    async ({ body, code }) => {
      const text = body();
      const sinceMs = startCpuWatch();
      const answer = await server.call({
        method: "POST",
        path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
        body: text,
        headers: { "content-type": "application/yaml" },
      });
      const cpuMs = sinceMs();
      expect(answer.statusCode).toBe(code);
      expect(answer.text.length).toBeLessThan(2000);
      if (code === 413) expect(messageOf(answer)).toContain("send it as JSON, which may have more values");
      expect(cpuMs).toBeLessThan(ofThisMachine(1500));
    },
  );

  function anchored(bytes: number, uses: number): string {
    return `a: &a ${"x".repeat(bytes)}\nb: [${"*a, ".repeat(uses)}]\n`;
  }

  function lolYaml(levels: number): string {
    const lines = Array.from({ length: levels }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`);
    return ["a0: &a0 x", ...lines].join("\n");
  }
});
