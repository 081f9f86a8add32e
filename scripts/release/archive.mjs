import { renameSync } from "node:fs";

/** Packs the folder `name` of `parent` to `path`, a .tgz: the same bytes for the same files and `epoch`, in seconds. */
export function packFolder({ parent, name, path, epoch }, run) {
  const tar = path.replace(/\.tgz$/u, ".tar");
  const owner = ["--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX"];
  run("tar", "--sort=name", `--mtime=@${epoch}`, ...owner, "-C", parent, "-cf", tar, name);
  run("gzip", "--no-name", "--best", "--suffix=.tgz", tar);
  renameSync(`${tar}.tgz`, path);
}
