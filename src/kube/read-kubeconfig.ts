import { ownValue } from "../core/own-value.ts";
import { AppError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { textAt } from "../core/read-json.ts";
import { isLinkLocal, isThisMachine } from "../http/local-address.ts";
import { readClientKey } from "./client-key.ts";
import { fixedConnection } from "./connection.ts";
import type { KubeConnection } from "./connection.ts";
import { guardedLookup } from "./guarded-lookup.ts";
import { decodePem, parseKubeconfig } from "./parse-kubeconfig.ts";

export interface KubeconfigConnection extends KubeConnection {
  /** The namespace of the context, if it names one. */
  readonly namespace: string | undefined;
  /** True when the kubeconfig asks for answers that are not compressed. */
  readonly disableCompression: boolean;
}

export interface KubeconfigOptions {
  /** Default: the kubeconfig's current-context. */
  readonly context?: string;
}

const allowedClusterFields = [
  "server",
  "certificate-authority-data",
  "tls-server-name",
  "proxy-url",
  "disable-compression",
  "extensions",
];
const allowedUserFields = ["token", "client-certificate-data", "client-key-data", "extensions"];

/** Why a field that a kubeconfig may have is refused, and what to do instead. */
const refusals: Readonly<Record<string, string>> = {
  exec: "it runs a program (exec): put a token or a client certificate into it",
  "auth-provider": "it needs a plugin (auth-provider): put a token or a client certificate into it",
  "certificate-authority": "it refers to a file (certificate-authority): use certificate-authority-data",
  "client-certificate": "it refers to a file (client-certificate): use client-certificate-data",
  "client-key": "it refers to a file (client-key): use client-key-data",
  tokenFile: "it refers to a file (tokenFile): use token",
  "insecure-skip-tls-verify": "it switches TLS verification off: add certificate-authority-data instead",
  username: "it has a user name and password, which API servers no longer accept: use a token",
  password: "it has a user name and password, which API servers no longer accept: use a token",
};

/** Of one cluster, which an author of the repository chooses. The file of a user may have the clusters of a fleet. */
const maxBytes = 1 << 20;

/**
 * A connection from the text of an untrusted kubeconfig: only its inline values are used, and every field that is not
 * known to be harmless is refused. Throws E_KUBECONFIG with what and how to fix it.
 */
export function readKubeconfig(text: string, options: KubeconfigOptions = {}): KubeconfigConnection {
  if (Buffer.byteLength(text) > maxBytes) fail("it is larger than 1 MiB");
  const { cluster, user, namespace } = parseKubeconfig(text, options.context);
  refuseAllBut(allowedClusterFields, cluster);
  refuseAllBut(allowedUserFields, user);
  const server = textOf(cluster, "server") ?? fail("its cluster has no server");
  refuseMetadataServer(server);
  const proxyUrl = textOf(cluster, "proxy-url");
  if (proxyUrl !== undefined) refuseOddProxy(proxyUrl);
  const connection = fixedConnection({
    server,
    caPem: authoritiesOf(cluster),
    certPem: pemOf(user, "client-certificate-data"),
    keyPem: keyOf(user),
    token: textOf(user, "token"),
    tlsServerName: textOf(cluster, "tls-server-name"),
    proxyUrl,
  });
  return { ...connection, lookups, namespace, disableCompression: cluster["disable-compression"] === true };
}

function refuseAllBut(allowed: readonly string[], entry: JsonObject): void {
  for (const [field, value] of Object.entries(entry)) {
    // `insecure-skip-tls-verify: false` and empty fields declare nothing.
    if (allowed.includes(field) || value === false || value === null || value === "" || value === undefined) continue;
    fail(
      ownValue(refusals, field) ??
        `it has a field ${JSON.stringify(field.slice(0, 100))} that is not supported: remove it`,
    );
  }
}

/**
 * No API server has an address of the own link, but the services that provide a machine's credentials have one. One on this
 * machine is allowed: the clusters of a demo are there.
 */
function refuseMetadataServer(server: string): void {
  const { hostname } = URL.canParse(server) ? new URL(server) : { hostname: "" };
  if (isLinkLocal(hostname)) fail(metadataServer);
}

/** A proxy on this machine, or where clouds keep machine credentials, is none of a stranger's business. */
function refuseOddProxy(proxyUrl: string): void {
  const { hostname } = URL.canParse(proxyUrl) ? new URL(proxyUrl) : { hostname: "" };
  if (isOddProxy(hostname)) fail(oddProxy);
}

function isOddProxy(host: string): boolean {
  return isThisMachine(host) || isLinkLocal(host);
}

const oddProxy = "its proxy-url points at this machine or link: use a proxy that others reach by the same address";
const metadataServer = "its server is an address of this machine's link: use the address of an API server";

/** What a name resolves to is refused like an address: each Pod knows `ip6-localhost`, and anyone may have a name in the DNS. */
const lookups = {
  server: guardedLookup(isLinkLocal, metadataServer),
  proxy: guardedLookup(isOddProxy, oddProxy),
};

function textOf(entry: JsonObject, field: string): string | undefined {
  const value = entry[field];
  if (value === undefined || value === null || value === "") return undefined;
  return textAt(entry, field) ?? fail(`${field} is not a text`);
}

/** All certificates are read at once, in more than the time in proportion; those of all public authorities have 220 KiB. */
const mostAuthorityBytes = 256 * 1024;

function authoritiesOf(cluster: JsonObject): string | undefined {
  const pem = pemOf(cluster, "certificate-authority-data");
  if (pem === undefined || pem.length <= mostAuthorityBytes) return pem;
  return fail("certificate-authority-data has more than 256 KiB: name the authority of its API server alone");
}

function keyOf(user: JsonObject): string | undefined {
  const pem = pemOf(user, "client-key-data");
  if (pem === undefined) return undefined;
  const { keyPem, refusal } = readClientKey(pem);
  return (
    keyPem ?? fail(`client-key-data cannot be used, because ${refusal}: use a key of ECDSA, or of RSA with 2048 bits`)
  );
}

function pemOf(entry: JsonObject, field: string): string | undefined {
  const value = textOf(entry, field);
  return value === undefined ? undefined : decodePem(value, field);
}

function fail(what: string): never {
  throw new AppError("E_KUBECONFIG", `the kubeconfig cannot be used: ${what}`);
}
