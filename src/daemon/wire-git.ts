import { compact } from "../core/compact.ts";
import { AppError } from "../core/errors.ts";
import { trimEndOf } from "../core/trim-characters.ts";
import type { GitCredentials } from "../git/git.ts";
import { readCredentials } from "../git/wire/credentials.ts";
import type { GitEngineOptions } from "../git/engine/open-git-engine.ts";
import { trustBesides, trustOfEnvironment } from "../http/trust.ts";
import type { KubeApi } from "../kube/kube.ts";
import type { Repository } from "../model/generated/repository.ts";
import { readText } from "../system/read-text.ts";
import { proxyOf } from "../http/choose-proxy.ts";
import { readSecret } from "./read-secret.ts";
import type { SecretEntries } from "./read-secret.ts";
import type { Settings } from "../settings/settings.ts";

/** How a git server is reached and who asks; all of it is read again for every request, so that what changes counts at once. */
export type GitAccess = Required<Pick<GitEngineOptions, "credentials" | "ssh" | "route">>;

type Environment = Readonly<Record<string, string | undefined>>;

/** As the flags configure it: files that a mounted Secret may change, and the proxy of the environment. */
export function accessOfFlags(settings: Settings, url: string, environment: Environment): GitAccess {
  const textOf = async (option: string): Promise<string | undefined> => {
    const path = settings.text(option);
    return path === undefined ? undefined : readText(path);
  };
  return {
    credentials: async () => {
      const secret = (await textOf("git-token-file"))?.trim();
      if (secret === undefined) return undefined;
      const username = settings.text("git-username");
      return username === undefined ? { kind: "token", secret } : { kind: "basic", username, secret };
    },
    ssh: async () => ({
      identity: (await textOf("git-ssh-key-file")) ?? "",
      knownHosts: (await textOf("git-known-hosts-file")) ?? "",
    }),
    route: async () => {
      const caBundle = (await textOf("git-ca-file")) ?? trustOfEnvironment(environment);
      return { ...compact({ caBundle }), ...proxyFor(url, environment) };
    },
  };
}

/** What options have for the forge of the repository at an address, where the Repository names nothing; undefined: nothing. */
export interface ForgeFlags {
  readonly token: (url: string) => Promise<string | undefined>;
  /** CA certificates in PEM, in place of the usual ones. */
  readonly caBundle: (url: string) => Promise<string | undefined>;
}

/**
 * What --git-token-file and --git-ca-file have for the forge of the repository at `url`, and for no other one: a Repository may
 * be given another address.
 */
export function forgeAccessOfFlags(settings: Settings, url: string): ForgeFlags {
  const { credentials, route } = accessOfFlags(settings, url, {});
  return {
    token: async (of) => (of === url ? (await readCredentials(credentials))?.secret : undefined),
    caBundle: async (of) => (of === url ? (await route()).caBundle : undefined),
  };
}

/**
 * Access to the server at `url` as a Repository declares it, with its Secrets on the hub; `fallback` for undeclared parts.
 * Requests reject with E_KUBE_NOT_FOUND without a Secret that it names, with E_GIT_AUTH when that has no credentials in it, with
 * E_GIT_URL once it names another address: the Secrets are for that one, and the engine of this one still asks until it ends.
 */
export function accessOfRepository(options: {
  readonly hubApi: KubeApi;
  readonly url: string;
  readonly repository: () => Repository | undefined;
  readonly environment: Environment;
  /** Absent: no credentials, the system's certificates, and the proxy of the environment. */
  readonly fallback?: GitAccess;
}): GitAccess {
  const { hubApi, url, repository, environment, fallback } = options;
  const secretOf = async (field: "secretRef" | "proxySecretRef"): Promise<NamedSecret | undefined> => {
    const live = repository();
    if (live?.spec[field] === undefined) return undefined;
    if (live.spec.url === url) return namedSecret(hubApi, live, field);
    const text = `ask ${url}: the Repository names ${live.spec.url} by now, and its Secrets are for that`;
    throw new AppError("E_GIT_URL", text);
  };
  return {
    credentials: async () => {
      const secret = await secretOf("secretRef");
      return secret === undefined ? asked(fallback?.credentials) : credentialsOf(secret);
    },
    ssh: async () => {
      const secret = await secretOf("secretRef");
      if (secret === undefined) return (await asked(fallback?.ssh)) ?? { identity: "", knownHosts: "" };
      return { identity: sshKeyOf(secret) ?? needed(secret, "identity"), knownHosts: needed(secret, "known_hosts") };
    },
    route: async () => {
      const { caBundle } = repository()?.spec ?? {};
      const proxy = await secretOf("proxySecretRef");
      const other = (await fallback?.route()) ?? {
        ...compact({ caBundle: trustOfEnvironment(environment) }),
        ...proxyFor(url, environment),
      };
      return {
        ...other,
        // A Repository's certificates count besides the usual ones.
        ...(caBundle === undefined ? {} : { caBundle: trustBesides(caBundle, environment) }),
        ...(proxy === undefined ? {} : { proxyUrl: proxyUrlOf(proxy) }),
      };
    },
  };
}

/**
 * The proxy that a Repository names, with its user and password; undefined when it names none.
 * @throws E_KUBE_NOT_FOUND without its Secret; E_GIT_AUTH and E_GIT_URL when that has no address
 */
export async function namedProxy(hubApi: KubeApi, repository: Repository): Promise<string | undefined> {
  const secret = await namedSecret(hubApi, repository, "proxySecretRef");
  return secret && proxyUrlOf(secret);
}

interface NamedSecret extends SecretEntries {
  readonly place: string;
}

async function namedSecret(
  hubApi: KubeApi,
  { metadata: { namespace = "" }, spec }: Repository,
  field: "secretRef" | "proxySecretRef",
): Promise<NamedSecret | undefined> {
  const name = spec[field]?.name;
  if (name === undefined) return undefined;
  return { place: `Secret/${namespace}/${name}`, ...(await readSecret(hubApi, { namespace, name })) };
}

function credentialsOf({ place, entries }: NamedSecret): GitCredentials | undefined {
  const username = entries.get("username")?.trim();
  const secret = entries.get("token")?.trim() ?? passwordOf(entries);
  if (secret !== undefined && secret !== "")
    return username === undefined ? { kind: "token", secret } : { kind: "basic", username, secret };
  if (sshKeyOf({ entries }) !== undefined) return undefined;
  throw new AppError("E_GIT_AUTH", `read ${place}: it has neither token, nor username and password, nor identity`, {
    remedy: "Put an entry token into the Secret, or username and password, or for ssh identity and known_hosts.",
  });
}

/** Without the line ends of a Secret that was made from a file. A password may begin and end with a blank. */
function passwordOf(entries: SecretEntries["entries"]): string | undefined {
  const password = entries.get("password");
  return password === undefined ? undefined : trimEndOf(password, "\r\n");
}

/** By the name that Flux uses too, or by that of Secrets of the type `kubernetes.io/ssh-auth`, which Fleet uses. */
function sshKeyOf({ entries }: Pick<NamedSecret, "entries">): string | undefined {
  return entries.get("identity") ?? entries.get("ssh-privatekey");
}

function needed({ place, entries }: NamedSecret, key: string): string {
  const text = entries.get(key);
  if (text === undefined) {
    const remedy = `Put an entry ${key} into the Secret.`;
    throw new AppError("E_GIT_AUTH", `read ${place}: it has no entry ${key}`, { remedy });
  }
  return text;
}

function proxyUrlOf(secret: NamedSecret): string {
  const address = needed(secret, "address").trim();
  if (!URL.canParse(address)) {
    const remedy = "Write the proxy's address into the entry address, such as http://proxy.example.com:3128.";
    throw new AppError("E_GIT_URL", `read ${secret.place}: address is no URL`, { remedy });
  }
  const proxy = new URL(address);
  proxy.username = encodeURIComponent(secret.entries.get("username")?.trim() ?? "");
  proxy.password = encodeURIComponent(passwordOf(secret.entries) ?? "");
  return proxy.href;
}

function proxyFor(url: string, environment: Environment): { readonly proxyUrl?: string } {
  const proxyUrl = url.startsWith("https://") ? proxyOf(url, environment) : undefined;
  return proxyUrl === undefined ? {} : { proxyUrl };
}

async function asked<T>(source: T | (() => Promise<T>) | undefined): Promise<T | undefined> {
  return typeof source === "function" ? (source as () => Promise<T>)() : source;
}
