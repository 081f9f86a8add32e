import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { AppError, isAppError } from "../core/errors.ts";
import { reasonOfRead } from "../core/file-reasons.ts";
import { makeBackup, restoreBackup, snapshotOfStopped, snapshotPath } from "../embedded-hub/backup.ts";
import { readKubeconfig } from "../kube/read-kubeconfig.ts";
import { createUndiciTransport } from "../kube/undici-transport.ts";
import { writeFileAtomically } from "../system/write-file-atomically.ts";

const timeoutMs = 60_000;

/** A copy of the hub in DIR, whether it runs or not, readable by its owner alone. @throws E_USAGE without a hub */
export async function backUpHub(dir: string, file: string, signal: AbortSignal): Promise<void> {
  const hubDir = join(dir, "hub");
  // Opening a store makes one where there is none.
  if (!existsSync(join(hubDir, "store"))) throw new AppError("E_USAGE", `copy the hub of ${dir}: there is none`);
  const snapshot = await takeSnapshot(dir, hubDir, signal);
  await writeFileAtomically(file, await makeBackup(hubDir, snapshot));
}

/** @throws E_READ, E_STORE_DAMAGED; E_USAGE when DIR has a hub */
export async function restoreHub(dir: string, file: string): Promise<void> {
  const backup = await readBackupFile(file);
  await restoreBackup(join(dir, "hub"), backup, ownerName).catch((error: unknown) => {
    if (!isAppError(error, "E_STORE_DAMAGED")) throw error;
    const remedy = "Name a file that `rollcall hub --backup-file` wrote, and of which every byte was copied.";
    throw new AppError("E_STORE_DAMAGED", `make a hub of ${file}: ${error.message}`, { cause: error, remedy });
  });
}

const ownerName = `rollcall hub, process ${process.pid}`;

async function takeSnapshot(dir: string, hubDir: string, signal: AbortSignal): Promise<Buffer> {
  try {
    return await snapshotOfStopped(hubDir, ownerName);
  } catch (error) {
    if (!isAppError(error, "E_DIR_LOCKED")) throw error;
    return askForSnapshot(join(dir, "hub.kubeconfig"), signal);
  }
}

async function askForSnapshot(kubeconfigPath: string, signal: AbortSignal): Promise<Buffer> {
  const transport = createUndiciTransport(readKubeconfig(await readFile(kubeconfigPath, "utf8")));
  try {
    const answer = await transport.send({
      method: "GET",
      path: snapshotPath,
      headers: { accept: "application/octet-stream" },
      pool: "work",
      headTimeoutMs: timeoutMs,
      idleTimeoutMs: timeoutMs,
      signal,
    });
    const parts: Uint8Array[] = [];
    for await (const part of answer.body) parts.push(part);
    if (answer.status !== 200)
      throw new AppError("E_KUBE_SERVER", `ask ${transport.server} for a snapshot: it answered ${answer.status}`);
    return Buffer.concat(parts);
  } finally {
    await transport.close();
  }
}

async function readBackupFile(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new AppError("E_READ", `read ${file}: ${reasonOfRead(error) ?? "it cannot be read"}`, { cause: error });
  }
}
