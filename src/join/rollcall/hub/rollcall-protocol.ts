// join/rollcall/hub: what the hub decides and offers under the own protocol. Pure but for cryptography.
import type { JoinProtocol } from "../../join.ts";
import { credentials } from "./credentials.ts";
import { lifecycle } from "./lifecycle.ts";
import { registration } from "./registration.ts";
import { statusMirror } from "./status-mirror.ts";

/** The hub half of the own protocol. */
export const rollcallProtocol = {
  name: "rollcall",
  ...registration,
  ...credentials,
  ...lifecycle,
  ...statusMirror,
} satisfies JoinProtocol;
