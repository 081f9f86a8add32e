import { describeError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { InstallAddress } from "../model/install-address.ts";
import { installPath, readInstallPath } from "../model/install-address.ts";
import type { WebAnswer, WebRoute } from "./web.ts";

/** Addresses that are looked up at the same time; each look-up is a call to the hub. */
const mostLookups = 8;

const notFound: WebAnswer = { status: 404, body: "not found, used already, or too old\n" };

/**
 * GET /v1/import/WORKSPACE.KEY.yaml: the install manifest of a token, once. `take` resolves with it, or with undefined for an
 * address that is wrong, used or too old: all of these get the same answer. A path of another form asks the hub nothing. The
 * path is a secret, so no log has it.
 */
export function installRoute(take: (address: InstallAddress) => Promise<string | undefined>, log: Log): WebRoute {
  let lookups = 0;
  return {
    method: "GET",
    path: installPath,
    isUsedUp: true,
    answer: async ({ path }) => {
      const address = readInstallPath(path);
      if (address === undefined) return notFound;
      if (lookups >= mostLookups) return { status: 429, headers: { "retry-after": "1" }, body: "too many requests\n" };
      lookups += 1;
      try {
        const manifest = await take(address);
        return manifest === undefined ? notFound : { contentType: "application/yaml", body: manifest };
      } catch (error) {
        log.warn("an install manifest could not be read", { error: describeError(error) });
        return { status: 503, headers: { "retry-after": "5" }, body: "the hub does not answer\n" };
      } finally {
        lookups -= 1;
      }
    },
  };
}
