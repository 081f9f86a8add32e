import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeTempFolder } from "../../support/git-repositories.ts";
import { readyHub } from "../../support/hub-under-test.ts";
import type { DaemonSession } from "../daemon/daemon-session.ts";
import { openDaemonSession } from "../daemon/daemon-session.ts";

/** A daemon that has applied a repository, and a folder with the kubeconfig of its hub for commands. */
export interface CommandSession {
  readonly session: DaemonSession;
  readonly folder: string;
  readonly kubeconfig: string;
  close(): Promise<void>;
}

/** `file`: the only file of the repository. */
export async function openCommandSession(file: string): Promise<CommandSession> {
  const hub = await readyHub();
  const folder = await makeTempFolder();
  const kubeconfig = join(folder.path, "kubeconfig");
  await writeFile(kubeconfig, hub.kubeconfig);
  const session = await openDaemonSession(hub);
  await session.repository.commit({ files: { "c1.yaml": file } });
  await session.startDaemon();
  const report = await session.settle();
  if (!report.isApplied) throw new Error("the repository is not applied");
  return {
    session,
    folder: folder.path,
    kubeconfig,
    close: async () => {
      await session.close();
      await folder.remove();
    },
  };
}
