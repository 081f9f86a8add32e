import { createPrivateKey } from "node:crypto";
import { silentLog } from "../../src/core/log.ts";
import { tokenKeyOf } from "../../src/embedded-hub/auth/jwt.ts";
import type { Closer } from "../../src/embedded-hub/assemble-hub.ts";
import { assembleHub } from "../../src/embedded-hub/assemble-hub.ts";
import type { PeerIdentity } from "../../src/embedded-hub/http/peers.ts";
import { handleRequest } from "../../src/embedded-hub/http/handle-request.ts";
import { openStore } from "../../src/embedded-hub/store/open-store.ts";
import { realClock } from "../../src/system/real-clock.ts";
import type { Disk } from "./disk.ts";
import type { Server } from "./network.ts";
import type { Pace } from "./pace.ts";
import type { Scheduler } from "./scheduler.ts";
import { hubTokenKeyPem } from "./token-key.ts";

/** By which an administrator is known: a certificate of the hub's authority. */
export const administrator: PeerIdentity = {
  certificateSubject: {
    commonName: "administrator",
    organizations: ["system:masters"],
    fingerprintSha256: "0".repeat(64),
  },
};

/** What clients of every simulated hub trust it by. There is no TLS, so it is not read. */
export const simulatedCaPem = "-----BEGIN CERTIFICATE-----\nc2ltdWxhdGVk\n-----END CERTIFICATE-----\n";

/** Starts a hub's process on its disk; it serves when everything that it keeps is loaded. */
export function startHubProcess(server: Server, disk: Disk, scheduler: Scheduler, { hub: periods }: Pace): void {
  const { node } = server;
  const run = async (): Promise<void> => {
    const { life } = node;
    const store = await openStore({ persistence: disk.open(node), log: silentLog });
    const closers: Closer[] = [];
    const tokenKey = tokenKeyOf(createPrivateKey(hubTokenKeyPem));
    const { scope } = await assembleHub(
      {
        store,
        tokenKey,
        caPem: simulatedCaPem,
        address: () => new URL(server.url).host,
        isStopping: () => false,
        clock: realClock,
        random: scheduler.random,
        periods,
        log: silentLog,
      },
      closers,
    );
    if (life !== node.life) return;
    server.serve = (request, response, peer) =>
      void handleRequest(scope, request.asHubRequest(), response.asHubResponse(), peer);
  };
  scheduler.send(node, 0, "hub starts", () => void run());
}
