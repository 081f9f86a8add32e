// How an engine is chosen, by the repository's address:
//   https:// (http:// on the command line)  own smart-HTTP requests into a cache that isomorphic-git reads
//   a folder, file://  (command line only)  that repository itself, read by isomorphic-git, written beside native git
//   ssh://, user@host:path                  native git, with a known_hosts of its own
// `backend: "native"` uses native git for http(s) too: for very large repositories and for SHA-256 ids.
import type { Clock, Random } from "../../core/clock.ts";
import type { CredentialsSource } from "../wire/credentials.ts";
import type { GitEngine } from "../git.ts";
import type { HttpRoute, HttpTimeouts } from "../wire/http-transport.ts";
import { redactingEngine, rememberCredentials } from "./redacting-engine.ts";
import { locateRepository } from "../local/local-repository.ts";
import { parseRemoteUrl } from "../wire/remote-url.ts";
import type { RemoteAddress } from "../wire/remote-url.ts";
import type { SshCredentials } from "./ssh-access.ts";

export interface GitEngineOptions {
  readonly url: string;
  /** A folder of this engine's own, for the copy of a remote repository; its content is disposable. */
  readonly cacheDir: string;
  /** Allows http and folders of this machine: the address comes from the command line. Default false. */
  readonly isLocalAllowed?: boolean;
  readonly credentials?: CredentialsSource;
  /** PEM certificates that are trusted instead of the system's. */
  readonly caBundle?: string;
  readonly proxyUrl?: string;
  /** Asked before every request in the place of `caBundle` and `proxyUrl`: what changes is taken up by itself. */
  readonly route?: () => Promise<HttpRoute>;
  readonly timeouts?: HttpTimeouts;
  /**
   * `native` uses the `git` program also where it is not needed. Default `auto`: where isomorphic-git cannot do it (ssh,
   * and folders with SHA-256 ids or with refs in another form than files).
   */
  readonly backend?: "auto" | "native";
  /** For ssh: the key and known hosts, or how to read them, asked before every use. */
  readonly ssh?: SshCredentials | (() => Promise<SshCredentials>);
  /** Where the native back-end searches for `git` and `ssh`, like PATH. Default /usr/local/bin:/usr/bin:/bin. */
  readonly searchPath?: string;
  /** Files and folders that one listing or comparison may visit. Default 200,000. */
  readonly maximumEntries?: number;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Opens the engine for a repository, and loads no other. Nothing is sent before the first fetch. No error repeats a
 * credential that was sent, in whatever form the server repeats it.
 * @throws E_GIT_URL, E_DIR_LOCKED, E_UNSUPPORTED; E_GIT_FOLDER when a folder is no repository
 */
export async function openGitEngine(options: GitEngineOptions): Promise<GitEngine> {
  const { options: remembering, secrets } = rememberCredentials(options);
  return redactingEngine(await openPlainEngine(remembering), secrets);
}

async function openPlainEngine(options: GitEngineOptions): Promise<GitEngine> {
  const { url, isLocalAllowed = false, backend = "auto" } = options;
  const address = parseRemoteUrl(url, { isLocalAllowed });
  if (backend === "native" || address.kind === "ssh" || (await needsNative(address))) {
    const { openNativeEngine } = await import("./native-engine.ts");
    return openNativeEngine({ ...options, address });
  }
  switch (address.kind) {
    case "http": {
      const { openIsomorphicEngine } = await import("./http-engine.ts");
      return openIsomorphicEngine({ ...options, url: address.url });
    }
    case "local": {
      const { openLocalEngine } = await import("./local-engine.ts");
      return openLocalEngine({ ...options, url: address.url, path: address.path });
    }
  }
}

async function needsNative(address: RemoteAddress): Promise<boolean> {
  if (address.kind !== "local") return false;
  const { format, refStorage } = await locateRepository(address.path);
  return format !== "sha1" || refStorage !== "files";
}
