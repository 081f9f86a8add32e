import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readTrustedKubeconfig } from "../../../src/kube/read-trusted-kubeconfig.ts";
import { createManualClock } from "../../support/manual-clock.ts";

const pem = (name: string) => `-----BEGIN CERTIFICATE-----\n${name}\n-----END CERTIFICATE-----\n`;

describe("readTrustedKubeconfig", () => {
  const environment = { PATH: process.env["PATH"] };
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "rollcall-kubeconfig-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function read(cluster: object, user: object) {
    const path = join(folder, "config");
    const config = {
      "current-context": "x",
      clusters: [{ name: "c", cluster: { server: "https://hub.example", ...cluster } }],
      users: [{ name: "u", user }],
      contexts: [{ name: "x", context: { cluster: "c", user: "u", namespace: "fleet" } }],
    };
    await writeFile(path, stringify(config));
    const clock = createManualClock();
    return { clock, connection: await readTrustedKubeconfig(path, { clock, environment }) };
  }

  it("reads the files it refers to, from its own folder, again when they change", async () => {
    await mkdir(join(folder, "pki"));
    await writeFile(join(folder, "pki/ca.crt"), pem("ca"));
    await writeFile(join(folder, "me.crt"), pem("cert"));
    await writeFile(join(folder, "me.key"), pem("key"));
    const user = { "client-certificate": "./me.crt", "client-key": join(folder, "me.key") };
    const { connection } = await read({ "certificate-authority": "pki/ca.crt", "tls-server-name": "hub" }, user);
    expect(connection).toMatchObject({ server: "https://hub.example", namespace: "fleet", tlsServerName: "hub" });
    expect(await connection.getTls()).toEqual({ caPem: pem("ca"), certPem: pem("cert"), keyPem: pem("key") });
    await writeFile(join(folder, "me.crt"), pem("renewed"));
    expect((await connection.getTls()).certPem).toBe(pem("renewed"));
  });

  it.each(["one file", "several files"])("reads a large kubeconfig: the clusters of a fleet in %s", async (form) => {
    const names = Array.from({ length: 40 }, (_, index) => `cluster-${index}`);
    const data = Buffer.from(pem("x".repeat(30_000))).toString("base64");
    const cluster = () => ({ server: "https://hub.example", "certificate-authority-data": data });
    const config = {
      "current-context": "cluster-39",
      clusters: names.map((name) => ({ name, cluster: cluster() })),
      users: names.map((name) => ({ name, user: { token: name } })),
      contexts: names.map((name) => ({ name, context: { cluster: name, user: name } })),
    };
    const path = join(folder, "config");
    await writeFile(path, stringify(config));
    await writeFile(join(folder, "empty"), "{}");
    const paths = form === "one file" ? path : `${path}:${join(folder, "empty")}`;
    const connection = await readTrustedKubeconfig(paths, { clock: createManualClock(), environment });
    expect(await connection.getToken?.()).toBe("cluster-39");
  });

  it("names a file that it refers to and that cannot be read, with the reason", async () => {
    const path = join(folder, "client.crt");
    const { connection } = await read({}, { "client-certificate": "client.crt", "client-key": "client.key" });
    const byToken = await read({}, { tokenFile: "client.crt" });
    for (const ask of [() => connection.getTls(), () => byToken.connection.getToken?.()])
      await expect(ask()).rejects.toMatchObject({
        code: "E_KUBECONFIG",
        message: `read ${path}: it is not there`,
        remedy: expect.stringContaining(`\`ls -ld ${path}\``) as string,
      });
  });

  it("reads the several files that KUBECONFIG lists as one", async () => {
    const { clock } = await read({}, { tokenFile: "token" });
    await writeFile(join(folder, "token"), "from-file\n");
    const list = `${join(folder, "none")}:${join(folder, "config")}`;
    const connection = await readTrustedKubeconfig(list, { clock, environment });
    expect(await connection.getToken?.()).toBe("from-file");
  });

  it("knows how kubectl reaches the same server, in words that a shell takes", async () => {
    const { clock, connection } = await read({}, { token: "t" });
    const path = join(folder, "config");
    expect(connection.kubectl).toBe(`kubectl --kubeconfig ${path}`);
    const list = `${join(folder, "none")}:${path}`;
    const chosen = await readTrustedKubeconfig(list, { clock, environment, context: "x" });
    expect(chosen.kubectl).toBe(`KUBECONFIG=${list} kubectl --context x`);
    const spaced = join(folder, "my config");
    await rename(path, spaced);
    expect((await readTrustedKubeconfig(spaced, { clock, environment })).kubectl).toBe(
      `kubectl --kubeconfig '${spaced}'`,
    );
  });

  it("reads a token file, and a token in it", async () => {
    await writeFile(join(folder, "token"), "from-file\n");
    const { connection } = await read({}, { tokenFile: "token" });
    expect(await connection.getToken?.()).toBe("from-file");
    const inline = await read({}, { token: "inline" });
    expect(await inline.connection.getToken?.()).toBe("inline");
  });

  it("prefers what it holds itself to files", async () => {
    const data = Buffer.from(pem("inline")).toString("base64");
    const { connection } = await read({ "certificate-authority": "none.crt", "certificate-authority-data": data }, {});
    expect((await connection.getTls()).caPem).toBe(pem("inline"));
    expect(connection.getToken).toBeUndefined();
  });

  it("runs a credential plugin, again only after a while or when its token was refused", async () => {
    const script = [
      "#!/bin/sh",
      `n=$(cat ${folder}/count 2>/dev/null || echo 0); n=$((n+1)); echo $n > ${folder}/count`,
      `echo "{\\"apiVersion\\":\\"client.authentication.k8s.io/v1\\",\\"kind\\":\\"ExecCredential\\",` +
        `\\"status\\":{\\"token\\":\\"$1-$n\\"}}"`,
    ];
    await writeFile(join(folder, "plugin.sh"), script.join("\n"));
    await chmod(join(folder, "plugin.sh"), 0o755);
    const exec = {
      apiVersion: "client.authentication.k8s.io/v1",
      command: join(folder, "plugin.sh"),
      args: ["token"],
    };
    const { connection, clock } = await read({}, { exec });
    const results = await Promise.all([connection.getToken?.(), connection.getToken?.(), connection.getTls()]);
    expect(results.slice(0, 2)).toEqual(["token-1", "token-1"]);
    expect(await connection.getToken?.("token-1")).toBe("token-2");
    expect(await connection.getToken?.("token-1")).toBe("token-2");
    await clock.advance(31_000);
    expect(await connection.getToken?.()).toBe("token-3");
  });

  it("takes a client certificate from a plugin", async () => {
    const status = { clientCertificateData: pem("cert"), clientKeyData: pem("key") };
    const credential = { apiVersion: "client.authentication.k8s.io/v1", kind: "ExecCredential", status };
    await writeFile(join(folder, "credential.json"), JSON.stringify(credential));
    const exec = { apiVersion: credential.apiVersion, command: "cat", args: [join(folder, "credential.json")] };
    const { connection } = await read({}, { exec });
    expect(await connection.getTls()).toMatchObject({ certPem: pem("cert"), keyPem: pem("key") });
    expect(await connection.getToken?.()).toBeUndefined();
  });

  it("reports what a plugin printed when it failed, and asks it again", async () => {
    const command = join(folder, "plugin.sh");
    await writeFile(command, "#!/bin/sh\necho 'please log in' >&2\nexit 3\n");
    await chmod(command, 0o755);
    const { connection } = await read({}, { exec: { apiVersion: "client.authentication.k8s.io/v1", command } });
    await expect(connection.getToken?.()).rejects.toMatchObject({
      code: "E_KUBECONFIG",
      message: expect.stringContaining("please log in") as string,
    });
    await writeFile(command, `#!/bin/sh\necho '{"kind":"ExecCredential","status":{"token":"now"}}'\n`);
    expect(await connection.getToken?.()).toBe("now");
  });

  it("asks a plugin again when the credential of its answer has expired, and not before", async () => {
    const credential = (token: string, expirationTimestamp: string) =>
      writeFile(join(folder, "credential.json"), JSON.stringify({ status: { token, expirationTimestamp } }));
    const { connection, clock } = await read({}, { exec: { command: "cat", args: [join(folder, "credential.json")] } });
    await credential("first", new Date(clock.nowMs() + 60_000).toISOString());
    expect(await connection.getToken?.()).toBe("first");
    await credential("second", new Date(clock.nowMs() + 3_600_000).toISOString());
    await clock.advance(31_000);
    expect(await connection.getToken?.()).toBe("first");
    await clock.advance(31_000);
    expect(await connection.getToken?.()).toBe("second");
  });

  it("asks a plugin again when the server refuses a token that has not expired", async () => {
    const credential = (token: string) =>
      writeFile(
        join(folder, "credential.json"),
        JSON.stringify({ status: { token, expirationTimestamp: "2999-01-01T00:00:00Z" } }),
      );
    const { connection } = await read({}, { exec: { command: "cat", args: [join(folder, "credential.json")] } });
    await credential("withdrawn");
    expect(await connection.getToken?.()).toBe("withdrawn");
    await credential("valid");
    expect(await connection.getToken?.("withdrawn")).toBe("valid");
  });

  it("names the replacement of an auth provider that has no configuration, and no part of the program", async () => {
    const { connection } = await read({}, { "auth-provider": { name: "gcp" } });
    await expect(connection.getToken?.()).rejects.toMatchObject({
      code: "E_KUBECONFIG",
      message: `the auth provider of ${join(folder, "config")} failed: its configuration is incomplete`,
      remedy: expect.stringContaining("credential plugin") as string,
    });
  });

  it.each([
    { reason: "switches TLS verification off", cluster: { "insecure-skip-tls-verify": true }, user: {} },
    { reason: "has a user name", cluster: {}, user: { username: "admin", password: "x" } },
    { reason: "acts as somebody else", cluster: {}, user: { as: "admin" } },
    { reason: "is plain http", cluster: { server: "http://hub.example" }, user: {} },
    { reason: "has a proxy that is no HTTP proxy", cluster: { "proxy-url": "socks5://p" }, user: {} },
  ])("refuses one that $reason", async ({ cluster, user }) => {
    await expect(read(cluster, user)).rejects.toMatchObject({
      code: "E_KUBECONFIG",
      message: expect.stringContaining(folder) as string,
      remedy: "Correct what the message names, or name another kubeconfig with --kubeconfig or KUBECONFIG.",
    });
  });

  it("names the file that is missing", async () => {
    const path = join(folder, "none");
    await expect(readTrustedKubeconfig(path, { clock: createManualClock(), environment })).rejects.toMatchObject({
      code: "E_KUBECONFIG",
      message: expect.stringContaining(path) as string,
    });
    const { connection } = await read({ "certificate-authority": "gone.crt" }, {});
    await expect(connection.getTls()).rejects.toMatchObject({ code: "E_KUBECONFIG" });
  });
});
