import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { objectAt, textAt } from "../../../src/core/read-json.ts";
import { heldBytes } from "../../support/held-bytes.ts";
import { until } from "../../support/until.ts";
import type { TestHub } from "./hub-client.ts";
import { startTestHub } from "./hub-client.ts";

const streams = 300;

/**
 * A program with a token that begins requests on one connection and sends 900 KiB of a body to each, which it never ends. It prints
 * a line when each was taken or its request ended, and stays.
 */
const client = `
import { connect } from "node:http2";

const [url, token, method, path] = process.argv.slice(1);
const session = connect(url, { rejectUnauthorized: false, maxSessionMemory: 1000 });
const body = Buffer.alloc(${900 * 1024});
let open = ${streams};
session.once("remoteSettings", () => {
  for (let index = 0; index < ${streams}; index += 1) {
    const head = { ":method": method, ":path": path, authorization: "Bearer " + token, "content-type": "application/json" };
    const stream = session.request(head, { endStream: false });
    let isSettled = false;
    const settle = () => {
      if (!isSettled) open -= 1;
      isSettled = true;
      if (open === 0) process.stdout.write("all\\n");
    };
    stream.on("error", settle);
    stream.resume();
    stream.write(body, settle);
  }
});
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
`;

describe("a body that no verb reads", () => {
  let server: TestHub;
  let token: string;
  beforeAll(async () => {
    server = await startTestHub();
    const accounts = "/api/v1/namespaces/default/serviceaccounts";
    await create(accounts, { metadata: { name: "reader" } });
    const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
    const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["watch"] }];
    await create(`${rbac}/roles`, { metadata: { name: "reader" }, rules });
    await create(`${rbac}/rolebindings`, {
      metadata: { name: "reader" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" },
      subjects: [{ kind: "ServiceAccount", namespace: "default", name: "reader" }],
    });
    token = textAt(objectAt(await create(`${accounts}/reader/token`, { spec: {} }), "status"), "token") ?? "";
  });
  afterAll(() => server.stop());

  async function create(path: string, body: object) {
    const answer = await server.call({ method: "POST", path, body });
    expect(answer.statusCode, answer.text).toBe(201);
    return answer.json;
  }

  it.each([
    ["of watches", "GET", "/api/v1/namespaces/default/configmaps?watch=true"],
    [
      "of requests that are refused for what their account sends",
      "POST",
      "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    ],
  ])("A133 holds no memory, %s", async (_, method, path) => {
    const before = heldBytes();
    const child = spawn(process.execPath, [
      "--input-type=module",
      "--eval",
      client,
      server.hub.url,
      token,
      method,
      path,
    ]);
    try {
      await once(child.stdout, "data");
      // Unfinished bodies of one account may hold 64 MiB.
      const isLittle = (heldMiB: number): boolean => heldMiB < 80;
      await until(() => Promise.resolve((heldBytes() - before) / 1024 ** 2), isLittle);
      expect((await server.call({ path: "/livez" })).statusCode).toBe(200);
    } finally {
      child.stdin.end();
      await once(child, "close");
    }
  });
});
