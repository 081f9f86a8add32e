import { join } from "node:path";
import { AppError } from "../../core/errors.ts";
import { shellWord } from "../../core/shell-word.ts";
import type { AuditOptions } from "../../embedded-hub/audit/audit.ts";
import { startEmbeddedHub } from "../../embedded-hub/embedded-hub.ts";
import type { Settings } from "../../settings/settings.ts";
import { apiOf } from "../../daemon/connect-hub.ts";
import { backUpHub, restoreHub } from "../../demo/hub-backup.ts";
import { makeStateFolder } from "../../demo/make-state-folder.ts";
import { createProgramLog } from "../../system/program-log.ts";
import { isColourful } from "../render/is-colourful.ts";
import { openPortBook } from "../../demo/port-book.ts";
import type { CommandContext } from "./command-context.ts";
import { realClock, realRandom } from "../../system/real-clock.ts";
import { whenAborted } from "../../system/when-aborted.ts";
import { whenReady } from "../../demo/when-ready.ts";
import { writeFileAtomically } from "../../system/write-file-atomically.ts";
import { readKubeconfig } from "../../kube/read-kubeconfig.ts";

/** The options of the audit log. Throws E_USAGE for a size of 0. */
function auditOf(settings: Settings): { readonly audit?: AuditOptions } {
  const logFile = settings.text("audit-log-file");
  if (logFile === undefined) return {};
  const policyFile = settings.text("audit-policy-file");
  const maxBytes = settings.count("audit-log-max-size") * 1024 * 1024;
  if (maxBytes === 0) throw new AppError("E_USAGE", "--audit-log-max-size must be at least 1");
  const maxBackups = settings.count("audit-log-max-backups");
  return { audit: { logFile, maxBytes, maxBackups, ...(policyFile === undefined ? {} : { policyFile }) } };
}

/**
 * `rollcall hub`: serves the embedded hub alone; DIR/hub.kubeconfig appears when it is ready. A port that the system chose is
 * taken again at the next start, so that kubeconfigs and agents find the hub. With --backup-file it copies the hub of DIR to a
 * file and ends; with --restore-file it makes the hub from such a file first.
 */
export async function runHub({ settings, signal, stderr, stdout, environment }: CommandContext): Promise<number> {
  const dir = settings.requiredText("dir");
  const backupFile = settings.text("backup-file");
  if (backupFile !== undefined) {
    await backUpHub(dir, backupFile, signal);
    stderr.write(
      `The hub in ${dir} is copied to ${backupFile}. It holds every secret of the hub: keep it in a safe place.\n`,
    );
    return 0;
  }
  await makeStateFolder(dir);
  const restoreFile = settings.text("restore-file");
  if (restoreFile !== undefined) await restoreHub(dir, restoreFile);
  const log = createProgramLog({
    level: settings.text("log-level") ?? "info",
    format: settings.text("log-format") ?? "auto",
    isColour: isColourful(stdout, environment),
    stdout,
  });
  const ports = await openPortBook(join(dir, "ports.json"), { clock: realClock, random: realRandom });
  const port = settings.count("port");
  const path = join(dir, "hub.kubeconfig");
  const hub = await startEmbeddedHub({
    dir: join(dir, "hub"),
    port: port > 0 ? port : await ports.portOf("hub"),
    onAdminRenewed: (kubeconfig) => writeFileAtomically(path, kubeconfig),
    clock: realClock,
    random: realRandom,
    log,
    ...auditOf(settings),
  });
  try {
    await ports.remember("hub", hub.port);
    const api = apiOf(readKubeconfig(hub.adminKubeconfig));
    await whenReady(api, signal);
    await api.close();
    await writeFileAtomically(path, hub.adminKubeconfig);
    stderr.write(`The hub is ready: ${hub.url}\nkubectl --kubeconfig ${shellWord(path)} get namespaces\n`);
    await whenAborted(signal);
    return 0;
  } finally {
    await hub.close();
  }
}
