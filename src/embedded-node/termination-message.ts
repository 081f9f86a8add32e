import { constants } from "node:fs";
import { mkdir, open, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ContainerLog } from "./container-log.ts";
import { readContainerLog } from "./read-container-log.ts";

const longestMessageBytes = 4096;
const longestLogBytes = 2048;
const mostLogLines = 80;

/** An empty file for the last words of the next run of a container. */
export async function newMessageFile(podFolder: string, container: string): Promise<string> {
  const folder = join(podFolder, "messages");
  const file = join(folder, container);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await rm(file, { recursive: true, force: true });
  await writeFile(file, "", { mode: 0o600 });
  return file;
}

/**
 * The last words of a run: the end of its file, or of the log that is given in its place. Undefined for none.
 * Source: Kubernetes, pkg/kubelet/kuberuntime getTerminationMessage.
 */
export async function terminationMessage(file: string, log: ContainerLog | undefined): Promise<string | undefined> {
  const words = await endOfFile(file).catch(() => ""); // The program may have made anything of it.
  if (words !== "" || log === undefined) return words === "" ? undefined : words;
  let end = Buffer.alloc(0);
  const query = {
    isFollowing: false,
    hasTimestamps: false,
    tailLines: mostLogLines,
    signal: new AbortController().signal,
  };
  for await (const line of readContainerLog(log, query)) {
    end = Buffer.concat([end, line]).subarray(-longestLogBytes);
  }
  return end.length === 0 ? undefined : end.toString("utf8");
}

async function endOfFile(file: string): Promise<string> {
  // A pipe that has taken its place would be waited for.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const { size } = await handle.stat();
    const start = Math.max(size - longestMessageBytes, 0);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(longestMessageBytes), 0, longestMessageBytes, start);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await handle.close();
  }
}
