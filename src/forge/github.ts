import { isAppError } from "../core/errors.ts";
import { textAt } from "../core/read-json.ts";
import type { ForgeApi } from "./forge-api.ts";
import type { ForgeHttp } from "./forge-http.ts";
import { createGitHubStyleApi } from "./github-style.ts";
import { idAt } from "./pull-request-json.ts";
import { gitHubSquashMessage } from "./squash-message.ts";

/** Headers by which a token is sent. Source: GitHub, "Getting started with the REST API". */
export function gitHubHeaders(token: string): Readonly<Record<string, string>> {
  return {
    authorization: `Bearer ${token}`,
    accept: "application/vnd.github+json",
    "x-github-api-version": "2022-11-28",
  };
}

/** Source: GitHub, REST API, "Commit statuses", "Pull requests", "Issue comments". */
export function createGitHubApi(http: ForgeHttp, repository: string): ForgeApi {
  return createGitHubStyleApi(http, repository, {
    pages: { sizeParameter: "per_page", size: 100 },
    // A comment may have 64 KiB.
    commentPages: { sizeParameter: "per_page", size: 50 },
    maximumDescription: 140,
    maximumCommentLength: 65_536,
    stateField: "state",
    isSameContext: (left, right) => left.toLowerCase() === right.toLowerCase(),
    squashMessage: (settings, source) => gitHubSquashMessage(textAt(settings, "squash_merge_commit_message"), source),
    openPulls: (baseBranch) => ({
      state: "open",
      sort: "created",
      direction: "asc",
      ...(baseBranch === undefined ? {} : { base: baseBranch }),
    }),
    async readUserId(signal) {
      try {
        const { json } = await http.send({ action: "ask who we are", method: "GET", path: "/user", signal });
        return idAt(json, "id");
      } catch (error) {
        // Tokens of apps and of workflows are no users.
        if (isAppError(error, "E_FORGE_FORBIDDEN")) return undefined;
        throw error;
      }
    },
  });
}
