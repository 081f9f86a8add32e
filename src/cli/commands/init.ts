import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { AppError, describeError, errorCodeOf } from "../../core/errors.ts";
import { shellWord } from "../../core/shell-word.ts";
import type { PlainContext } from "./command-context.ts";
import { readPath } from "../../settings/read-path.ts";
import { firstFiles } from "./init-files.ts";
import { checkName } from "./read-labels.ts";
import { writeAllOrNone } from "./write-new-files.ts";

/**
 * `rollcall init DIR`: writes a first repository into a new or an empty folder; a repository without files (`.git` alone)
 * is empty too.
 * @throws E_USAGE when there is something in the folder, E_ACCESS or E_DISK_WRITE when it cannot be written
 */
export async function runInit({ settings, args, environment, stdout }: PlainContext): Promise<number> {
  const dir = readPath(args[0] ?? ".", environment);
  const files = firstFiles(checkName(settings.requiredText("workspace"), "--workspace"));
  const names = await listFolder(dir);
  const found = names?.find((name) => name !== ".git");
  if (found !== undefined) {
    throw new AppError("E_USAGE", `${dir} is not empty (it holds ${found}): name a folder that is new or empty`);
  }
  await writeAllOrNone(dir, files, { isNew: names === undefined });
  stdout.write(`${[...files.keys()].map((path) => join(dir, path)).join("\n")}\n`);
  stdout.write(`Read ${join(dir, "README.md")} first; rollcall validate ${shellWord(dir)} checks the files.\n`);
  return 0;
}

/** Undefined where there is no folder yet. */
async function listFolder(dir: string): Promise<string[] | undefined> {
  try {
    return await readdir(dir);
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return undefined;
    if (errorCodeOf(error) === "ENOTDIR") throw new AppError("E_USAGE", `${dir} is no folder`, { cause: error });
    throw new AppError("E_READ", `read folder ${dir}: ${describeError(error)}`, { cause: error });
  }
}
