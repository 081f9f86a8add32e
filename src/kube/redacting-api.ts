import { redactError } from "../core/redact-error.ts";
import { redact } from "../core/remote-text.ts";
import type { KubeApi, WatchEvent } from "./kube.ts";
import type { Transport } from "./transport.ts";

/** A renewed token and those before it: an answer may repeat the one that its request was sent with. */
const tokensKept = 4;

/** The transport, and the credentials that it sent most recently. */
export function rememberCredentials(transport: Transport): {
  readonly transport: Transport;
  readonly secrets: () => readonly string[];
} {
  const { getToken, secrets: fixed = [] } = transport;
  const tokens = new Set<string>();
  if (getToken === undefined) return { transport, secrets: () => fixed };
  const remembering = async (rejected?: string): Promise<string | undefined> => {
    const token = await getToken(rejected);
    if (token === undefined) return token;
    // One that is sent again is the newest.
    tokens.delete(token);
    tokens.add(token);
    for (const oldest of tokens) if (tokens.size > tokensKept) tokens.delete(oldest);
    return token;
  };
  return { transport: { ...transport, getToken: remembering }, secrets: () => [...tokens, ...fixed] };
}

const same = (error: unknown): unknown => error;

/** The same API, whose errors and raw texts have none of `secrets` in them. `explain` gives what callers get of an error. */
export function redactingApi(api: KubeApi, secrets: () => readonly string[], explain = same): KubeApi {
  const shown = (error: unknown): unknown => explain(redactError(error, secrets()));
  const guard = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw shown(error);
    }
  };
  async function* watch(...args: Parameters<KubeApi["watch"]>): AsyncGenerator<WatchEvent> {
    try {
      yield* api.watch(...args);
    } catch (error) {
      throw shown(error);
    }
  }
  return {
    server: api.server,
    requestCounts: api.requestCounts,
    get: (...args) => guard(api.get(...args)),
    list: (...args) => guard(api.list(...args)),
    watch,
    create: (...args) => guard(api.create(...args)),
    update: (...args) => guard(api.update(...args)),
    apply: (...args) => guard(api.apply(...args)),
    mergePatch: (...args) => guard(api.mergePatch(...args)),
    delete: (...args) => guard(api.delete(...args)),
    requestToken: (...args) => guard(api.requestToken(...args)),
    getRaw: async (...args) => {
      const { status, text } = await guard(api.getRaw(...args));
      return { status, text: redact(text, secrets()) };
    },
    close: () => api.close(),
  };
}
