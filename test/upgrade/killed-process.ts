// node script.mjs DIR REPOSITORY SETTINGS RECORDED_AT_MS KILL_AT    a hub and a daemon in one process, as `rollcall up` has them. It kills
// itself with SIGKILL before request number KILL_AT of the daemon to the hub. With 0 it continues until nothing is left to do.
// Prints each write before it is sent, then how many requests there were.
import { writeSync } from "node:fs";
import * as connection from "../../src/daemon/connect-hub.ts";
import * as daemon from "../../src/daemon/wire-run.ts";
import * as protocols from "../../src/daemon/foreign-protocols.ts";
import * as repository from "../../src/daemon/wire-repository.ts";
import * as hub from "../../src/embedded-hub/embedded-hub.ts";
import * as git from "../../src/git/engine/open-git-engine.ts";
import * as install from "../../src/install/install-hub.ts";
import * as kubeconfig from "../../src/kube/read-kubeconfig.ts";
import type { FleetProgram, FleetSettings } from "./running-fleet.ts";
import { startFleet } from "./running-fleet.ts";
import { shiftDate } from "./shifted-date.ts";

const program: FleetProgram = { connection, daemon, protocols, repository, hub, git, install, kubeconfig };
const [dir = "", repositoryPath = "", settings = "", recordedAtMs, killAt] = process.argv.slice(2);
const endShift = shiftDate(Number(recordedAtMs));
let calls = 0;
let printed = 0;

/** A process that is killed flushes nothing: each line is written at once. */
function printWrites(): void {
  for (; printed < fleet.writes.length; printed++) writeSync(1, `${fleet.writes[printed]}\n`);
}

const fleet = await startFleet(program, {
  dir,
  repositoryPath,
  settings: JSON.parse(settings) as FleetSettings,
  beforeCall: () => {
    printWrites();
    calls += 1;
    if (calls === Number(killAt)) process.kill(process.pid, "SIGKILL");
  },
});
await fleet.startDaemon();
await fleet.settle();
printWrites();
writeSync(1, `requests: ${calls}\n`);
await fleet.stop();
endShift();
