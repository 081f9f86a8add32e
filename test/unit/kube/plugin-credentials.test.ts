import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TlsMaterial } from "../../../src/kube/connection.ts";
import { createPluginCredentials } from "../../../src/kube/plugin-credentials.ts";
import { createManualClock } from "../../support/manual-clock.ts";

describe("createPluginCredentials", () => {
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "rollcall-credentials-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** A user with this auth provider, or with a plugin that prints the answer. */
  function open(user?: object, plugin = { command: "cat", args: [join(folder, "answer.json")] }) {
    const clock = createManualClock();
    const tls: { material: TlsMaterial } = { material: {} };
    const config = {
      "current-context": "x",
      clusters: [{ name: "c", cluster: { server: "https://hub.example" } }],
      users: [{ name: "u", user }],
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    };
    const source = { text: stringify(config), path: join(folder, "config"), context: "x", cluster: {}, clock };
    const exec = user === undefined ? plugin : undefined;
    const getTls = () => Promise.resolve(tls.material);
    const credentials = createPluginCredentials({
      ...source,
      exec,
      environment: { PATH: process.env["PATH"] },
      getTls,
    });
    return { clock, tls, credentials };
  }
  const answer = (status: object) => writeFile(join(folder, "answer.json"), JSON.stringify({ status }));

  it("asks a plugin again when its answer is 30 s old, however long the program runs", async () => {
    const { clock, credentials } = open();
    await clock.advance(3_600_000);
    await answer({ token: "first" });
    expect(await credentials.getToken?.()).toBe("first");
    await answer({ token: "second" });
    await clock.advance(29_999);
    expect(await credentials.getToken?.()).toBe("first");
    await clock.advance(1);
    expect(await credentials.getToken?.()).toBe("second");
  });

  it("asks a plugin again from the moment at which its credential expires", async () => {
    const { clock, credentials } = open();
    await answer({ token: "first", expirationTimestamp: new Date(clock.nowMs() + 40_000).toISOString() });
    expect(await credentials.getToken?.()).toBe("first");
    await answer({ token: "second" });
    await clock.advance(39_999);
    expect(await credentials.getToken?.()).toBe("first");
    clock.range(30_000);
    expect(await credentials.getToken?.()).toBe("second");
  });

  it("keeps the answer when a token is refused that the plugin did not give", async () => {
    const { credentials } = open();
    await answer({ token: "first" });
    await credentials.getToken?.();
    await answer({ token: "second" });
    expect(await credentials.getToken?.("another")).toBe("first");
    expect(await credentials.getToken?.("first")).toBe("second");
  });

  it("asks a plugin once for all requests whose token is refused at the same time", async () => {
    const runs = join(folder, "runs");
    const script = `echo >> ${runs}; cat ${join(folder, "answer.json")}`;
    const { credentials } = open(undefined, { command: "sh", args: ["-c", script] });
    await answer({ token: "first" });
    await credentials.getToken?.();
    await answer({ token: "second" });
    const tokens = await Promise.all([1, 2, 3].map(async () => credentials.getToken?.("first")));
    expect(tokens).toEqual(["second", "second", "second"]);
    expect(await readFile(runs, "utf8")).toBe("\n\n");
  });

  it("gives the same TLS material until a part of it is renewed", async () => {
    const { tls, clock, credentials } = open();
    tls.material = { caPem: "ca" };
    await answer({ clientCertificateData: "cert", clientKeyData: "key" });
    const first = await credentials.getTls();
    expect(first).toEqual({ caPem: "ca", certPem: "cert", keyPem: "key" });
    expect(await credentials.getTls()).toBe(first);
    tls.material = { caPem: "renewed" };
    expect(await credentials.getTls()).toEqual({ ...first, caPem: "renewed" });
    for (const [certificate, key] of [
      ["cert", "key 2"],
      ["cert 2", "key 2"],
    ]) {
      await answer({ clientCertificateData: certificate, clientKeyData: key });
      await clock.advance(30_000);
      expect(await credentials.getTls()).toEqual({ caPem: "renewed", certPem: certificate, keyPem: key });
    }
  });

  it("takes the certificate of the kubeconfig where the plugin has none", async () => {
    const { tls, credentials } = open();
    tls.material = { certPem: "own", keyPem: "own key" };
    await answer({ token: "t" });
    expect(await credentials.getTls()).toEqual({ caPem: undefined, certPem: "own", keyPem: "own key" });
  });

  it("names the plugin's kubeconfig and what kubectl would do when the plugin fails", async () => {
    const { credentials } = open();
    await expect(credentials.getToken?.()).rejects.toMatchObject({
      code: "E_KUBECONFIG",
      recovery: "transient",
      message: expect.stringContaining(
        `the credential plugin of ${join(folder, "config")} failed: it ended with 1`,
      ) as string,
      remedy: `Try \`kubectl --kubeconfig ${join(folder, "config")} auth whoami\`: kubectl runs the same plugin.`,
    });
  });

  it("refuses a token that would break the header", async () => {
    const { credentials } = open();
    await answer({ token: "a\nb" });
    await expect(credentials.getToken?.()).rejects.toMatchObject({ code: "E_KUBECONFIG" });
  });

  it("takes the token of an auth provider, and the certificate beside it", async () => {
    const config = { "access-token": "of-gcp", expiry: "2999-01-01T00:00:00Z" };
    const data = (text: string) => Buffer.from(text).toString("base64");
    const { credentials } = open({
      "auth-provider": { name: "gcp", config },
      "client-certificate-data": data("cert"),
      "client-key-data": data("key"),
    });
    expect(await credentials.getToken?.()).toBe("of-gcp");
    expect(await credentials.getTls()).toEqual({ caPem: undefined, certPem: "cert", keyPem: "key" });
  });

  it("has neither of a user of a provider that it does not know", async () => {
    const { credentials } = open({ "auth-provider": { name: "other", config: {} } });
    expect(await credentials.getToken?.()).toBeUndefined();
    expect(await credentials.getTls()).toEqual({});
  });
});
