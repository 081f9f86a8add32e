import type { Row } from "../../src/embedded-hub/store/row-format.ts";
import type { Log } from "../../src/core/log.ts";
import { installProtocols } from "../../src/daemon/foreign-protocols.ts";
import { installHub } from "../../src/install/install-hub.ts";
import { createKubeApi } from "../../src/kube/kube-api.ts";
import { labelKeys } from "../../src/model/well-known.ts";
import { realClock, realRandom } from "../../src/system/real-clock.ts";
import { daemonNamespace, foreignServed, startDaemonProcess, workspace } from "./daemon-process.ts";
import { createDisk } from "./disk.ts";
import { administrator, startHubProcess } from "./hub-process.ts";
import type { Server } from "./network.ts";
import type { SimNode } from "./scheduler.ts";
import type { World } from "./world.ts";
import { neverAborted } from "../support/never-aborted.ts";

/** A hub of another owner, such as a staging copy. Its daemon is given the same repository and status branch; no agent knows it. */
export interface OtherHub {
  readonly server: Server;
  readonly daemon: SimNode;
  readonly sinceMs: number;
}

export interface OtherHubOptions {
  readonly world: World;
  /** Receives each row of its disk. */
  readonly onRow: (row: Row) => void;
  readonly log: (node: SimNode) => Log;
}

/** Makes the hub at once; its daemon begins when people have installed what it needs. */
export function createOtherHub({ world, onRow, log }: OtherHubOptions): OtherHub {
  const { scheduler, network, remote, people, pace } = world;
  const url = "https://other-hub.simulated:6443";
  const server: Server = { node: scheduler.addNode("other-hub"), url, serve: undefined };
  const daemon = scheduler.addNode("daemon-of-other-hub");
  startHubProcess(server, createDisk(scheduler, { onRow }), scheduler, pace);
  world.act("install the other hub", async () => {
    while (server.serve === undefined) await realClock.sleep(100);
    const transport = network.transport(people, server, administrator);
    const api = createKubeApi({ transport, clock: realClock, random: realRandom });
    await installHub(api, daemonNamespace, neverAborted());
    const metadata = { name: workspace, labels: { [labelKeys.workspace]: "true" } };
    await api.create({ apiVersion: "v1", kind: "Namespace", metadata }, { fieldManager: "people" });
    const { servesForeign } = world;
    if (servesForeign) await installProtocols(api, foreignServed, neverAborted());
    const isAlone = { isElected: false, isRestoring: false, servesForeign };
    const parts = { node: daemon, hub: server, network, remote, forge: undefined, scheduler, pace, ...isAlone };
    const onExit = (error: unknown): void => world.story.tell(daemon.name, `ended by itself: ${String(error)}`);
    // No person gives it a kubeconfig.
    const openDownstream = (): never => {
      throw new Error("the other hub reaches a cluster");
    };
    startDaemonProcess({ ...parts, openDownstream, log: log(daemon), onStarted: () => undefined, onExit });
  });
  return { server, daemon, sinceMs: scheduler.elapsedMs };
}
