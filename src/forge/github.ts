import { isAppError } from "../core/errors.ts";
import { textAt } from "../core/read-json.ts";
import type { ForgeAddress } from "./forge-address.ts";
import type { ForgeApi } from "./forge-api.ts";
import type { ForgeHttp } from "./forge-http.ts";
import { createGitHubStyleApi } from "./github-style.ts";
import { readBotId, readUserId } from "./read-user-id.ts";
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
export function createGitHubApi(http: ForgeHttp, { apiUrl, repository }: ForgeAddress): ForgeApi {
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
        return await readUserId(http, signal);
      } catch (error) {
        // Tokens of apps and of workflows are no users.
        if (isAppError(error, "E_FORGE_FORBIDDEN")) return readBotId(http, graphqlPathOf(apiUrl), signal);
        throw error;
      }
    },
  });
}

/** `/api/v3` and `/api/graphql` of an Enterprise Server; `api.github.com` has the one at its root and the other below it. */
function graphqlPathOf(apiUrl: string): string {
  return apiUrl.endsWith("/api/v3") ? "/../graphql" : "/graphql";
}
