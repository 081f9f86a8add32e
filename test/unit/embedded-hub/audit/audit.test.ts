import { statSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { silentLog } from "../../../../src/core/log.ts";
import { openAuditLog } from "../../../../src/embedded-hub/audit/audit.ts";
import { createManualClock } from "../../../support/manual-clock.ts";
import { realRandom } from "../../../support/real-time.ts";

it("holds no more of the audit log than 16 MiB: a request waits until the disk has what came before it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "rollcall-audit-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const logFile = join(folder, "audit.log");
  const scope = { clock: createManualClock(), random: realRandom, metrics: { countAudit: () => undefined } };
  const log = await openAuditLog({ logFile }, { ...scope, log: silentLog });
  const mebibyte = 1024 * 1024;
  const url = `/${"x".repeat(mebibyte)}`;
  const open = () =>
    log.open(
      {
        request: { headers: {}, url, remoteAddress: "127.0.0.1" },
        // Its client has left: the line is written at once.
        response: { headersSent: true, statusCode: 200, once: () => undefined, destroyed: true },
      },
      { kind: "path", verb: "get", method: "GET", path: url, query: new URLSearchParams() },
      { username: "flooder", groups: [] },
    );
  await Promise.all(Array.from({ length: 17 }, open));
  await open();
  expect(statSync(logFile).size).toBeGreaterThan(16 * mebibyte);
  await log.close();
  expect(statSync(logFile).size).toBeGreaterThan(18 * mebibyte);
});

describe("a line of the audit log", () => {
  type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

  /** What the log has of one request whose answer is still open when the hub stops. */
  async function lineOf(headers: Headers, remoteAddress?: string): Promise<Record<string, unknown>> {
    const folder = await mkdtemp(join(tmpdir(), "rollcall-audit-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const logFile = join(folder, "audit.log");
    const counts: object[] = [];
    const metrics = { countAudit: (count: object) => void counts.push(count) };
    const scope = { clock: createManualClock(), random: realRandom, metrics, log: silentLog };
    const log = await openAuditLog({ logFile }, scope);
    const response = { headersSent: true, statusCode: 204, once: () => undefined, destroyed: false };
    const info = { kind: "path", verb: "get", method: "GET", path: "/x", query: new URLSearchParams() } as const;
    const opened = await log.open({ request: { headers, url: "/x", remoteAddress }, response }, info, user);
    expect(counts).toEqual([]);
    await log.close();
    expect(counts).toEqual([{ events: 1, lost: 0 }]);
    const line = JSON.parse(await readFile(logFile, "utf8")) as Record<string, unknown>;
    expect(line).toMatchObject({ auditID: opened?.auditId, responseStatus: { code: 204 } });
    return line;
  }
  const user = { username: "u", groups: [] };

  it.each<readonly [string, Headers, string | undefined, readonly string[] | undefined]>([
    ["the connection", {}, "10.0.0.1", ["10.0.0.1"]],
    ["a connection of IPv4 on a socket of IPv6", {}, "::ffff:10.0.0.1", ["10.0.0.1"]],
    ["a connection of IPv6", {}, "fe80::ffff:10.0.0.1", ["fe80::ffff:10.0.0.1"]],
    ["no connection", {}, undefined, undefined],
    ["proxies", { "x-forwarded-for": "1.1.1.1 , nope,::2" }, "10.0.0.1", ["1.1.1.1", "::2", "10.0.0.1"]],
    ["a proxy that is the connection", { "x-forwarded-for": "10.0.0.1" }, "10.0.0.1", ["10.0.0.1"]],
    ["a real address", { "x-real-ip": " 2.2.2.2 " }, "10.0.0.1", ["2.2.2.2", "10.0.0.1"]],
    [
      "a real address that proxies have",
      { "x-forwarded-for": "2.2.2.2,3.3.3.3", "x-real-ip": "2.2.2.2" },
      undefined,
      ["2.2.2.2", "3.3.3.3"],
    ],
    ["a real address that is none", { "x-real-ip": "nope" }, "10.0.0.1", ["10.0.0.1"]],
    ["the first of several headers", { "x-real-ip": ["2.2.2.2", "3.3.3.3"] }, undefined, ["2.2.2.2"]],
  ])("has the addresses of %s", async (_what, headers, remote, addresses) => {
    expect((await lineOf(headers, remote))["sourceIPs"]).toEqual(addresses);
  });

  it("has the id of the client, or one of its own", async () => {
    expect((await lineOf({ "audit-id": "mine" }))["auditID"]).toBe("mine");
    expect((await lineOf({ "audit-id": "" }))["auditID"]).toMatch(/^[0-9a-f-]{36}$/u);
  });

  it("is none by a policy without a rule, and a policy that cannot be read is refused", async () => {
    const folder = await mkdtemp(join(tmpdir(), "rollcall-audit-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const policyFile = join(folder, "policy.yaml");
    const scope = { clock: createManualClock(), random: realRandom, metrics: { countAudit: () => undefined } };
    const open = () => openAuditLog({ logFile: join(folder, "audit.log"), policyFile }, { ...scope, log: silentLog });
    await expect(open()).rejects.toThrow(`read the audit policy ${policyFile}: ENOENT`);
    await writeFile(policyFile, "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n  - level: None\n");
    const log = await open();
    const response = { headersSent: true, statusCode: 200, once: () => undefined, destroyed: false };
    const info = { kind: "path", verb: "get", method: "GET", path: "/x", query: new URLSearchParams() } as const;
    expect(
      await log.open({ request: { headers: {}, remoteAddress: undefined }, response }, info, user),
    ).toBeUndefined();
    await log.close();
  });
});
