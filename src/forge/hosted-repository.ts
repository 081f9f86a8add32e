import { AppError, isAppError } from "../core/errors.ts";
import { isTrueAt, textAt } from "../core/read-json.ts";
import type { ForgeHttp, ForgeRequest } from "./forge-http.ts";
import type { HostedRepository } from "./repository-host-api.ts";

/** Asks for a repository; undefined when there is none that the token may see. `urlField` as in {@link readRepository}. */
export async function findRepository(
  http: ForgeHttp,
  request: Pick<ForgeRequest, "action" | "path" | "signal">,
  urlField: string,
): Promise<HostedRepository | undefined> {
  try {
    const { json } = await http.send({ ...request, method: "GET" });
    return readRepository(json, request.action, urlField);
  } catch (error) {
    if (isAppError(error, "E_FORGE_NOT_FOUND")) return undefined;
    throw error;
  }
}

/**
 * A repository in the answer of a forge.
 * @param urlField where it has its address for git over ssh
 * @throws E_FORGE_PROTOCOL when there is none
 */
export function readRepository(json: unknown, action: string, urlField: string): HostedRepository {
  const sshUrl = textAt(json, urlField);
  if (sshUrl === undefined) throw new AppError("E_FORGE_PROTOCOL", `${action}: the answer is no repository`);
  return { sshUrl, defaultBranch: textAt(json, "default_branch"), isArchived: isTrueAt(json, "archived") };
}
