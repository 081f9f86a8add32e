import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync } from "node:fs";
import { realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

/** What the programs of the image need of Debian; coreutils and findutils are for the build. */
const packages = [
  "dash",
  "coreutils",
  "findutils",
  "libc-bin",
  "libstdc++6",
  "git",
  "openssh-client",
  "ca-certificates",
];
const name = "localhost/rollcall-base";
const authorities = "/etc/ssl/certs/ca-certificates.crt";

/**
 * Makes an image of Debian's packages and of the Node.js that runs this, and returns its name. It needs root and
 * mmdebstrap. The packages are unpacked and not configured: nothing in the image uses what that would add.
 */
export function makeBase(buildah) {
  if (!isThere("mmdebstrap")) {
    console.error("image: mmdebstrap is not installed: `apt-get install mmdebstrap`, or name an image by --base");
    process.exit(1);
  }
  const folder = mkdtempSync(join(tmpdir(), "rollcall-base-"));
  try {
    const tar = join(folder, "base.tar");
    execFileSync("mmdebstrap", ["--quiet", "--variant=extract", `--include=${packages.join(",")}`, "bookworm", tar], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    const container = buildah.run("from", "scratch");
    buildah.run("add", "--quiet", container, tar, "/");
    addNode(buildah.run("mount", container));
    buildah.run("config", "--env", "PATH=/usr/local/bin:/usr/bin:/bin", container);
    buildah.run("commit", "--quiet", "--timestamp", "0", container, name);
    buildah.run("rm", container);
    return name;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function isThere(program) {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));
}

/** Node.js and npm as the images of Node.js have them; npm trusts the authorities of this machine. */
function addNode(mounted) {
  const local = join(mounted, "usr/local");
  for (const folder of ["bin", "lib/node_modules"]) mkdirSync(join(local, folder), { recursive: true });
  copyFileSync(process.execPath, join(local, "bin/node"));
  const npm = dirname(dirname(realpathSync(execFileSync("which", ["npm"], { encoding: "utf8" }).trim())));
  cpSync(npm, join(local, "lib/node_modules/npm"), { recursive: true });
  symlinkSync("../lib/node_modules/npm/bin/npm-cli.js", join(local, "bin/npm"));
  if (!existsSync(authorities)) return;
  copyFileSync(authorities, join(local, "lib/node_modules/npm/authorities.crt"));
  writeFileSync(join(local, "lib/node_modules/npm/npmrc"), "cafile=/usr/local/lib/node_modules/npm/authorities.crt\n");
}
