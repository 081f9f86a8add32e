import { isTrueAt, numberAt, textAt } from "../core/read-json.ts";
import { segment } from "./forge-http.ts";
import type { ForgeHttp } from "./forge-http.ts";
import { keyWithoutComment } from "./key-without-comment.ts";
import { findRepository, readRepository } from "./hosted-repository.ts";
import { listPages } from "./list-pages.ts";
import type { RepositoryHostApi } from "./repository-host-api.ts";

const page = { sizeParameter: "per_page", size: 100 };
/** Where a project names its address for git over ssh. */
const urlField = "ssh_url_to_repo";

/** Source: GitLab, REST API, "Projects API", "Namespaces API", "Deploy keys API". */
export function createGitLabHost(http: ForgeHttp, repository: string): RepositoryHostApi {
  const root = `/projects/${segment(repository)}`;
  const [groups, name] = [repository.slice(0, repository.lastIndexOf("/")), repository.split("/").at(-1) ?? ""];
  return {
    async readRepository(signal) {
      const action = `find project ${repository}`;
      return findRepository(http, { action, path: root, signal }, urlField);
    },
    async createRepository(signal) {
      const place = { action: `find namespace ${groups}`, method: "GET", signal } as const;
      const namespace = await http.send({ ...place, path: `/namespaces/${segment(groups)}` });
      const action = `create project ${repository}`;
      const body = {
        name,
        path: name,
        namespace_id: numberAt(namespace.json, "id"),
        visibility: "private",
        initialize_with_readme: false,
      };
      const { json } = await http.send({ action, method: "POST", path: "/projects", body, signal });
      return readRepository(json, action, urlField);
    },
    async listDeployKeys(signal) {
      const action = `list deploy keys of ${repository}`;
      const keys = await listPages(http, { action, method: "GET", path: `${root}/deploy_keys`, signal }, page);
      return keys.map((key) => ({
        title: textAt(key, "title") ?? "",
        publicKey: keyWithoutComment(textAt(key, "key") ?? ""),
        isWriter: isTrueAt(key, "can_push"),
      }));
    },
    async addDeployKey({ title, publicKey }, signal) {
      const action = `add a deploy key to ${repository}`;
      const body = { title, key: publicKey, can_push: true };
      await http.send({ action, method: "POST", path: `${root}/deploy_keys`, body, signal });
    },
    readServerKeys: () => Promise.resolve([]),
  };
}
