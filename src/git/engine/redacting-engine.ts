import { redactError } from "../../core/redact-error.ts";
import { proxyPassword } from "../../http/proxy.ts";
import { readCredentials } from "../wire/credentials.ts";
import type { CredentialsSource } from "../wire/credentials.ts";
import type { GitEngine } from "../git.ts";
import type { HttpRoute } from "../wire/http-transport.ts";

interface CredentialOptions {
  readonly credentials?: CredentialsSource;
  readonly proxyUrl?: string;
  readonly route?: () => Promise<HttpRoute>;
}

/** A rotated secret and those before it: an answer may repeat the one that its request was sent with. */
const secretsKept = 6;

/** The options, and the credentials that were read by them most recently. */
export function rememberCredentials<T extends CredentialOptions>(
  options: T,
): { readonly options: T; readonly secrets: () => readonly string[] } {
  const seen = new Set<string>();
  const record = (secret: string | undefined): void => {
    if (secret === undefined || secret === "") return;
    // One that is read again is the newest.
    seen.delete(secret);
    seen.add(secret);
    for (const oldest of seen) if (seen.size > secretsKept) seen.delete(oldest);
  };
  const { credentials, proxyUrl, route } = options;
  // It is read once, and used for ever.
  const fixed = proxyPassword(proxyUrl);
  const remembering = {
    ...options,
    ...(credentials === undefined
      ? {}
      : {
          credentials: async () => {
            const read = await readCredentials(credentials);
            record(read?.secret);
            return read;
          },
        }),
    ...(route === undefined
      ? {}
      : {
          route: async () => {
            const read = await route();
            record(proxyPassword(read.proxyUrl));
            return read;
          },
        }),
  };
  return { options: remembering, secrets: () => [...(fixed === "" ? [] : [fixed]), ...seen] };
}

/** The same engine, whose errors have none of `secrets` in them. */
export function redactingEngine(engine: GitEngine, secrets: () => readonly string[]): GitEngine {
  const guard =
    <Args extends readonly unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      try {
        return await call(...args);
      } catch (error) {
        throw redactError(error, secrets());
      }
    };
  return {
    url: engine.url,
    fetchHead: guard(engine.fetchHead.bind(engine)),
    listBranches: guard(engine.listBranches.bind(engine)),
    readCommit: guard(engine.readCommit.bind(engine)),
    readSignature: guard(engine.readSignature.bind(engine)),
    isAncestor: guard(engine.isAncestor.bind(engine)),
    listCommits: guard(engine.listCommits.bind(engine)),
    listFiles: guard(engine.listFiles.bind(engine)),
    changedPaths: guard(engine.changedPaths.bind(engine)),
    readBlob: guard(engine.readBlob.bind(engine)),
    commitAndPush: guard(engine.commitAndPush.bind(engine)),
    moveBranch: guard(engine.moveBranch.bind(engine)),
    deleteBranch: guard(engine.deleteBranch.bind(engine)),
    close: () => engine.close(),
  };
}
