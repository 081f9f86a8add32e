import { assertNever } from "../core/assert-never.ts";
import { isAppError } from "../core/errors.ts";
import { createGitHubStyleHost } from "./github-style-host.ts";
import { createGitLabHost } from "./gitlab-host.ts";
import type { ForgeHttp } from "./forge-http.ts";
import { openForgeHttp } from "./open-forge-http.ts";
import type { OpenForgeOptions } from "./open-forge-http.ts";
import type { DeployKey, HostedRepository, RepositoryHostApi } from "./repository-host-api.ts";

export type SetupOutcome = "created" | "unchanged";

/** Fails with the codes of {@link Forge}. Every call reads before it writes: to repeat it does no harm. */
export interface RepositoryHost {
  /** The repository's name at the forge: `owner/name`. */
  readonly repository: string;
  readRepository(signal?: AbortSignal): Promise<HostedRepository | undefined>;
  /** Makes the repository unless it is there. @throws E_FORGE_REFUSED when another thing has its name */
  ensureRepository(
    signal?: AbortSignal,
  ): Promise<{ readonly outcome: SetupOutcome; readonly repository: HostedRepository }>;
  /** The key of the repository with this public part; undefined when there is none. */
  findDeployKey(publicKey: string, signal?: AbortSignal): Promise<DeployKey | undefined>;
  addDeployKey(key: Pick<DeployKey, "title" | "publicKey">, signal?: AbortSignal): Promise<void>;
  readServerKeys(signal?: AbortSignal): Promise<readonly string[]>;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** Opens a forge to set up a repository; nothing is sent yet. @throws E_FORGE_URL, E_FORGE_AUTH */
export function openRepositoryHost(options: OpenForgeOptions): RepositoryHost {
  const { http, address } = openForgeHttp(options);
  const { repository } = address;
  const api = createHostApi(options.provider, { http, repository });
  return {
    repository,
    readRepository: (signal) => api.readRepository(signal),
    async ensureRepository(signal) {
      const found = await api.readRepository(signal);
      if (found !== undefined) return { outcome: "unchanged", repository: found };
      try {
        return { outcome: "created", repository: await api.createRepository(signal) };
      } catch (error) {
        // Another run may have been quicker.
        const other = isAppError(error, "E_FORGE_REFUSED") ? await api.readRepository(signal) : undefined;
        if (other === undefined) throw error;
        return { outcome: "unchanged", repository: other };
      }
    },
    async findDeployKey(publicKey, signal) {
      const keys = await api.listDeployKeys(signal);
      return keys.find((key) => key.publicKey === publicKey);
    },
    addDeployKey: (key, signal) => api.addDeployKey(key, signal),
    readServerKeys: (signal) => api.readServerKeys(signal),
    close: () => http.close(),
  };
}

function createHostApi(
  provider: OpenForgeOptions["provider"],
  { http, repository }: { readonly http: ForgeHttp; readonly repository: string },
): RepositoryHostApi {
  switch (provider) {
    case "GitHub":
      return createGitHubStyleHost(http, repository, { page: { sizeParameter: "per_page", size: 100 }, hasMeta: true });
    case "GitLab":
      return createGitLabHost(http, repository);
    case "Gitea":
    case "Forgejo":
      return createGitHubStyleHost(http, repository, { page: { sizeParameter: "limit", size: 50 }, hasMeta: false });
    default:
      return assertNever(provider);
  }
}
