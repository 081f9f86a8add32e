import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { textAt } from "../../../src/core/read-json.ts";
import type { Answer, Call, TestHub } from "./hub-client.ts";
import { startTestHub } from "./hub-client.ts";

let server: TestHub;

beforeAll(async () => {
  server = await startTestHub();
});
afterAll(() => server.stop());

const maps = "/api/v1/namespaces/default/configmaps";

async function make(name: string): Promise<Answer> {
  return server.call({ method: "POST", path: maps, body: { metadata: { name } } });
}

async function messageOf(call: Call): Promise<readonly [number, string]> {
  const { statusCode, json } = await server.call(call);
  return [statusCode, textAt(json, "message") ?? ""];
}

describe("options of a write that kube-apiserver refuses", () => {
  it.each(["dryRun=", "dryRun", "dryRun=&dryRun=All", "dryRun=all"])("A48 is not done with %s", async (query) => {
    const call = { method: "POST", path: `${maps}?${query}`, body: { metadata: { name: "wanted" } } };
    expect(await messageOf(call)).toEqual([422, expect.stringContaining('supported values: "All"')]);
    expect((await server.call({ path: `${maps}/wanted` })).statusCode).toBe(404);
  });

  it.each([
    [
      { dryRun: "All" },
      500,
      "json: cannot unmarshal string into Go struct field DeleteOptions.dryRun of type []string",
    ],
    [{ dryRun: [1] }, 500, "json: cannot unmarshal number into Go struct field DeleteOptions.dryRun of type string"],
    [{ dryRun: [null] }, 422, 'dryRun: Unsupported value: [""]: supported values: "All"'],
    [{ gracePeriodSeconds: "1" }, 500, "DeleteOptions.gracePeriodSeconds of type int64"],
    [{ propagationPolicy: 1 }, 500, "DeleteOptions.propagationPolicy of type"],
  ])("A48 deletes nothing with the body %j", async (options, code, message) => {
    await make("kept");
    const body = JSON.stringify({ kind: "DeleteOptions", apiVersion: "v1", ...options });
    const headers = { "content-type": "application/json", "content-length": String(body.length) };
    const answer = await messageOf({ method: "DELETE", path: `${maps}/kept`, body, headers });
    expect(answer).toEqual([code, expect.stringContaining(message)]);
    expect((await server.call({ path: `${maps}/kept` })).statusCode).toBe(200);
  });
});

describe("a version as text", () => {
  it("is the number of its digits", async () => {
    const live = textAt((await make("padded")).json, "metadata", "resourceVersion") ?? "";
    const body = { metadata: { name: "padded", resourceVersion: `00${live}` }, data: { a: "1" } };
    expect((await server.call({ method: "PUT", path: `${maps}/padded`, body })).statusCode).toBe(200);
    expect((await server.call({ path: `${maps}/padded?resourceVersion=00${live}` })).statusCode).toBe(200);
  });

  it.each(["0x1", "-1", "abc", "0", "99999999999999999999"])(
    "is none, for a new object: %s",
    async (resourceVersion) => {
      const metadata = { generateName: "new-", resourceVersion };
      expect((await server.call({ method: "POST", path: maps, body: { metadata } })).statusCode).toBe(201);
    },
  );

  const outOfRange = 'strconv.ParseUint: parsing "18446744073709551616": value out of range';
  const wrong = 'resourceVersion: Invalid value: "0x1": strconv.ParseUint: parsing "0x1": invalid syntax';
  it.each([
    ["/numbers?resourceVersion=0x1", 500, wrong],
    ["?resourceVersion=0x1", 400, `invalid resource version: ${wrong}`],
    ["?watch=1&resourceVersion=0x1", 500, wrong],
    ["/numbers?resourceVersion=18446744073709551616", 500, outOfRange],
    ["?resourceVersion=18446744073709551616", 400, outOfRange],
    ["?watch=1&resourceVersion=18446744073709551616", 500, outOfRange],
    ["/numbers?resourceVersion=18446744073709551615", 504, "Too large resource version: 18446744073709551615,"],
    ["?resourceVersion=9223372036854775807", 504, "Too large resource version: 9223372036854775807,"],
  ])("is read in every digit: %s", async (rest, code, message) => {
    await make("numbers");
    expect(await messageOf({ path: `${maps}${rest}` })).toEqual([code, expect.stringContaining(message)]);
  });

  it("is refused beyond what it can be, in an update", async () => {
    await make("updated");
    const body = { metadata: { name: "updated", resourceVersion: "18446744073709551616" } };
    expect(await messageOf({ method: "PUT", path: `${maps}/updated`, body })).toEqual([500, outOfRange]);
  });

  it("names the first page of one object at no old revision", async () => {
    await make("first");
    const live = await make("second");
    const version = textAt(live.json, "metadata", "resourceVersion") ?? "";
    await server.call({
      method: "PUT",
      path: `${maps}/second`,
      body: { metadata: { name: "second" }, data: { a: "1" } },
    });
    const answer = await server.call({
      path: `${maps}?fieldSelector=metadata.name=second&limit=1&resourceVersion=${version}`,
    });
    expect(answer.text).toContain('"data":{"a":"1"}');
  });
});

describe("an Event, which owns nothing", () => {
  const events = "/api/v1/namespaces/default/events";
  const newEvents = "/apis/events.k8s.io/v1/namespaces/default/events";
  const event = (name: string, finalizers: readonly string[]): object => ({
    metadata: { name, finalizers },
    involvedObject: { kind: "Pod", namespace: "default", name: "x" },
  });
  it.each([
    [events, "Foreground"],
    [events, "Orphan"],
    [newEvents, "Foreground"],
    [newEvents, "Orphan"],
  ])("is deleted at once from %s with the policy %s", async (collection, policy) => {
    for (const finalizers of [[], ["orphan"], ["foregroundDeletion"]]) {
      expect((await server.call({ method: "POST", path: events, body: event("e", finalizers) })).statusCode).toBe(201);
      const path = `${collection}/e?propagationPolicy=${policy}`;
      expect(textAt((await server.call({ method: "DELETE", path })).json, "status")).toBe("Success");
      expect((await server.call({ path: `${events}/e` })).statusCode).toBe(404);
    }
  });
});
