import { X509Certificate } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { connect } from "node:tls";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Clock } from "../../../src/core/clock.ts";
import { silentLog } from "../../../src/core/log.ts";
import type { EmbeddedHub } from "../../../src/embedded-hub/embedded-hub.ts";
import { startEmbeddedHub } from "../../../src/embedded-hub/embedded-hub.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import { realClock, realRandom } from "../../support/real-time.ts";
import { until } from "../../support/until.ts";
import { adminClient, adminOf } from "./hub-client.ts";

const dayMs = 86_400_000;

/** The real time, later by what a test sets; sleeps of a day end when the test lets them. */
function laterClock() {
  let laterMs = 0;
  const wakers: (() => void)[] = [];
  const clock: Clock = {
    ...realClock,
    nowMs: () => realClock.nowMs() + laterMs,
    sleep: (durationMs, signal) =>
      durationMs === dayMs
        ? new Promise((resolve, reject) => {
            wakers.push(resolve);
            signal?.addEventListener("abort", () => reject(new Error("aborted")));
          })
        : realClock.sleep(durationMs, signal),
  };
  const pass = (days: number): void => {
    laterMs += days * dayMs;
    for (const enqueue of wakers.splice(0)) enqueue();
  };
  return { clock, pass };
}

/** When the certificate ends that a new connection sees. */
function servedUntil({ port }: EmbeddedHub): Promise<number> {
  return new Promise((resolve, reject) => {
    // By the machine's clock the next certificate is not valid yet.
    const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false }, () => {
      resolve(Date.parse(socket.getPeerCertificate().valid_to));
      socket.destroy();
    });
    socket.once("error", reject);
  });
}

describe("a hub that runs for a year", () => {
  let dir: string;
  let hub: EmbeddedHub;
  let pass: (days: number) => void;
  let renewed: string[];
  beforeEach(async () => {
    const later = laterClock();
    const { clock } = later;
    ({ pass } = later);
    dir = await mkdtemp(join(tmpdir(), "rollcall-hub-year-"));
    renewed = [];
    const onAdminRenewed = async (kubeconfig: string) => void renewed.push(kubeconfig);
    hub = await startEmbeddedHub({ dir, clock, random: realRandom, log: silentLog, onAdminRenewed });
  });
  afterEach(async () => {
    await hub.close();
    await rm(dir, { recursive: true, force: true });
  });

  it("renews its serving certificate before it ends, for new connections", async () => {
    const before = await servedUntil(hub);
    pass(100);
    expect(await servedUntil(hub)).toBe(before);
    pass(240);
    const after = await until(
      () => {
        pass(0);
        return servedUntil(hub);
      },
      (end) => end > before,
    );
    expect(after - before).toBeGreaterThan(300 * dayMs);
  });

  it("hands out a kubeconfig whose certificate is renewed before it ends", async () => {
    const endOf = async (kubeconfig: string): Promise<number> => {
      const { certPem = "" } = await readKubeconfig(kubeconfig).getTls();
      return Date.parse(new X509Certificate(certPem).validTo);
    };
    const before = await endOf(hub.adminKubeconfig);
    pass(340);
    const [first = ""] = await until(
      () => {
        pass(0);
        return Promise.resolve(renewed);
      },
      (texts: readonly string[]) => texts.length > 0,
    );
    expect((await endOf(first)) - before).toBeGreaterThan(300 * dayMs);
    await until(
      () => Promise.resolve(hub.adminKubeconfig),
      (kubeconfig) => kubeconfig === first,
    );
  });

  it("A48 refuses a client certificate that ends during its connection", async () => {
    const client = adminClient(hub.url, adminOf(hub));
    const ask = async (): Promise<number> => (await client.call({ path: "/api/v1/namespaces/default" })).statusCode;
    expect(await ask()).toBe(200);
    pass(366);
    expect(await ask()).toBe(401);
    client.close();
  });

  it.runIf(process.platform === "linux")("sends keepalive probes to idle peers", async () => {
    const client = adminClient(hub.url, adminOf(hub));
    await client.call({ path: "/livez" });
    const local = `:${hub.port.toString(16).toUpperCase().padStart(4, "0")}`;
    const timers = async (): Promise<readonly (string | undefined)[]> => {
      const rows = (await readFile("/proc/net/tcp", "utf8")).split("\n").map((line) => line.trim().split(/\s+/u));
      const accepted = rows.filter(([, address = "", , state]) => address.endsWith(local) && state === "01");
      return accepted.map((row) => row[5]?.slice(0, 2));
    };
    // The timer that runs once everything was sent is the one of keepalive (02); without it none does (00).
    const timer = await until(timers, ([first]) => first === "02" || first === "00");
    expect(timer).toEqual(["02"]);
    client.close();
  });
});
