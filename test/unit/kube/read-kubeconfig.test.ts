import { generateKeyPairSync } from "node:crypto";
import { stringify } from "yaml";
import { describe, expect, it } from "vitest";
import { isAppError } from "../../../src/core/errors.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import { rsaKeyPem } from "../../support/rsa-key-pem.ts";

const caPem = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
const keyPem = generateKeyPairSync("ec", { namedCurve: "P-256" })
  .privateKey.export({ type: "pkcs8", format: "pem" })
  .toString();
const base64 = (text: string) => Buffer.from(text).toString("base64");

/** A kubeconfig whose one cluster and user have these fields. */
function kubeconfig(
  cluster: Record<string, unknown> = {},
  user: Record<string, unknown> = {},
  more: object = {},
): string {
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name: "c",
        cluster: { server: "https://hub.example:6443", "certificate-authority-data": base64(caPem), ...cluster },
      },
    ],
    users: [{ name: "u", user: { token: "s3cret-token", ...user } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u", namespace: "fleet" } }],
    "current-context": "x",
    ...more,
  });
}

function refusalOf(text: string): { message: string; text: string } {
  try {
    readKubeconfig(text);
  } catch (error) {
    if (isAppError(error, "E_KUBECONFIG")) return { message: error.message, text: JSON.stringify(error) };
    throw error;
  }
  throw new Error("the kubeconfig was accepted");
}

describe("readKubeconfig", () => {
  it("gives the connection of the current context", async () => {
    const connection = readKubeconfig(kubeconfig({ server: "https://hub.example:6443/prefix/" }));
    expect(connection.server).toBe("https://hub.example:6443/prefix");
    expect(connection.namespace).toBe("fleet");
    expect(await connection.getToken?.()).toBe("s3cret-token");
    expect((await connection.getTls()).caPem).toBe(caPem);
    expect(connection.proxyUrl).toBeUndefined();
  });

  it("gives client certificate, name and proxy, and reads JSON too", async () => {
    const cluster = { "tls-server-name": "kubernetes", "proxy-url": "http://proxy.example:3128" };
    const user = { token: undefined, "client-certificate-data": base64(caPem), "client-key-data": base64(keyPem) };
    const connection = readKubeconfig(kubeconfig(cluster, user));
    expect(await connection.getTls()).toMatchObject({ certPem: caPem, keyPem });
    expect(connection.getToken).toBeUndefined();
    expect(connection).toMatchObject({ tlsServerName: "kubernetes", proxyUrl: "http://proxy.example:3128/" });
    const json = { "current-context": "x", contexts: [{ name: "x", context: { cluster: "c", user: "u" } }] };
    const text = JSON.stringify({
      ...json,
      clusters: [{ name: "c", cluster: { server: "https://h" } }],
      users: [{ name: "u", user: {} }],
    });
    expect(readKubeconfig(text)).toMatchObject({ server: "https://h", namespace: undefined });
  });

  it("A112 refuses a key whose signature would take seconds, in which nothing else has its turn", () => {
    const parts = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ format: "jwk" });
    const key = rsaKeyPem({ ...parts, q: Buffer.alloc(2048, 0xff).toString("base64url") });
    const user = { "client-certificate-data": base64(caPem), "client-key-data": base64(key) };
    const { message, text } = refusalOf(kubeconfig({}, user));
    expect(message).toContain("client-key-data cannot be used");
    expect(text).not.toContain(key.slice(100, 160));
  });

  it("A112 refuses certificates whose reading would take long", () => {
    const many = caPem.repeat(5000);
    expect(refusalOf(kubeconfig({ "certificate-authority-data": base64(many) })).message).toContain("256 KiB");
    const bundle = caPem.repeat(3000);
    expect(readKubeconfig(kubeconfig({ "certificate-authority-data": base64(bundle) })).server).toContain("https:");
  });

  it("takes another context when it is asked to, and evaluates only what is used", () => {
    const more = {
      contexts: [
        { name: "x", context: { cluster: "c", user: "u" } },
        { name: "y", context: { cluster: "c", user: "v" } },
      ],
      users: [
        { name: "u", user: { exec: { command: "sh" } } },
        { name: "v", user: { token: "other" } },
      ],
    };
    expect(() => readKubeconfig(kubeconfig({}, {}, more))).toThrow(/runs a program/u);
    expect(readKubeconfig(kubeconfig({}, {}, more), { context: "y" }).server).toBe("https://hub.example:6443");
  });

  it("takes fields that declare nothing for absent", () => {
    const cluster = { "insecure-skip-tls-verify": false, "certificate-authority": "", "disable-compression": true };
    expect(readKubeconfig(kubeconfig(cluster, { tokenFile: "", extensions: [] })).server).toBe(
      "https://hub.example:6443",
    );
  });

  it.each([
    { reason: "runs a program", user: { exec: { command: "sh", args: ["-c", "touch /tmp/owned"] } }, says: /exec/u },
    {
      reason: "needs a plugin",
      user: { "auth-provider": { name: "gcp", config: { "cmd-path": "sh" } } },
      says: /auth-provider/u,
    },
    { reason: "reads our files as token", user: { tokenFile: "/var/run/secrets/token" }, says: /tokenFile/u },
    {
      reason: "reads our files as certificate",
      user: { "client-certificate": "/etc/tls.crt" },
      says: /client-certificate-data/u,
    },
    { reason: "reads our files as key", user: { "client-key": "/etc/tls.key" }, says: /client-key-data/u },
    {
      reason: "reads our files as CA",
      cluster: { "certificate-authority": "/etc/ca.crt" },
      says: /certificate-authority-data/u,
    },
    {
      reason: "switches TLS verification off",
      cluster: { "insecure-skip-tls-verify": true },
      says: /TLS verification/u,
    },
    { reason: "does so in words", cluster: { "insecure-skip-tls-verify": "true" }, says: /TLS verification/u },
    { reason: "is plain http", cluster: { server: "http://hub.example" }, says: /not https/u },
    { reason: "is another scheme", cluster: { server: "file:///etc/passwd" }, says: /not https/u },
    { reason: "has no server", cluster: { server: undefined }, says: /no server/u },
    { reason: "has a server that is no URL", cluster: { server: "hub.example" }, says: /not a URL/u },
    { reason: "has a password in the server", cluster: { server: "https://a:b@hub.example" }, says: /without user/u },
    { reason: "has a query in the server", cluster: { server: "https://hub.example/?a=b" }, says: /query/u },
    { reason: "has a password", user: { username: "admin", password: "hunter2" }, says: /user name and password/u },
    { reason: "acts as somebody else", user: { as: "system:admin" }, says: /"as"/u },
    { reason: "has a field that nobody knows", user: { "future-plugin": { run: "x" } }, says: /"future-plugin"/u },
    {
      reason: "has a proxy that is no HTTP proxy",
      cluster: { "proxy-url": "socks5://proxy.example:1080" },
      says: /socks5/u,
    },
    { reason: "has a proxy on this machine", cluster: { "proxy-url": "http://127.0.0.1:8080" }, says: /this machine/u },
    { reason: "has a proxy on localhost", cluster: { "proxy-url": "http://localhost:8080" }, says: /this machine/u },
    {
      reason: "has a proxy on this machine by IPv6",
      cluster: { "proxy-url": "http://[::1]:8080" },
      says: /this machine/u,
    },
    { reason: "has a proxy in disguise", cluster: { "proxy-url": "http://2130706433:80" }, says: /this machine/u },
    {
      reason: "has a proxy where clouds keep credentials",
      cluster: { "proxy-url": "http://169.254.169.254" },
      says: /this machine/u,
    },
    { reason: "has a CA that is none", cluster: { "certificate-authority-data": "bm9uc2Vuc2U=" }, says: /not PEM/u },
    { reason: "has a token with a line break", user: { token: "a\nX-Evil: 1" }, says: /token/u },
    { reason: "has a token that is no text", user: { token: { a: 1 } }, says: /token is not a text/u },
  ])("A10 refuses a kubeconfig that $reason", ({ cluster = {}, user = {}, says }) => {
    expect(refusalOf(kubeconfig(cluster, user)).message).toMatch(says);
  });

  it.each(["localhost.", "LOCALHOST.", "any.localhost."])(
    "A180 refuses a proxy on this machine by the name %s",
    (host) => {
      expect(refusalOf(kubeconfig({ "proxy-url": `http://${host}:8080` })).message).toMatch(/this machine/u);
    },
  );

  it.each(["[::ffff:0.0.0.0]", "[::ffff:0:0]", "[::ffff:127.0.0.1]", "168.63.129.16", "[64:ff9b::a9fe:a9fe]"])(
    "A197 refuses a proxy on this machine or where clouds keep credentials by the address %s",
    (host) => {
      expect(refusalOf(kubeconfig({ "proxy-url": `http://${host}:8080` })).message).toMatch(/this machine/u);
    },
  );

  const longName = "x".repeat(254);
  it.each([
    { reason: "a name for TLS", cluster: { "tls-server-name": longName } },
    { reason: "a name for TLS with a control character", cluster: { "tls-server-name": "hub\r\nexample" } },
    { reason: "a server", cluster: { server: `https://${longName}:6443` } },
    { reason: "a proxy", cluster: { "proxy-url": `https://${longName}:8080` } },
  ])(
    "A179 refuses $reason of more than 253 characters, by which connections to other servers would end",
    ({ cluster }) => {
      expect(refusalOf(kubeconfig(cluster)).message).toMatch(/is not a name of a host: it may have 253 characters/u);
    },
  );

  it("takes a name for TLS of 253 characters", () => {
    const name = "x".repeat(253);
    expect(readKubeconfig(kubeconfig({ "tls-server-name": name })).tlsServerName).toBe(name);
  });

  it.each([
    "169.254.169.254",
    "2852039166",
    "0xa9fea9fe",
    "[fe80::1]",
    "[::ffff:169.254.169.254]",
    "[fd00:ec2::254]",
    "[fd00:ec2::23]",
    "[fd20:ce::254]",
    "[fd00:c1::a9fe:a9fe]",
  ])("A88 refuses a server where clouds keep the credentials of a machine: %s", (host) => {
    expect(refusalOf(kubeconfig({ server: `https://${host}/latest` })).message).toMatch(/its server is an address/u);
  });

  it("A88 takes a server on this machine: the demo's clusters have one", () => {
    expect(readKubeconfig(kubeconfig({ server: "https://127.0.0.1:6443" })).server).toBe("https://127.0.0.1:6443");
  });

  it.each([
    { reason: "is empty", text: "" },
    { reason: "is no map", text: "- a\n" },
    { reason: "is not YAML", text: "a: [" },
    { reason: "has a key twice", text: `${kubeconfig()}kind: Config\n` },
    { reason: "has a tag", text: "a: !!js/function 'x'\n" },
    { reason: "is two documents", text: `${kubeconfig()}---\n${kubeconfig()}` },
    { reason: "is of another kind", text: kubeconfig({}, {}, { kind: "Secret" }) },
    { reason: "has no current-context", text: kubeconfig({}, {}, { "current-context": "" }) },
    { reason: "names a context that it does not have", text: kubeconfig({}, {}, { "current-context": "y" }) },
    { reason: "names a cluster that it does not have", text: kubeconfig({}, {}, { clusters: [] }) },
    { reason: "names a user that it does not have", text: kubeconfig({}, {}, { users: [] }) },
    {
      reason: "has an entry twice",
      text: kubeconfig(
        {},
        {},
        {
          users: [
            { name: "u", user: {} },
            { name: "u", user: {} },
          ],
        },
      ),
    },
    { reason: "is huge", text: `${kubeconfig()}# ${"x".repeat(2 << 20)}` },
    { reason: "is a bomb", text: bomb() },
  ])("refuses one that $reason", ({ text }) => {
    expect(refusalOf(text).message).toMatch(/^the kubeconfig cannot be used: /u);
  });

  it.each(["http", "htps", "HTTP"])(
    "A225 refuses a %s address without the password in it: the refusal is in the status of the Cluster",
    (scheme) => {
      const { text } = refusalOf(
        kubeconfig({ server: `${scheme}://admin:hunter2@hub.example:8443/k8s?token=hunter2` }),
      );
      expect(text).toContain(`${scheme.toLowerCase()}://hub.example:8443`);
      expect(text).toContain("is not https");
      expect(text).not.toContain("hunter2");
      expect(text).not.toContain("admin");
    },
  );

  it("never repeats a credential in a refusal", () => {
    const key = base64("no key: hunter2");
    const refusals = [
      refusalOf(kubeconfig({}, { "client-key-data": key })),
      refusalOf(kubeconfig({}, { token: "hunter2\u0001" })),
      refusalOf(kubeconfig({ "proxy-url": "http://u:hunter2@" })),
      refusalOf(`${kubeconfig()}\n  token: hunter2: [`),
    ];
    for (const { text } of refusals) {
      expect(text).not.toContain("hunter2");
      expect(text).not.toContain(key);
    }
  });
});

function bomb(): string {
  const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
  for (let level = 1; level < 9; level++) {
    lines.push(
      `a${level}: &a${level} [${Array(10)
        .fill(`*a${level - 1}`)
        .join(", ")}]`,
    );
  }
  return lines.join("\n");
}
