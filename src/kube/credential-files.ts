import { readFile } from "node:fs/promises";
import type { Clock } from "../core/clock.ts";
import { AppError, isAppError } from "../core/errors.ts";
import { checkToken } from "./connection.ts";
import type { TlsMaterial } from "./connection.ts";

/** How long a token file is taken for unchanged. Kubernetes renews them minutes before they end. */
const tokenAgeMs = 10_000;

/**
 * The token in a file that another process renews, for KubeConnection.getToken. It is read again after ten seconds and
 * when its content was refused. If the file cannot be read (half-written, for example), the previous token stays in
 * use.
 */
export function createTokenFile(path: string, clock: Clock): (rejected?: string) => Promise<string> {
  let known: { readonly token: string; readonly readAtMs: number } | undefined;
  return async (rejected) => {
    if (known !== undefined && known.token !== rejected && clock.monotonicMs() - known.readAtMs < tokenAgeMs) {
      return known.token;
    }
    try {
      known = { token: checkToken(await readCredentialFile(path)), readAtMs: clock.monotonicMs() };
    } catch (error) {
      if (known === undefined || !isAppError(error, "E_KUBECONFIG")) throw error;
    }
    return known.token;
  };
}

export interface TlsFiles {
  readonly caPath?: string;
  readonly certPath?: string;
  readonly keyPath?: string;
}

/** Certificates and key from files that may be renewed, for KubeConnection.getTls. `fixed` outranks the files. */
export function createTlsFiles(files: TlsFiles, fixed: TlsMaterial = {}): () => Promise<TlsMaterial> {
  let known: TlsMaterial = {};
  const read = async (text: string | undefined, path: string | undefined) =>
    text ?? (path === undefined ? undefined : await readCredentialFile(path));
  return async () => {
    // One after the other: of several that cannot be read, the message names the first, not the one that the disk answers first.
    const caPem = await read(fixed.caPem, files.caPath);
    const certPem = await read(fixed.certPem, files.certPath);
    const keyPem = await read(fixed.keyPem, files.keyPath);
    const isSame = known.caPem === caPem && known.certPem === certPem && known.keyPem === keyPem;
    if (!isSame) known = { caPem, certPem, keyPem };
    return known;
  };
}

const remedy =
  "Correct the path (--kubeconfig, KUBECONFIG, or in the kubeconfig itself), or let this user read it: `ls -ld PATH` shows its owner and rights.";

/** Text of a file. Throws E_KUBECONFIG, which ends when another process writes the file. */
export async function readCredentialFile(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new AppError("E_KUBECONFIG", `${path} cannot be read`, { cause: error, recovery: "waiting", remedy });
  }
}
