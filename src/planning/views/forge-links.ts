import { ownValue } from "../../core/own-value.ts";
import type { Forge, Repository } from "../../model/generated/repository.ts";
import { trimEndOf } from "../../core/trim-characters.ts";

/** Addresses of pages on the forge; undefined where the repository is on no forge that is known. */
export interface ForgeLinks {
  readonly repository: string | undefined;
  commit(id: string | undefined): string | undefined;
  /** Where a pull request of this branch into the Repository's is opened, or shown when it is open. */
  pullRequest(branch: string): string | undefined;
  file(path: string, place: { readonly commit: string | undefined; readonly line?: number }): string | undefined;
}

type Provider = Forge["provider"];

const knownHosts: Readonly<Record<string, Provider>> = {
  "github.com": "GitHub",
  "gitlab.com": "GitLab",
  "codeberg.org": "Forgejo",
  "gitea.com": "Gitea",
};

/** `{path}` of each provider's pages below the repository's own. */
const pagesOf: Readonly<Record<Provider, { readonly commit: string; readonly file: string }>> = {
  GitHub: { commit: "commit", file: "blob" },
  GitLab: { commit: "-/commit", file: "-/blob" },
  Gitea: { commit: "commit", file: "src/commit" },
  Forgejo: { commit: "commit", file: "src/commit" },
};

const noLinks: ForgeLinks = {
  repository: undefined,
  commit: () => undefined,
  pullRequest: () => undefined,
  file: () => undefined,
};

/** Links for a repository. Only https addresses are made, for any url. */
export function forgeLinks(repository: Repository | undefined): ForgeLinks {
  const base = repository && webAddress(repository.status?.url ?? repository.spec.url);
  if (base === undefined) return noLinks;
  const provider = repository?.spec.forge?.provider ?? ownValue(knownHosts, new URL(base).hostname);
  if (provider === undefined) return noLinks;
  const pages = pagesOf[provider];
  const target = repository?.spec.ref?.branch ?? "main";
  return {
    repository: base,
    commit: (id) => (id === undefined ? undefined : `${base}/${pages.commit}/${encodeURIComponent(id)}`),
    pullRequest: (branch) => {
      if (provider !== "GitLab") return `${base}/compare/${pathOf(target)}...${pathOf(branch)}`;
      const key = (end: string): string => encodeURIComponent(`merge_request[${end}_branch]`);
      const query = `${key("source")}=${encodeURIComponent(branch)}&${key("target")}=${encodeURIComponent(target)}`;
      return `${base}/-/merge_requests/new?${query}`;
    },
    file: (path, { commit, line }) => {
      if (commit === undefined) return undefined;
      const place = pathOf(path);
      return `${base}/${pages.file}/${encodeURIComponent(commit)}/${place}${line === undefined ? "" : `#L${line}`}`;
    },
  };
}

function pathOf(text: string): string {
  return text.split("/").map(encodeURIComponent).join("/");
}

/** The https address that a git address has on its forge, without credentials and `.git`. */
function webAddress(gitUrl: string): string | undefined {
  const scp = /^[\w.-]+@([\w.-]+):(?!\/)(.+)$/u.exec(gitUrl);
  const text = scp ? `https://${scp[1]}/${scp[2]}` : gitUrl;
  if (!URL.canParse(text)) return undefined;
  const { protocol, host, hostname, pathname } = new URL(text);
  if (protocol !== "https:" && protocol !== "ssh:") return undefined;
  const path = trimEndOf(pathname, "/").replace(/\.git$/u, "");
  return path === "" ? undefined : `https://${protocol === "ssh:" ? hostname : host}${path}`;
}
