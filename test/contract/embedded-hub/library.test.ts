import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { startHub as declared } from "../../../bin/embedded-hub.d.ts";
import { startHub } from "../../../src/demo/hub-library.ts";
import { textClient } from "../../support/scalars/text-client.ts";

/** The documented API exists: else this does not compile. */
const start: typeof declared = startHub;

it("starts for tests of others, and takes its temporary folder away", async () => {
  const hub = await start();
  const client = textClient(hub.kubeconfig);
  expect((await client.send({ method: "GET", path: "/api/v1/namespaces/default" })).code).toBe(200);
  await hub.whenIdle();
  await client.close();
  await hub.close();
});

it("keeps a folder that it is given", async () => {
  const dir = await mkdtemp(join(tmpdir(), "rollcall-library-"));
  const first = await start({ dir });
  await expect(start({ dir })).rejects.toMatchObject({ code: "E_DIR_LOCKED" });
  await first.close();
  expect(existsSync(join(dir, "store"))).toBe(true);
  await rm(dir, { recursive: true });
});
