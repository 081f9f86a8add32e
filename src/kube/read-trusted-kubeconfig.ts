import { delimiter, dirname, resolve } from "node:path";
import type { Clock } from "../core/clock.ts";
import { AppError, isAppError } from "../core/errors.ts";
import { shellWord } from "../core/shell-word.ts";
import { isTrueAt, objectAt, textAt, valueAt } from "../core/read-json.ts";
import { checkToken, parseProxyUrl, parseServerUrl } from "./connection.ts";
import type { TlsMaterial } from "./connection.ts";
import { createTlsFiles, createTokenFile } from "./credential-files.ts";
import { decodePem, parseKubeconfig } from "./parse-kubeconfig.ts";
import type { ParsedKubeconfig } from "./parse-kubeconfig.ts";
import { explainUnread } from "./explain-unread.ts";
import { createPluginCredentials } from "./plugin-credentials.ts";
import { readKubeconfigFiles } from "./read-kubeconfig-files.ts";
import type { KubeconfigText } from "./read-kubeconfig-files.ts";
import type { KubeconfigConnection, KubeconfigOptions } from "./read-kubeconfig.ts";

export interface TrustedKubeconfigOptions extends KubeconfigOptions {
  readonly clock: Clock;
  /** What the programs get that it names. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * A connection from the user's own kubeconfig, given on the command line: files it refers to are read (from its folder,
 * again when they change), programs it names are run. `paths` may be a list, as KUBECONFIG has them. Never for a kubeconfig
 * out of a repository or a Secret: that is readKubeconfig. Throws E_KUBECONFIG with the files.
 */
export async function readTrustedKubeconfig(
  paths: string,
  options: TrustedKubeconfigOptions,
): Promise<KubeconfigConnection> {
  const file = await readKubeconfigFiles(paths);
  try {
    return { ...connectionOf(file, options), kubectl: kubectlFor(paths, options.context) };
  } catch (error) {
    if (!isAppError(error, "E_KUBECONFIG")) throw error;
    const remedy = "Correct what the message names, or name another kubeconfig with --kubeconfig or KUBECONFIG.";
    throw new AppError("E_KUBECONFIG", `${paths}: ${error.message}`, { cause: error, remedy });
  }
}

/** KUBECONFIG takes several files, the option one. */
function kubectlFor(paths: string, context: string | undefined): string {
  const file = shellWord(paths);
  const command = paths.includes(delimiter) ? `KUBECONFIG=${file} kubectl` : `kubectl --kubeconfig ${file}`;
  return context === undefined ? command : `${command} --context ${shellWord(context)}`;
}

function connectionOf({ text, path }: KubeconfigText, options: TrustedKubeconfigOptions): KubeconfigConnection {
  const parsed = parseKubeconfig(text, options.context);
  const { cluster, user, namespace } = parsed;
  const folder = dirname(resolve(path));
  if (isTrueAt(cluster, "insecure-skip-tls-verify")) {
    fail("it switches TLS verification off: add certificate-authority-data instead");
  }
  if (textAt(user, "username")) fail("API servers no longer accept a user name and password: use a token");
  if (textAt(user, "as")) fail("impersonation (as) is not supported");
  const proxyUrl = textAt(cluster, "proxy-url");
  return {
    server: parseServerUrl(textAt(cluster, "server") ?? fail("its cluster has no server")),
    namespace,
    disableCompression: isTrueAt(cluster, "disable-compression"),
    tlsServerName: textAt(cluster, "tls-server-name"),
    ...(proxyUrl ? { proxyUrl: parseProxyUrl(proxyUrl) } : {}),
    ...credentialsOf(parsed, { text, path, folder, ...options }),
  };
}

interface Source extends Pick<TrustedKubeconfigOptions, "clock" | "environment"> {
  readonly text: string;
  readonly path: string;
  readonly folder: string;
}

function credentialsOf(
  { cluster, user, context }: ParsedKubeconfig,
  { text, path, folder, clock, environment }: Source,
): Pick<KubeconfigConnection, "getTls" | "getToken"> {
  const pathOf = (entry: unknown, field: string) => {
    const file = textAt(entry, field);
    return file ? resolve(folder, file) : undefined;
  };
  const pemOf = (entry: unknown, field: string) =>
    valueAt(entry, field) ? decodePem(valueAt(entry, field), field) : undefined;
  const fixed: TlsMaterial = {
    caPem: pemOf(cluster, "certificate-authority-data"),
    certPem: pemOf(user, "client-certificate-data"),
    keyPem: pemOf(user, "client-key-data"),
  };
  const files = {
    caPath: pathOf(cluster, "certificate-authority"),
    certPath: pathOf(user, "client-certificate"),
    keyPath: pathOf(user, "client-key"),
  };
  const readTls = createTlsFiles(files, fixed);
  const getTls = (): Promise<TlsMaterial> => readTls().catch(throwExplained);
  const tokenPath = pathOf(user, "tokenFile");
  if (tokenPath !== undefined) {
    const readToken = createTokenFile(tokenPath, clock);
    return { getTls, getToken: (rejected) => readToken(rejected).catch(throwExplained) };
  }
  const inline = textAt(user, "token");
  if (inline) {
    const token = checkToken(inline);
    return { getTls, getToken: () => Promise.resolve(token) };
  }
  const exec = objectAt(user, "exec");
  if (exec === undefined && objectAt(user, "auth-provider") === undefined) return { getTls };
  return createPluginCredentials({ text, path, context, exec, cluster, environment, clock, getTls });
}

function throwExplained(error: unknown): never {
  throw explainUnread(error);
}

function fail(what: string): never {
  throw new AppError("E_KUBECONFIG", `the kubeconfig cannot be used: ${what}`);
}
