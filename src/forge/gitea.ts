import type { ForgeApi } from "./forge-api.ts";
import type { ForgeHttp } from "./forge-http.ts";
import { createGitHubStyleApi } from "./github-style.ts";
import { readUserId } from "./read-user-id.ts";
import { giteaSquashMessage } from "./squash-message.ts";

/** Headers by which a token is sent. Source: Gitea, "API Usage". */
export function giteaHeaders(token: string): Readonly<Record<string, string>> {
  return { authorization: `token ${token}` };
}

/** Gitea and Forgejo. Source: Gitea, API (swagger), repository and issue. */
export function createGiteaApi(http: ForgeHttp, repository: string): ForgeApi {
  // 50 is the largest page in a server's default configuration (MAX_RESPONSE_ITEMS).
  const pages = { sizeParameter: "limit", size: 50, hasOwnLimit: true };
  return createGitHubStyleApi(http, repository, {
    pages,
    // All comments come at once there. Comments on code are left out of a page of the timeline, which has no Link.
    commentPages: { ...pages, isOnePage: true },
    timelinePages: { ...pages, isSparse: true },
    maximumDescription: 255,
    maximumCommentLength: 65_000,
    stateField: "status",
    isSameContext: (left, right) => left === right,
    squashMessage: (_, source) => giteaSquashMessage(source),
    openPulls: (baseBranch) => ({
      state: "open",
      sort: "oldest",
      ...(baseBranch === undefined ? {} : { base_branch: baseBranch }),
    }),
    readUserId: (signal) => readUserId(http, signal),
  });
}
