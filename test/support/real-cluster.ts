// Whole clusters with a kubelet and a container runtime, for tests whose Pods really run. The program that makes them is
// not part of this project: ROLLCALL_CLUSTER_NODE names it. It understands
//   up FOLDER NUMBER (stays in the foreground; prints "ready:" on stderr), rootfs FOLDER, image ARCHIVE NAME ROOTFS COMMAND...,
//   load FOLDER ARCHIVE, enter FOLDER COMMAND...
// and serves each cluster's API at 10.77.0.(10 + NUMBER):6443; FOLDER/admin.kubeconfig works on this machine.
import { execFile, spawn } from "node:child_process";
import { cp, mkdir, readFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");

export const clusterNode = process.env["ROLLCALL_CLUSTER_NODE"] ?? "";

/** Why no cluster can run here, or undefined. */
export function whyNoClusters(): string | undefined {
  if (clusterNode === "") return "ROLLCALL_CLUSTER_NODE names no program that runs clusters";
  if (process.getuid?.() !== 0) return "clusters need root";
  return undefined;
}

/** Address of this machine that Pods of every cluster reach. */
export const hostAddress = "10.77.0.1";

export interface RealCluster {
  readonly server: string;
  readonly kubeconfig: string;
  readonly kubeconfigPath: string;
  /** Puts an image, made by {@link makeImage}, on the cluster. */
  load(archive: string): Promise<void>;
  /** Runs a shell line inside the node: its processes, network and mounts. Resolves with what it printed. */
  enter(line: string): Promise<string>;
  stop(): Promise<void>;
}

/** Starts a cluster (about 15 s). `number` chooses its addresses: two that run at once need two. */
export async function startRealCluster(folder: string, number: number): Promise<RealCluster> {
  const child = spawn(clusterNode, ["up", folder, String(number)], { stdio: ["ignore", "ignore", "pipe"] });
  const ended = new Promise<void>((done) => child.once("close", () => done()));
  const kill = (): void => void child.kill("SIGTERM");
  process.once("exit", kill);
  const lines: string[] = [];
  await new Promise<void>((ready, reject) => {
    createInterface({ input: child.stderr }).on("line", (line) => {
      lines.push(line);
      if (line.includes("ready:")) ready();
    });
    void ended.then(() => reject(new Error(`cluster ${number} ended:\n${lines.join("\n")}`)));
  });
  const kubeconfigPath = join(folder, "admin.kubeconfig");
  return {
    server: `https://10.77.0.${10 + number}:6443`,
    kubeconfig: await readFile(kubeconfigPath, "utf8"),
    kubeconfigPath,
    load: async (archive) => void (await run(clusterNode, ["load", folder, archive])),
    enter: async (line) => (await run(clusterNode, ["enter", folder, "sh", "-c", line])).stdout,
    stop: async () => {
      kill();
      await ended;
      process.off("exit", kill);
    },
  };
}

/** Makes an image with the content that deploy/Dockerfile describes, of what was built last. */
export async function makeImage(folder: string, name: string): Promise<string> {
  const rootfs = join(folder, "rootfs");
  const app = join(rootfs, "app");
  await run(clusterNode, ["rootfs", rootfs]);
  await mkdir(app, { recursive: true });
  for (const part of ["bin", "dist", "package.json"]) await cp(join(root, part), join(app, part), { recursive: true });
  const { stdout } = await run("npm", ["ls", "--omit=dev", "--all", "--parseable"], { cwd: root, maxBuffer: 16 << 20 });
  for (const path of stdout.split("\n").filter((line) => line.startsWith(join(root, "node_modules")))) {
    await cp(path, join(app, relative(root, path)), { recursive: true });
  }
  return tagImage(folder, name);
}

/** Another name for the content of the image that {@link makeImage} made there last; `program` is what it starts. */
export async function tagImage(folder: string, name: string, program = "/app/bin/rollcall.js"): Promise<string> {
  const archive = join(folder, `image-${name.replace(/[^-.\w]/gu, "-")}.tar`);
  await run(clusterNode, ["image", archive, name, join(folder, "rootfs"), "node", program]);
  return archive;
}
