import type { Stage } from "../do-deed.ts";
import { last } from "../lasting.ts";
import { noFaults } from "../network-faults.ts";
import { giveForgeToken } from "./forge-people.ts";
import type { ForgeKind } from "./forge-deeds.ts";
import type { SimulatedForge } from "./simulated-forge.ts";

const faults: ReadonlySet<ForgeKind> = new Set<ForgeKind>([
  "bad network of the forge",
  "forge is away",
  "forge is mute",
  "forge fails",
  "forge limits requests",
  "token of the forge ends",
]);

export function isForgeFault(kind: ForgeKind): boolean {
  return faults.has(kind);
}

/** What goes wrong at the forge. No run of the daemon waits for it: these faults excuse nothing that git and the hub do. */
export function doForgeFault(
  stage: Stage,
  forge: SimulatedForge,
  { kind, pick, forMs }: { readonly kind: ForgeKind; readonly pick: number; readonly forMs: number },
): void {
  const { world } = stage;
  const { weather } = forge;
  const lasts = (what: string, end: () => void): void => {
    world.story.tell("fault", `${what} for ${Math.round(forMs / 1000)} s`);
    stage.agentFaults.add(last(stage, forMs, end));
  };
  switch (kind) {
    case "bad network of the forge": {
      const rate = 40 + Math.floor(pick * 120);
      weather.rates = { lostRequest: rate, lostAnswer: rate, delayed: rate, doubled: rate, refused: 0 };
      return lasts(`of 1000 requests of the forge ${rate * 4} meet a fault`, () => (weather.rates = noFaults));
    }
    case "forge is away":
      weather.isAway = true;
      return lasts("the forge cannot be reached", () => (weather.isAway = false));
    case "forge is mute":
      weather.isMute = true;
      return lasts("the forge does not answer", () => (weather.isMute = false));
    case "forge fails":
      weather.refusal = { status: pick < 0.5 ? 500 : 503 };
      return lasts(`the forge answers ${weather.refusal.status}`, () => (weather.refusal = undefined));
    case "forge limits requests":
      weather.refusal = { status: 429, retryAfterSeconds: 10 + Math.floor(pick * 80) };
      return lasts("the forge limits requests", () => (weather.refusal = undefined));
    default:
      forge.token = `f0rge-t0ken-${Math.floor(pick * 1e9)}`;
      return lasts("the token of the forge is revoked", () => {
        world.act("give the daemon another token of the forge", () => giveForgeToken(world, forge));
      });
  }
}
