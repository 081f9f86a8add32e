import type { Invariant, Scene } from "./invariant.ts";
import { forgeTokenOnHub } from "./forge-token.ts";

/** Until a refusal has arrived; what was sent before it does not know of it. */
const arrivalMs = 100;

/** A process that the forge has wait sends it nothing until then. */
export function forgeLimitsAreKept({ world, mirror, violate }: Scene): Invariant {
  const name = "the daemon waits as long as the forge asks it to";
  /** By the life of a process and the token that it was given: a new one knows nothing of it. */
  const waits = new Map<string, { readonly fromMs: number; readonly untilMs: number }>();
  return {
    name,
    onCall: ({ client, server, sentAtMs, status, isHeard }) => {
      const { forge } = world;
      if (server !== forge?.server) return;
      const key = `${client.name} ${client.life} ${forgeTokenOnHub(mirror)}`;
      const wait = waits.get(key);
      if (wait !== undefined && sentAtMs > wait.fromMs + arrivalMs && sentAtMs < wait.untilMs)
        violate(name, `${client.name} was to wait until ${Math.round(wait.untilMs)} ms, and asks again`);
      const { retryAfterSeconds } = forge.weather.refusal ?? {};
      if (!isHeard || status !== 429 || retryAfterSeconds === undefined) return;
      const fromMs = world.scheduler.elapsedMs;
      waits.set(key, { fromMs, untilMs: fromMs + retryAfterSeconds * 1000 });
    },
  };
}
