import type { ErrorCode } from "../core/error-codes.ts";
import { errorCodes } from "../core/error-codes.ts";
import { AppError } from "../core/errors.ts";

/** For the person's own token. The remedies of the table of codes are for the token of a daemon or of a workflow. */
const remedies: Partial<Record<ErrorCode, string>> = {
  E_FORGE_AUTH: "Make a new token at the forge, and give it in ROLLCALL_FORGE_TOKEN or --token-file.",
  E_DIR_LOCKED: "Wait until the other run has ended, and run the same command again.",
  E_FORGE_FORBIDDEN:
    "Give the token the rights that docs/bootstrap.md names, and its user the right to make the repository or to administer it. A daemon needs less.",
  E_FORGE_NOT_FOUND:
    "Check the owner and the name; forges answer this also when the token may not see or create what is named: docs/bootstrap.md has its rights.",
  E_FORGE_PROTOCOL: "Check that the address, or --api-url, is that of the forge.",
  E_FORGE_UNREACHABLE:
    "Try `curl --head ADDRESS` on this machine. If that fails too, correct the address, --api-url, the network or HTTPS_PROXY.",
  E_FORGE_URL: "Name the repository by its https address, and the forge's API with --api-url.",
  E_GIT_AUTH:
    "Give a token that may push, in ROLLCALL_FORGE_TOKEN or --token-file. By ssh, give the deploy key the right to push at the server.",
  E_GIT_PUSH_DENIED:
    "Give the token or the deploy key the right to push, and allow it in the branch's protection rule.",
};

/** The same failure with what a person does about it during the setup. A remedy that the error has of its own stays. */
export function withSetupRemedy(error: unknown): unknown {
  if (!(error instanceof AppError) || error.remedy !== errorCodes[error.code].remedy) return error;
  const { code, message, recovery, data } = error;
  const remedy = remedies[code];
  return remedy === undefined ? error : new AppError(code, message, { cause: error, recovery, data, remedy });
}
