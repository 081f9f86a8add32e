import { dirname, resolve } from "node:path";
import type { RequestOptions } from "node:https";
import type { Clock } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { shellWord } from "../core/shell-word.ts";
import { readYamlDocument } from "../core/yaml/read-document.ts";
import { checkToken } from "./connection.ts";
import type { KubeConnection, TlsMaterial } from "./connection.ts";
import { firstLine, runExecPlugin } from "./run-exec-plugin.ts";
import type { PluginCredential } from "./run-exec-plugin.ts";

export interface PluginSource {
  /** The kubeconfig and its path: plugins may be named relative to it. */
  readonly text: string;
  readonly path: string;
  readonly context: string;
  /** The plugin of its user; undefined: the user has an auth provider. */
  readonly exec: JsonObject | undefined;
  readonly cluster: JsonObject;
  /** A plugin gets it: PATH and HOME, and what it is configured by. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly getTls: () => Promise<TlsMaterial>;
}

/** For how long an answer is used before the plugin's own cache is asked again. */
const answerAgeMs = 30_000;

interface PluginAnswer {
  readonly token: string | undefined;
  readonly certPem: string | undefined;
  readonly keyPem: string | undefined;
}

/**
 * Credentials from the credential plugin (exec) or the auth provider of a kubeconfig. The latter is of @kubernetes/client-node,
 * which is large and only then loaded.
 */
export function createPluginCredentials(source: PluginSource): Pick<KubeConnection, "getTls" | "getToken"> {
  const { clock } = source;
  let known: { readonly answer: Promise<PluginAnswer>; readonly askedAtMs: number } | undefined;
  let askAgain = createPlugin(source);
  let material: TlsMaterial = {};
  const ask = async (rejected?: string): Promise<PluginAnswer> => {
    const last = known;
    const isRejected = last !== undefined && rejected !== undefined && (await last.answer).token === rejected;
    // Another request that was refused may have asked anew meanwhile.
    if (isRejected && known === last) {
      // A new plugin, so that nothing of what it cached is used again.
      askAgain = createPlugin(source);
      known = undefined;
    }
    if (known === undefined || clock.monotonicMs() - known.askedAtMs >= answerAgeMs) {
      const answer = askAgain();
      const asked = { answer, askedAtMs: clock.monotonicMs() };
      known = asked;
      // The caller gets the error; the next one asks again.
      answer.catch(() => (known = known === asked ? undefined : known));
    }
    return known.answer;
  };
  return {
    getToken: async (rejected) => (await ask(rejected)).token,
    async getTls() {
      const [{ caPem, certPem, keyPem }, answer] = await Promise.all([source.getTls(), ask()]);
      const next = { caPem, certPem: answer.certPem ?? certPem, keyPem: answer.keyPem ?? keyPem };
      const isSame =
        next.caPem === material.caPem && next.certPem === material.certPem && next.keyPem === material.keyPem;
      if (!isSame) material = next;
      return material;
    },
  };
}

function createPlugin(source: PluginSource): () => Promise<PluginAnswer> {
  const { exec, path } = source;
  const ask = exec === undefined ? createAuthProvider(source) : createExecPlugin(source, exec);
  return async () => {
    try {
      return await ask();
    } catch (error) {
      const [what, remedy] =
        exec === undefined ? ["auth provider", providerRemedy] : ["credential plugin", pluginRemedy(path)];
      const reason = firstLine(error instanceof Error ? error.message : String(error));
      throw new AppError("E_KUBECONFIG", `the ${what} of ${path} failed: ${reason}`, { recovery: "transient", remedy });
    }
  };
}

function pluginRemedy(path: string): string {
  return `Try \`kubectl --kubeconfig ${shellWord(path)} auth whoami\`: kubectl runs the same plugin.`;
}

const providerRemedy =
  "Name a credential plugin (exec) instead, as the provider of the cluster describes it: Kubernetes has removed most auth providers.";

/** A plugin whose answer is used until it expires. */
function createExecPlugin(source: PluginSource, exec: JsonObject): () => Promise<PluginAnswer> {
  let last: PluginCredential | undefined;
  return async () => {
    if (last?.expiresAtMs !== undefined && last.expiresAtMs > source.clock.nowMs()) return last;
    const { cluster, environment, path } = source;
    const credential = await runExecPlugin({ exec, cluster, environment, folder: dirname(resolve(path)) });
    last = { ...credential, token: credential.token === undefined ? undefined : checkToken(credential.token) };
    return last;
  };
}

/** By @kubernetes/client-node. */
function createAuthProvider({ text, path, context }: PluginSource): () => Promise<PluginAnswer> {
  let config: Promise<{ applyToHTTPSOptions(options: RequestOptions): Promise<void> }> | undefined;
  const load = async () => {
    const { KubeConfig } = await import("@kubernetes/client-node");
    const loaded = new KubeConfig();
    // Its own reader of YAML expands aliases without a bound.
    loaded.loadFromString(JSON.stringify(readYamlDocument(text).value));
    loaded.makePathsAbsolute(dirname(resolve(path)));
    loaded.setCurrentContext(context);
    return loaded;
  };
  return async () => {
    const options: RequestOptions = {};
    try {
      config ??= load();
      await (await config).applyToHTTPSOptions(options);
    } catch (error) {
      // The library reads fields of what is not there.
      if (error instanceof TypeError) throw new Error("its configuration is incomplete", { cause: error });
      throw error;
    }
    return {
      token: tokenOf(options.headers),
      certPem: pemOf(options.cert),
      keyPem: pemOf(options.key),
    };
  };
}

function tokenOf(headers: RequestOptions["headers"]): string | undefined {
  const entries = headers === undefined || Array.isArray(headers) ? [] : Object.entries(headers);
  const [, value] = entries.find(([name]) => name.toLowerCase() === "authorization") ?? [];
  const [, token] = /^Bearer (.+)$/u.exec(String(value ?? "")) ?? [];
  return token === undefined ? undefined : checkToken(token);
}

function pemOf(value: unknown): string | undefined {
  if (Buffer.isBuffer(value)) return value.toString("utf8");
  return typeof value === "string" ? value : undefined;
}
