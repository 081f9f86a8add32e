import { isTrueAt, textAt, textsAt } from "../core/read-json.ts";
import { segment } from "./forge-http.ts";
import type { ForgeHttp } from "./forge-http.ts";
import { keyWithoutComment } from "./key-without-comment.ts";
import { findRepository, readRepository } from "./hosted-repository.ts";
import { listPages } from "./list-pages.ts";
import type { PageOptions } from "./list-pages.ts";
import type { RepositoryHostApi } from "./repository-host-api.ts";

/** Where a repository names its address for git over ssh. */
const urlField = "ssh_url";

/** In what Gitea and Forgejo differ from GitHub here. */
export interface GitHubStyleHostDialect {
  readonly page: PageOptions;
  /** Whether `GET /meta` has the keys of the ssh server. */
  readonly hasMeta: boolean;
}

/**
 * Source: GitHub, REST API, "Repositories", "Deploy keys", "Meta"; Gitea, API (swagger), repository and organization.
 */
export function createGitHubStyleHost(
  http: ForgeHttp,
  repository: string,
  { page, hasMeta }: GitHubStyleHostDialect,
): RepositoryHostApi {
  const [owner = "", name = ""] = repository.split("/");
  const root = `/repos/${segment(owner)}/${segment(name)}`;
  return {
    async readRepository(signal) {
      const action = `find repository ${repository}`;
      return findRepository(http, { action, path: root, signal }, urlField);
    },
    async createRepository(signal) {
      const user = await http.send({ action: "ask who we are", method: "GET", path: "/user", signal });
      // A person's own repositories have another address than those of an organization.
      const isOwn = textAt(user.json, "login")?.toLowerCase() === owner.toLowerCase();
      const path = isOwn ? "/user/repos" : `/orgs/${segment(owner)}/repos`;
      const action = `create repository ${repository}`;
      const body = { name, private: true, auto_init: false };
      const { json } = await http.send({ action, method: "POST", path, body, signal });
      return readRepository(json, action, urlField);
    },
    async listDeployKeys(signal) {
      const action = `list deploy keys of ${repository}`;
      const keys = await listPages(http, { action, method: "GET", path: `${root}/keys`, signal }, page);
      return keys.map((key) => ({
        title: textAt(key, "title") ?? "",
        publicKey: keyWithoutComment(textAt(key, "key") ?? ""),
        isWriter: !isTrueAt(key, "read_only"),
      }));
    },
    async addDeployKey({ title, publicKey }, signal) {
      const action = `add a deploy key to ${repository}`;
      const body = { title, key: publicKey, read_only: false };
      await http.send({ action, method: "POST", path: `${root}/keys`, body, signal });
    },
    async readServerKeys(signal) {
      if (!hasMeta) return [];
      const { json } = await http.send({ action: "read the keys of ssh", method: "GET", path: "/meta", signal });
      return textsAt(json, "ssh_keys");
    },
  };
}
