import { AppError } from "../core/errors.ts";
import type { ForgeProvider } from "./forge.ts";
import { trimEndOf, trimStartOf } from "../core/trim-characters.ts";

/** Where a forge's API is, and what the repository is called there. */
export interface ForgeAddress {
  /** Without a slash at its end. */
  readonly apiUrl: string;
  /** `owner/name`; with GitLab any number of groups before the name. */
  readonly repository: string;
}

export interface AddressOptions {
  readonly provider: ForgeProvider;
  /** The git address: https, http, ssh, or `user@host:path`. */
  readonly repositoryUrl: string;
  /** As Repository.spec.forge.apiURL. Default: derived from the repository's address. */
  readonly apiUrl?: string;
  /** True when the token is the one that git uses: it is then sent only to the repository's own host. */
  readonly isRepositoryToken?: boolean;
  /** Allows http to other machines than this one. Default false. */
  readonly isHttpAllowed?: boolean;
}

const apiPaths: Readonly<Record<ForgeProvider, string>> = {
  GitHub: "/api/v3",
  GitLab: "/api/v4",
  Gitea: "/api/v1",
  Forgejo: "/api/v1",
};

/** @throws E_FORGE_URL */
export function findForge(options: AddressOptions): ForgeAddress {
  const { provider, repositoryUrl, isRepositoryToken = false } = options;
  const repository = parseRepositoryUrl(repositoryUrl);
  const derived = deriveApiUrl(provider, repository.origin);
  const api = options.apiUrl === undefined ? derived : parseApiUrl(options.apiUrl, options.isHttpAllowed === true);
  if (isRepositoryToken && api.origin !== derived.origin && api.hostname !== repository.hostname) {
    throw refused(`the repository's own token would go to ${api.origin}, another host than the repository's`);
  }
  if (api.protocol === "http:" && options.isHttpAllowed !== true && !isThisMachine(api.hostname)) {
    throw refused(`${api.origin} is not encrypted; use https`);
  }
  const path = withoutPrefix(repository.path, api, repository.origin);
  const parts = path.split("/");
  const isNamed = provider === "GitLab" ? parts.length >= 2 : parts.length === 2;
  if (!isNamed || parts.some((part) => !/^[\w.-]+$/u.test(part) || /^\.+$/u.test(part))) {
    throw refused(`${JSON.stringify(path.slice(0, 200))} is no name of a repository at ${provider}`);
  }
  return { apiUrl: trimEndOf(api.href, "/"), repository: path };
}

interface RepositoryPlace {
  /** Where the forge's pages are: https, unless the repository's own address is http. */
  readonly origin: string;
  readonly hostname: string;
  /** Without slashes at its ends and without `.git`. */
  readonly path: string;
}

/** The path of a repository's address, for comparing names literally; undefined when it is no address of a forge. */
export function repositoryPath(repositoryUrl: string): string | undefined {
  try {
    return parseRepositoryUrl(repositoryUrl).path;
  } catch {
    // E_FORGE_URL: a local folder, for example.
    return undefined;
  }
}

function parseRepositoryUrl(text: string): RepositoryPlace {
  const [, host, path] = /^[\w.-]+@([\w.-]+):(?!\/)(.+)$/u.exec(text) ?? [];
  if (host !== undefined && path !== undefined) return placeBySsh(host, cleanPath(path));
  if (!URL.canParse(text)) throw refused("the repository's address is none of a forge");
  const url = new URL(text);
  const cleaned = cleanPath(url.pathname);
  if (url.protocol === "ssh:") return placeBySsh(url.hostname, cleaned);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw refused("the repository's address is none of a forge");
  return { origin: url.origin, hostname: url.hostname, path: cleaned };
}

/** Hosts that answer ssh at port 443, for networks that allow no other, by the host whose pages they have. */
const hostsOfSshOnly: ReadonlyMap<string, string> = new Map([
  ["ssh.github.com", "github.com"],
  ["altssh.gitlab.com", "gitlab.com"],
]);

function placeBySsh(host: string, path: string): RepositoryPlace {
  const hostname = hostsOfSshOnly.get(host.toLowerCase()) ?? host;
  return { origin: `https://${hostname}`, hostname, path };
}

function cleanPath(path: string): string {
  return trimEndOf(trimStartOf(path, "/"), "/").replace(/\.git$/u, "");
}

function deriveApiUrl(provider: ForgeProvider, origin: string): URL {
  const isGitHubCom = provider === "GitHub" && /^https:\/\/(?:www\.)?github\.com$/u.test(origin);
  return new URL(isGitHubCom ? "https://api.github.com" : `${origin}${apiPaths[provider]}`);
}

function parseApiUrl(text: string, isHttpAllowed: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isWeb =
    url?.protocol === "https:" || (url?.protocol === "http:" && (isHttpAllowed || isThisMachine(url.hostname)));
  if (url === undefined || !isWeb) throw refused("apiURL is no https address");
  // What is there would be lost, or show in messages.
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw refused("apiURL must be an address alone, without user, password, query or fragment");
  }
  return url;
}

/** A forge that is installed below a path has that path in both addresses; it is no part of the name. */
function withoutPrefix(path: string, api: URL, origin: string): string {
  const prefix = trimEndOf(trimStartOf(api.pathname.replace(/\/api\/v\d+\/?$/u, ""), "/"), "/");
  const isBelow = prefix !== "" && api.origin === origin && path.startsWith(`${prefix}/`);
  return isBelow ? path.slice(prefix.length + 1) : path;
}

function isThisMachine(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/u.test(hostname);
}

function refused(reason: string): AppError {
  return new AppError("E_FORGE_URL", `find the forge's API: ${reason}`);
}
