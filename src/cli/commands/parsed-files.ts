import { copyFolderOf } from "../../daemon/open-repository.ts";
import { isLocalPath, readPath } from "../../settings/read-path.ts";
import type { Settings } from "../../settings/settings.ts";
import { hasNextCommand } from "../../system/has-next-command.ts";
import type { ParseCache } from "../../work-tree/parse-cache.ts";
import { openBlobsOfCopy, openKnownBlobs } from "../../work-tree/read-folder.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** What earlier commands parsed of the repository at `url`; undefined where nothing is kept of it. */
export async function openParsedFiles(
  settings: Settings,
  url: string,
  environment: Environment,
): Promise<ParseCache | undefined> {
  return isLocalPath(url)
    ? openKnownBlobs(readPath(url, {}))
    : openBlobsOfCopy(copyFolderOf(settings, url, environment));
}

/** Keeps what was parsed for later commands. */
export async function saveParsedFiles(cache: ParseCache | undefined, environment: Environment): Promise<void> {
  if (hasNextCommand(environment)) await cache?.save();
}
