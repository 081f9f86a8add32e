import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ForgeServer } from "./forge-server.ts";
import { forgeRepository, forgeToken } from "./forge-state.ts";

/** Opens pull request 5 of branch `next` at a GitHub; the environment in which a workflow runs for it. Writes its event to a folder. */
export async function startPullRequestWorkflow(
  { state, origin, apiUrl }: ForgeServer,
  { folder, head }: { readonly folder: string; readonly head: string },
): Promise<Record<string, string>> {
  const request = { number: 5, title: "One more", body: "", head: "next", headCommit: head, base: "main" };
  state.commits.push(head);
  state.pulls.push({ ...request, isOpen: true, isDraft: false, headRepositoryId: 1 });
  const event = join(folder, "event.json");
  await writeFile(event, JSON.stringify({ pull_request: { number: 5, head: { sha: head } } }));
  return {
    GITHUB_ACTIONS: "true",
    GITHUB_SERVER_URL: origin,
    GITHUB_API_URL: apiUrl,
    GITHUB_REPOSITORY: forgeRepository,
    GITHUB_EVENT_PATH: event,
    ROLLCALL_FORGE_TOKEN: forgeToken,
  };
}
