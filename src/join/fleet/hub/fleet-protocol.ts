// join/fleet: serves the unmodified agents of Rancher Fleet. Pure; the facts of its names are in model/dialects/fleet.ts.
import type { JoinProtocol } from "../../join.ts";
import { credentials } from "./credentials.ts";
import { lifecycle } from "./lifecycle.ts";
import { registration } from "./registration.ts";
import { statusMirror } from "./status-mirror.ts";

/** The hub half of the protocol of Rancher Fleet. */
export const fleetProtocol = {
  name: "fleet",
  ...registration,
  ...credentials,
  ...lifecycle,
  ...statusMirror,
} satisfies JoinProtocol;
