import process from "node:process";

/** Does something where `dir` is the current folder. Of a process, one at a time. */
export async function inFolder<T>(dir: string, work: () => Promise<T>): Promise<T> {
  const before = process.cwd();
  process.chdir(dir);
  try {
    return await work();
  } finally {
    process.chdir(before);
  }
}
