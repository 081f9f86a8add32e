import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Random } from "../../core/clock.ts";
import { AppError } from "../../core/errors.ts";
import { releaseLockFile, takeLockFile } from "./lock-file.ts";

/**
 * Makes a folder if need be and takes it for this process, until the returned function is called. A lock that a killed
 * process left is taken over.
 * @throws E_DIR_LOCKED when another process (or another engine of this one) uses the folder
 */
export async function lockFolder(folder: string, random: Random): Promise<() => Promise<void>> {
  const path = join(folder, "lock");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const taken = await takeLockFile({ path, temporaryPath: join(folder, temporaryName(random)) });
  if (taken === "held") throw new AppError("E_DIR_LOCKED", `open the git cache ${folder}: another process uses it`);
  return () => releaseLockFile(path);
}

/** A unique name for a file that is renamed or removed soon. */
export function temporaryName(random: Random): string {
  return `tmp-${Buffer.from(random.bytes(8)).toString("hex")}`;
}
