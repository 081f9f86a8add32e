import type { KubeApi } from "../kube/kube.ts";
import type { Repository } from "../model/generated/repository.ts";
import type { DecryptFile } from "../review/decrypt-secrets.ts";
import { createDecrypter } from "../secrets/decrypt.ts";
import { readSecret } from "./read-secret.ts";
import type { SopsProgram } from "../secrets/sops-program.ts";

/**
 * Opens the keys for encrypted Secrets that a Repository names; asked once in a run. While the Secret with the keys is the
 * same, a file that was decrypted is not decrypted again.
 * @throws E_KUBE_NOT_FOUND when the Secret with the keys is not there; E_SOPS_KEY when it holds no age keys
 */
export function repositoryKeys(options: {
  readonly hubApi: KubeApi;
  readonly repository: () => Repository | undefined;
  readonly program?: SopsProgram;
}): () => Promise<DecryptFile> {
  const { hubApi, repository, program } = options;
  let opened: { readonly version: string; readonly files: Map<string, ReturnType<DecryptFile>> } | undefined;
  return async () => {
    const { version, texts } = await readKeyTexts(hubApi, repository());
    const before = opened?.version === version ? opened.files : new Map<string, ReturnType<DecryptFile>>();
    const files = new Map<string, ReturnType<DecryptFile>>();
    opened = { version, files };
    const decrypt = createDecrypter({ ageKeys: texts, ...(program ? { program } : {}) });
    return (file) => {
      const key = `${file.path}\n${file.blobId}`;
      const result = files.get(key) ?? before.get(key) ?? decrypt(file);
      files.set(key, result);
      return result;
    };
  };
}

async function readKeyTexts(
  hubApi: KubeApi,
  repository: Repository | undefined,
): Promise<{ readonly version: string; readonly texts: readonly string[] }> {
  const name = repository?.spec.decryption?.ageKeySecretRef?.name;
  const namespace = repository?.metadata.namespace;
  if (name === undefined || namespace === undefined) return { version: "", texts: [] };
  const { version, entries } = await readSecret(hubApi, { namespace, name });
  return { version, texts: [...entries.values()] };
}
