import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The program buildah, with the images of `store` (default: its own folder). STORAGE_DRIVER=vfs helps where overlay cannot. */
export function openBuildah(store) {
  const places = store === undefined ? [] : ["--root", join(store, "images"), "--runroot", join(store, "run")];

  /** Returns what it printed on standard output, without the end of the line. Throws what it printed on standard error. */
  function run(...args) {
    try {
      return execFileSync("buildah", [...places, ...args], {
        encoding: "utf8",
        maxBuffer: 64 << 20,
        stdio: "pipe",
      }).trim();
    } catch (error) {
      if (error.code === "ENOENT") fail("buildah is not installed: `apt-get install buildah`");
      return fail(`buildah ${args[0]}: ${error.stderr.trim().split("\n").slice(-40).join("\n")}`);
    }
  }

  /** Builds one stage of deploy/Dockerfile of the checkout `root`. Every file has the time of the commit. */
  function build({ root, stage, image, base }) {
    const epoch = execFileSync("git", ["log", "-1", "--format=%ct"], { cwd: root, encoding: "utf8" }).trim();
    const isolated = ["--isolation", "chroot", "--network", "host"];
    const values = ["--timestamp", epoch, "--build-arg", `SOURCE_DATE_EPOCH=${epoch}`];
    if (base !== undefined) values.push("--build-arg", `NODE_IMAGE=${base}`, "--pull-never");
    const file = join(root, "deploy/Dockerfile");
    run("bud", "--quiet", "--layers", ...isolated, ...values, "--target", stage, "--file", file, "--tag", image, root);
  }

  /** Writes an OCI archive. Returns the digest of its manifest. */
  function write(image, archive) {
    const folder = mkdtempSync(join(tmpdir(), "rollcall-image-"));
    try {
      const digest = join(folder, "digest");
      rmSync(archive, { force: true });
      run("push", "--quiet", "--digestfile", digest, image, `oci-archive:${archive}:${image}`);
      return readFileSync(digest, "utf8").trim();
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  return { run, build, write };
}

function fail(message) {
  console.error(`image: ${message}`);
  process.exit(1);
}
