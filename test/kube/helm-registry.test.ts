import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { version } from "../../src/core/version.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import type { DaemonPlane } from "../support/daemon-plane.ts";
import { daemonNamespace, planeWorkspace, startDaemonPlane } from "../support/daemon-plane.ts";
import { makeTempFolder } from "../support/git-repositories.ts";
import { chartFolder, findHelm, noHelmReason, runHelm } from "../support/helm.ts";

const registryProgram = process.env["ROLLCALL_REGISTRY"] ?? "";
const whyNot =
  findHelm() === undefined ? noHelmReason : registryProgram === "" ? "ROLLCALL_REGISTRY names no registry" : undefined;

interface Registry {
  /** host:port */
  readonly address: string;
  stop(): Promise<void>;
}

/** `crane registry serve`, which keeps what is pushed in its memory, on a port of the system's choice. */
async function startRegistry(): Promise<Registry> {
  const child = spawn(registryProgram, ["registry", "serve", "--address", "127.0.0.1:0"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = new Promise<void>((done) => child.once("close", () => done()));
  const address = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stderr }).on("line", (line) => {
      const [, port] = /serving on port (\d+)/u.exec(line) ?? [];
      if (port !== undefined) resolve(`127.0.0.1:${port}`);
    });
    void ended.then(() => reject(new Error("the registry ended")));
  });
  return {
    address,
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

describe.skipIf(whyNot !== undefined)(
  `the charts in a registry${whyNot === undefined ? "" : ` (skipped: ${whyNot})`}`,
  () => {
    let folder: Awaited<ReturnType<typeof makeTempFolder>>;
    let registry: Registry;
    let session: DaemonPlane;

    beforeAll(async () => {
      folder = await makeTempFolder();
      registry = await startRegistry();
      session = await startDaemonPlane({ isEmpty: true });
    });
    afterAll(async () => {
      await session?.close();
      await registry?.stop();
      await folder.remove();
    });

    it.each(["rollcall", "rollcall-agent"] as const)("takes %s as helm packs it, and shows it", async (chart) => {
      await runHelm(["package", chartFolder(chart), "--destination", folder.path]);
      const archive = join(folder.path, `${chart}-${version}.tgz`);
      await runHelm(["push", archive, `oci://${registry.address}/charts`, "--plain-http"]);
      const shown = await runHelm(["show", "chart", `oci://${registry.address}/charts/${chart}`, "--plain-http"]);
      expect(shown).toContain(`name: ${chart}\n`);
    });

    it("installs from there", async () => {
      const values = {
        options: { repo: session.repository.path },
        workspaces: [planeWorkspace],
        createWorkspaces: true,
        hub: { url: session.plane.server },
      };
      const path = await session.fileWith("values.json", JSON.stringify(values));
      const chart = `oci://${registry.address}/charts/rollcall`;
      const place = [
        "--namespace",
        daemonNamespace,
        "--create-namespace",
        "--kubeconfig",
        session.plane.kubeconfigPath,
      ];
      await runHelm(["install", "rollcall", chart, "--plain-http", "--values", path, ...place]);
      const ref = { type: resourceTypes.deployment, namespace: daemonNamespace, name: "rollcall" };
      expect(await session.admin.get(ref)).toBeDefined();
    });
  },
);
