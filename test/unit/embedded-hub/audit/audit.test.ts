import { statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { silentLog } from "../../../../src/core/log.ts";
import { openAuditLog } from "../../../../src/embedded-hub/audit/audit.ts";
import { createManualClock } from "../../../support/manual-clock.ts";
import { realRandom } from "../../../support/real-time.ts";

it("holds no more of the audit log than 16 MiB: a request waits until the disk has what came before it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "rollcall-audit-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const logFile = join(folder, "audit.log");
  const scope = { clock: createManualClock(), random: realRandom, metrics: { countAudit: () => undefined } };
  const log = await openAuditLog({ logFile }, { ...scope, log: silentLog });
  const mebibyte = 1024 * 1024;
  const url = `/${"x".repeat(mebibyte)}`;
  const open = () =>
    log.open(
      {
        request: { headers: {}, url, remoteAddress: "127.0.0.1" },
        // Its client has left: the line is written at once.
        response: { headersSent: true, statusCode: 200, once: () => undefined, destroyed: true },
      },
      { kind: "path", verb: "get", method: "GET", path: url, query: new URLSearchParams() },
      { username: "flooder", groups: [] },
    );
  await Promise.all(Array.from({ length: 17 }, open));
  await open();
  expect(statSync(logFile).size).toBeGreaterThan(16 * mebibyte);
  await log.close();
  expect(statSync(logFile).size).toBeGreaterThan(18 * mebibyte);
});
