// join/kubefleet: serves the unmodified member agents of KubeFleet. Pure; the facts of its names are in
// model/dialects/kubefleet.ts.
import type { JoinProtocol } from "../../join.ts";
import { credentials } from "./credentials.ts";
import { lifecycle } from "./lifecycle.ts";
import { registration } from "./registration.ts";
import { statusMirror } from "./status-mirror.ts";

/** The hub half of the protocol of KubeFleet. Its agents never ask to join: a MemberCluster is declared, or it is not. */
export const kubefleetProtocol = {
  name: "kubefleet",
  ...registration,
  ...credentials,
  ...lifecycle,
  ...statusMirror,
} satisfies JoinProtocol;
