import { AppError, isAppError } from "../core/errors.ts";
import { reasonOfRead } from "../core/file-reasons.ts";
import { shellWord } from "../core/shell-word.ts";

/**
 * The error of a credential file with the reason, and with a command that a person can type; any other error as it is. Not beside
 * readCredentialFile, because an agent loads that, too.
 */
export function explainUnread(error: unknown, named?: string): unknown {
  if (!isAppError(error, "E_KUBECONFIG")) return error;
  const { cause, recovery, data } = error;
  const found = cause instanceof Error && "path" in cause && typeof cause.path === "string" ? cause.path : undefined;
  const path = named ?? found;
  if (path === undefined) return error;
  const rights = `\`ls -ld ${shellWord(path)}\` shows its owner and rights`;
  const remedy = `Correct the path (--kubeconfig, KUBECONFIG, or in the kubeconfig itself), or let this user read it: ${rights}.`;
  const reason = reasonOfRead(cause) ?? "it cannot be read";
  return new AppError("E_KUBECONFIG", `read ${path}: ${reason}`, { cause, recovery, data, remedy });
}
