import { readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError, describeError, errorCodeOf } from "../../core/errors.ts";
import { isDiskFull } from "../../core/is-disk-full.ts";
import { shellWord } from "../../core/shell-word.ts";
import { makeFolder } from "../../system/make-folder.ts";
import type { PlainContext } from "./command-context.ts";
import { readPath } from "../../settings/read-path.ts";
import { firstFiles } from "./init-files.ts";
import { checkName } from "./read-labels.ts";

/**
 * `rollcall init DIR`: writes a first repository into a new or an empty folder; a repository without files (`.git` alone)
 * is empty too.
 * @throws E_USAGE when there is something in the folder, E_ACCESS or E_DISK_WRITE when it cannot be written
 */
export async function runInit({ settings, args, environment, stdout }: PlainContext): Promise<number> {
  const dir = readPath(args[0] ?? ".", environment);
  const files = firstFiles(checkName(settings.requiredText("workspace"), "--workspace"));
  const found = (await listFolder(dir)).filter((name) => name !== ".git");
  if (found.length > 0) {
    throw new AppError("E_USAGE", `${dir} is not empty (it holds ${found[0]}): name a folder that is new or empty`);
  }
  for (const [path, text] of files) await writeNewFile(join(dir, path), text);
  stdout.write(`${[...files.keys()].map((path) => join(dir, path)).join("\n")}\n`);
  stdout.write(`Read ${join(dir, "README.md")} first; rollcall validate ${shellWord(dir)} checks the files.\n`);
  return 0;
}

/**
 * Writes a file that does not exist yet, and its folders.
 * @throws E_USAGE when it exists, E_DISK_WRITE when the disk is full, E_ACCESS when it cannot be written for another reason
 */
export async function writeNewFile(path: string, text: string): Promise<void> {
  try {
    await makeFolder(dirname(path));
    await writeFile(path, text, { flag: "wx" });
  } catch (error) {
    if (errorCodeOf(error) === "EEXIST") {
      throw new AppError("E_USAGE", `${path} exists: choose another name, or edit the file`, { cause: error });
    }
    const failure = explainUnwrittenFile(path, error);
    // The part that a full disk took is no file of the fleet.
    if (failure.code === "E_DISK_WRITE") await rm(path, { force: true });
    throw failure;
  }
}

/** The error of a command that cannot write a file. A full disk has another remedy than a missing right. */
export function explainUnwrittenFile(path: string, error: unknown): AppError {
  const code = isDiskFull(error) ? "E_DISK_WRITE" : "E_ACCESS";
  return new AppError(code, `write ${path}: ${describeError(error)}`, { cause: error });
}

async function listFolder(dir: string): Promise<string[]> {
  try {
    return await readdir(dir);
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return [];
    if (errorCodeOf(error) === "ENOTDIR") throw new AppError("E_USAGE", `${dir} is no folder`, { cause: error });
    throw new AppError("E_READ", `read folder ${dir}: ${describeError(error)}`, { cause: error });
  }
}
