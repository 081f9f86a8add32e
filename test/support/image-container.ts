// Containers of an image that buildah made, run by runc as the Pods of both charts: an unprivileged user, no capability, a
// read-only root, and folders in memory. They share the network of this machine.
import { execFile, execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { objectAt, textsAt } from "../../src/core/read-json.ts";
import type { StartRollcall } from "./rollcall-process.ts";
import { followProcess } from "./rollcall-process.ts";

const run = promisify(execFile);

/** User and group of the program in its Pods. */
const user = 65532;

/** Programs that building and running an image takes, and that are not here. */
export function missingPrograms(): string[] {
  return ["buildah", "runc", "mmdebstrap"].filter((name) => {
    try {
      execFileSync("which", [name], { stdio: "ignore" });
      return false;
    } catch {
      return true;
    }
  });
}

export interface ImageStore {
  /** Runs buildah; resolves with what it printed, without the end of the line. */
  buildah(...args: string[]): Promise<string>;
  /** A folder with the content of the image, until the store is closed. */
  mount(image: string): Promise<string>;
  /** Starts containers of the image; `folder` is the one of this machine that they see, and it becomes theirs. */
  starter(image: string, folder: string): Promise<StartRollcall>;
  close(): Promise<void>;
}

/** Images in a folder of their own. */
export function openImageStore(folder: string): ImageStore {
  const places = ["--root", join(folder, "images"), "--runroot", join(folder, "run")];
  const buildah = async (...args: string[]): Promise<string> =>
    (await run("buildah", [...places, ...args], { maxBuffer: 64 << 20 })).stdout.trim();
  const mount = async (image: string): Promise<string> =>
    buildah("mount", await buildah("from", "--pull-never", image));
  let count = 0;
  return {
    buildah,
    mount,
    starter: async (image, shared) => {
      const rootfs = await mount(image);
      const inspected: unknown = JSON.parse(await buildah("inspect", "--type", "image", image));
      const config = objectAt(inspected, "OCIv1", "config");
      const program = textsAt(config, "Entrypoint");
      const variables = textsAt(config, "Env");
      return (args, { env = {} } = {}) => {
        const name = `rollcall-test-${process.pid}-${(count += 1)}`;
        const bundle = join(folder, name);
        const given = Object.entries(env).map(([key, value]) => `${key}=${value}`);
        const spec = containerSpec({ rootfs, shared, args: [...program, ...args], env: [...variables, ...given] });
        mkdirSync(bundle);
        writeFileSync(join(bundle, "config.json"), JSON.stringify(spec));
        execFileSync("chown", ["-R", `${user}:${user}`, shared]);
        const place = ["--root", join(folder, "runc"), "run", "--bundle", bundle, name];
        return followProcess(spawn("runc", place, { stdio: ["ignore", "pipe", "pipe"] }));
      };
    },
    close: async () => {
      await buildah("rm", "--all");
      await buildah("rmi", "--all", "--force");
    },
  };
}

interface ContainerOptions {
  readonly rootfs: string;
  readonly shared: string;
  readonly args: readonly string[];
  readonly env: readonly string[];
}

/** What the kubelet makes of the charts' security context and volumes, for the runtime of containers. */
function containerSpec({ rootfs, shared, args, env }: ContainerOptions): object {
  const inMemory = (destination: string) => ({
    destination,
    type: "tmpfs",
    source: "tmpfs",
    options: ["nosuid", "nodev", "mode=1777"],
  });
  const nothing = { bounding: [], effective: [], inheritable: [], permitted: [], ambient: [] };
  return {
    ociVersion: "1.0.2",
    root: { path: rootfs, readonly: true },
    process: { user: { uid: user, gid: user }, cwd: "/app", args, env, capabilities: nothing, noNewPrivileges: true },
    mounts: [
      { destination: "/proc", type: "proc", source: "proc" },
      { destination: "/dev", type: "tmpfs", source: "tmpfs", options: ["nosuid", "mode=755"] },
      inMemory("/tmp"),
      inMemory("/var/cache/rollcall"),
      { destination: shared, type: "bind", source: shared, options: ["rbind", "rw"] },
    ],
    linux: { namespaces: ["pid", "ipc", "uts", "mount"].map((type) => ({ type })) },
  };
}
