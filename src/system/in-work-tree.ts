import { existsSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/**
 * True for a folder in a work tree of git, by its name or where links of it lead: a checkout may have made files in it, which
 * this user then owns. The folder need not exist.
 */
export function isInWorkTree(folder: string): boolean {
  const path = resolve(folder);
  return [path, whereItLeads(path)].some((place) => pathsUpFrom(place).some((each) => existsSync(join(each, ".git"))));
}

function pathsUpFrom(path: string): string[] {
  const found = [path];
  for (let last = path; dirname(last) !== last; last = dirname(last)) found.push(dirname(last));
  return found;
}

/** The path of the nearest folder that exists, without links. */
function whereItLeads(path: string): string {
  for (const each of pathsUpFrom(path)) if (existsSync(each)) return realpathSync(each);
  return path;
}
