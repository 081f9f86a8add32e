import { textAt } from "../../../src/core/read-json.ts";
import { forgeSecretName } from "../forge/simulated-forge.ts";
import type { HubMirror } from "../mirror.ts";

/** By which the daemon asks the forge: a hub that was restored has a former one. */
export function forgeTokenOnHub(mirror: HubMirror): string {
  const secret = mirror.get(`//secrets/rollcall-system/${forgeSecretName}`);
  return Buffer.from(textAt(secret, "data", "token") ?? "", "base64").toString("utf8");
}
