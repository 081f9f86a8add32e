import { assertNever } from "../core/assert-never.ts";
import { AppError } from "../core/errors.ts";
import { findForge } from "./forge-address.ts";
import type { AddressOptions, ForgeAddress } from "./forge-address.ts";
import { createForgeHttp } from "./forge-http.ts";
import type { ForgeHttp, ForgeHttpOptions } from "./forge-http.ts";
import type { ForgeProvider } from "./forge.ts";
import { giteaHeaders } from "./gitea.ts";
import { gitHubHeaders } from "./github.ts";
import { gitLabHeaders } from "./gitlab.ts";

/** Blanks at the ends of the token are left out: files of tokens end with a line. */
export interface OpenForgeOptions extends AddressOptions, Omit<ForgeHttpOptions, "apiUrl" | "headers" | "proxyUrl"> {
  /** An http proxy, with its own credentials if it needs them, or the one for the address of the API. Default none. */
  readonly proxyUrl?: string | ((apiUrl: string) => string | undefined);
}

/**
 * Opens the API of the forge that hosts a repository; nothing is sent yet.
 * @throws E_FORGE_URL, E_FORGE_AUTH when the token cannot be one
 */
export function openForgeHttp(options: OpenForgeOptions): { readonly http: ForgeHttp; readonly address: ForgeAddress } {
  const { provider } = options;
  const address = findForge(options);
  const token = options.token.trim();
  // Anything else in a header could start another header.
  if (!/^[\x21-\x7e]+$/u.test(token)) {
    throw new AppError("E_FORGE_AUTH", `open ${provider}: the token is empty or has characters that no token has`);
  }
  const { clock, caBundle, timeouts, maximumBytes, connect } = options;
  const proxyUrl = typeof options.proxyUrl === "function" ? options.proxyUrl(address.apiUrl) : options.proxyUrl;
  const headers = headersOf(provider, token);
  const http = createForgeHttp({
    apiUrl: address.apiUrl,
    headers,
    token,
    clock,
    caBundle,
    proxyUrl,
    timeouts,
    maximumBytes,
    connect,
  });
  return { http, address };
}

function headersOf(provider: ForgeProvider, token: string): Readonly<Record<string, string>> {
  switch (provider) {
    case "GitHub":
      return gitHubHeaders(token);
    case "GitLab":
      return gitLabHeaders(token);
    case "Gitea":
    case "Forgejo":
      return giteaHeaders(token);
    default:
      return assertNever(provider);
  }
}
