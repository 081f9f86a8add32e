import { execFile } from "node:child_process";
import { chmod, cp, mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { objectsAt, textAt } from "../../src/core/read-json.ts";
import { version } from "../../src/core/version.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { startGitHttpServer } from "../support/git-http-server.ts";
import { createRepository, makeTempFolder } from "../support/git-repositories.ts";
import type { ImageStore } from "../support/image-container.ts";
import { missingPrograms, openImageStore } from "../support/image-container.ts";
import { joinByToken, makeWorkspace, startHubProcess, workspace } from "../support/process-fleet.ts";
import { findSshd, startSshGitServer } from "../support/ssh-git-server.ts";
import { until } from "../support/until.ts";

const root = resolve(import.meta.dirname, "../..");
const run = promisify(execFile);
const daemonImage = `localhost/rollcall:${version}`;
const agentImage = `localhost/rollcall-agent:${version}`;

/** Compressed, and without those of the base. docs/install.md has what they are. */
const mostDaemonBytes = 4_000_000;
const mostAgentBytes = 100_000;

const missing = missingPrograms();
const whyNot = missing.length > 0 ? `no ${missing.join(", ")}` : process.getuid?.() === 0 ? undefined : "needs root";

describe.skipIf(whyNot !== undefined)(
  `the images of deploy/Dockerfile${whyNot === undefined ? "" : ` (skipped: ${whyNot})`}`,
  () => {
    let folder: Awaited<ReturnType<typeof makeTempFolder>>;
    let store: ImageStore;
    let printed: string;

    async function image(...args: string[]): Promise<string> {
      const script = [join(root, "scripts/image.mjs"), ...args, "--store", folder.path];
      return (await run(process.execPath, script, { cwd: root })).stdout;
    }

    function makeImages(name: string): Promise<string> {
      return image(join(folder.path, name), "--base", "localhost/rollcall-base");
    }

    beforeAll(async () => {
      folder = await makeTempFolder();
      await chmod(folder.path, 0o755);
      store = openImageStore(folder.path);
      await image("base");
      printed = await makeImages("first");
    }, 900_000);
    afterAll(async () => {
      await store.close();
      await folder.remove();
    });

    it("A46 have the same digests when nothing of the first build is left", { timeout: 900_000 }, async () => {
      const names = (await store.buildah("images", "--all", "--format", "{{.ID}} {{.Name}}")).split("\n");
      const made = names
        .filter((line) => !line.includes("rollcall-base"))
        .map((line) => line.slice(0, line.indexOf(" ")));
      await store.buildah("rmi", "--force", ...made);
      expect(await makeImages("second")).toBe(printed);
    });

    it("add little to their base", async () => {
      expect(await ownBytes("rollcall.tar")).toBeLessThan(mostDaemonBytes);
      expect(await ownBytes("rollcall-agent.tar")).toBeLessThan(mostAgentBytes);
    });

    it("contain neither a hub nor a package manager, and the agent's nothing but the agent", async () => {
      const daemon = await store.mount(daemonImage);
      const agent = await store.mount(agentImage);
      expect((await readdir(join(agent, "app"))).sort()).toEqual(["LICENSE", "rollcall-agent.mjs"]);
      expect((await readdir(join(daemon, "app"))).sort()).toEqual(["LICENSE", "bin", "dist"]);
      for (const mounted of [daemon, agent]) {
        expect(await readdir(join(mounted, "usr/local/lib"))).toEqual([]);
        expect(await readdir(join(mounted, "usr/local/bin"))).not.toContain("npm");
      }
      const files = await readdir(join(daemon, "app/dist"));
      const sources = await Promise.all(
        files.filter((name) => name.endsWith(".js")).map((name) => readFile(join(daemon, "app/dist", name), "utf8")),
      );
      expect(sources.filter((text) => /src\/(?:embedded-|demo\/)|classic-level/u.test(text))).toEqual([]);
    });

    it("check the files of a fleet, and refuse to be a hub", async () => {
      const shared = join(folder.path, "files");
      await cp(join(root, "examples-repo"), shared, { recursive: true });
      const start = await store.starter(daemonImage, shared);
      const checked = await start(["validate", shared]).finished;
      expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining("no problems") as string });
      expect(await start(["hub"]).finished).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("E_UNSUPPORTED: the image has no hub of its own") as string,
      });
    });

    const sshd = findSshd();
    it.skipIf(sshd === undefined)(
      "read a repository by ssh, which wants a name for the user of the image",
      async () => {
        const server = await startSshGitServer(sshd ?? "", join(folder.path, "sshd"));
        onTestFinished(() => server.close());
        const repository = await createRepository(join(folder.path, "by-ssh.git"));
        const base = await repository.commit({ files: { "notes.txt": "before" } });
        await repository.commit({ files: { "door.yaml": tokenFile("door") } });
        const shared = join(folder.path, "ssh");
        await mkdir(shared);
        const [key, hosts] = [join(shared, "identity"), join(shared, "known_hosts")];
        await writeFile(key, server.identity);
        await writeFile(hosts, server.knownHosts);
        const start = await store.starter(daemonImage, shared);
        const keys = ["--git-ssh-key-file", key, "--git-known-hosts-file", hosts];
        const args = ["plan", "--offline", "--base", base, "--cache-dir", "/var/cache/rollcall", ...keys];
        const planned = await start([...args, "--repo", server.urlOf(repository.path)]).finished;
        expect(planned).toMatchObject({ code: 0, stdout: expect.stringContaining("creates 1 token") as string });
      },
    );

    it("run the daemon and an agent of a fleet", async () => {
      const hub = await startHubProcess(join(folder.path, "hub"));
      onTestFinished(() => hub.stop());
      await makeWorkspace(hub.api);
      const repository = await createRepository(join(folder.path, "git", "fleet.git"));
      await repository.commit({ files: { "door.yaml": tokenFile("door") } });
      const gitServer = await startGitHttpServer({ root: join(folder.path, "git") });
      onTestFinished(() => gitServer.close());

      const shared = join(folder.path, "daemon");
      await mkdir(shared);
      await cp(hub.kubeconfigPath, join(shared, "hub.kubeconfig"));
      const startDaemon = await store.starter(daemonImage, shared);
      const daemon = startDaemon(["run", "--install-crds"], {
        env: {
          ROLLCALL_REPO: gitServer.urlOf("fleet.git"),
          ROLLCALL_KUBECONFIG: join(shared, "hub.kubeconfig"),
          ROLLCALL_CACHE_DIR: "/var/cache/rollcall",
        },
      });
      onTestFinished(async () => {
        daemon.kill("SIGTERM");
        expect(await daemon.finished).toMatchObject({ code: 0 });
      });
      await daemon.whenPrinted(/run finished/u);

      const dir = join(folder.path, "agent");
      await mkdir(dir);
      const agent = await joinByToken(hub.api, {
        token: "door",
        name: "edge-1",
        dir,
        start: await store.starter(agentImage, dir),
      });
      onTestFinished(() => agent.stop());
      const joined = await until(
        async () => (await hub.api.list(resourceTypes.cluster, { namespace: workspace })).items[0],
        (cluster) => isReady(cluster),
      );
      expect(joined?.metadata.name).toBe("edge-1");
    });

    /** Bytes of the layers after the base's only one. */
    async function ownBytes(archive: string): Promise<number> {
      const read = async (path: string): Promise<unknown> =>
        JSON.parse((await run("tar", ["-xOf", join(folder.path, "first", archive), path])).stdout);
      const digest = textAt(await read("index.json"), "manifests", 0, "digest") ?? "";
      const layers = objectsAt(await read(`blobs/${digest.replace(":", "/")}`), "layers");
      return layers.slice(1).reduce((sum, { size }) => sum + Number(size), 0);
    }
  },
);

function tokenFile(name: string): string {
  return JSON.stringify({
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "ClusterRegistrationToken",
    metadata: { name, namespace: workspace },
    spec: { ttl: "24h" },
  });
}

function isReady(object: unknown): boolean {
  return objectsAt(object, "status", "conditions").some(({ type, status }) => type === "Ready" && status === "True");
}
