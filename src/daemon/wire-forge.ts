import { AppError } from "../core/errors.ts";
import type { Connect } from "../forge/forge-http.ts";
import type { Forge } from "../forge/forge.ts";
import { openForge } from "../forge/open-forge.ts";
import { proxyOf } from "../http/choose-proxy.ts";
import { trustBesides } from "../http/trust.ts";
import type { KubeApi } from "../kube/kube.ts";
import type { RepositorySpec } from "../model/generated/repository.ts";
import type { OpenRepositoryForge } from "../reconcile/report-to-forge.ts";
import { readSecret } from "./read-secret.ts";
import { namedProxy } from "./wire-git.ts";
import type { ForgeFlags } from "./wire-git.ts";
import { realClock } from "../system/real-clock.ts";

const noFlags: ForgeFlags = { token: () => Promise.resolve(undefined), caBundle: () => Promise.resolve(undefined) };

/**
 * Opens the forge of a Repository with the token of its Secret, or with that of `flags`, through the Repository's proxy or that
 * of the environment. All are read anew each time: a token that was replaced is used at once. `flags`: default none, and
 * a Repository without a Secret is not reported. `connect`: default over the network of this machine.
 * @throws E_KUBE_NOT_FOUND without a Secret; E_FORGE_AUTH when it holds no token; E_FORGE_URL; those of `namedProxy`
 */
export function repositoryForge(
  hubApi: KubeApi,
  environment: Readonly<Record<string, string | undefined>>,
  flags: ForgeFlags = noFlags,
  connect?: Connect,
): OpenRepositoryForge & { readonly close: () => Promise<void> } {
  let open: { readonly key: string; readonly forge: Forge } | undefined;
  const openFor: OpenRepositoryForge = async (repository) => {
    const { namespace = "" } = repository.metadata;
    const { forge, url, secretRef } = repository.spec;
    const name = forge?.secretRef?.name ?? secretRef?.name;
    if (!forge) return undefined;
    const found = name === undefined ? await flags.token(url) : await tokenOf(hubApi, { namespace, name, forge });
    if (found === undefined) return undefined;
    const { version, token } = typeof found === "string" ? { version: found, token: found } : found;
    const proxy = await namedProxy(hubApi, repository);
    const named = repository.spec.caBundle;
    const caBundle = named === undefined ? await flags.caBundle(url) : trustBesides(named, environment);
    const key = JSON.stringify([version, forge, url, caBundle, proxy]);
    if (open?.key === key) return open.forge;
    await open?.forge.close();
    open = undefined;
    const opened = openForge({
      provider: forge.provider,
      repositoryUrl: url,
      token,
      isRepositoryToken: forge.secretRef === undefined,
      ...(forge.apiURL === undefined ? {} : { apiUrl: forge.apiURL }),
      ...(caBundle === undefined ? {} : { caBundle }),
      proxyUrl: proxy ?? ((apiUrl) => proxyOf(apiUrl, environment)),
      clock: realClock,
      connect,
    });
    open = { key, forge: opened };
    return opened;
  };
  return Object.assign(openFor, { close: async () => open?.forge.close() });
}

async function tokenOf(
  hubApi: KubeApi,
  {
    namespace,
    name,
    forge,
  }: { readonly namespace: string; readonly name: string; readonly forge: NonNullable<RepositorySpec["forge"]> },
): Promise<{ readonly version: string; readonly token: string }> {
  const { version, entries } = await readSecret(hubApi, { namespace, name });
  const token = entries.get("token") ?? entries.get("password");
  if (token !== undefined) return { version, token };
  throw new AppError("E_FORGE_AUTH", `open ${forge.provider}: Secret/${namespace}/${name} has no entry "token"`, {
    remedy: "Put a token of the forge into the entry token of the Secret.",
  });
}
