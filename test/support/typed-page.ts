import { symlink } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import { makeTempFolder } from "./git-repositories.ts";
import { runInOneStream } from "./run-in-one-stream.ts";
import { kubectlFolder } from "./shell.ts";

const checkout = resolve(import.meta.dirname, "../..");

/** A folder with what the pages of docs use of a checkout. */
export async function makeCheckoutFolder(): Promise<Awaited<ReturnType<typeof makeTempFolder>>> {
  const folder = await makeTempFolder();
  for (const name of ["bin", "examples-repo"]) await symlink(join(checkout, name), join(folder.path, name));
  return folder;
}

/** The shell blocks of a page that a reader types one after the other; those with a word behind `sh` are for another terminal. */
export function blocksOf(page: string): string[] {
  return [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gmu)].map((match) => match[1] ?? "");
}

/** The arguments of the program that a page starts in another terminal. */
export function argumentsOf(page: string, terminal: number): string[] {
  const pattern = new RegExp(`^\`\`\`sh terminal=${terminal}\\nnode bin/rollcall\\.js (.*)\\n\`\`\`$`, "mu");
  const [, text] = pattern.exec(page) ?? [];
  if (text === undefined) throw new Error(`the page starts nothing in terminal ${terminal}`);
  return text.split(" ");
}

/** Types lines into one shell, as a person does; resolves with what it printed and the commands that failed. */
export async function typePage(
  text: string,
  cwd: string,
): Promise<{ readonly output: string; readonly failed: string[] }> {
  const { output } = await runInOneStream("bash", ["--norc", "--noprofile"], {
    cwd,
    env: {
      PATH: [process.env["PATH"], ...(kubectlFolder === undefined ? [] : [kubectlFolder])].join(delimiter),
      HOME: cwd,
      GIT_AUTHOR_NAME: "Reader",
      GIT_AUTHOR_EMAIL: "reader@example.org",
      GIT_COMMITTER_NAME: "Reader",
      GIT_COMMITTER_EMAIL: "reader@example.org",
    },
    input: `trap 'echo "@failed $BASH_COMMAND"' ERR\n${text}\n`,
  });
  return { output, failed: [...output.matchAll(/^@failed .*$/gmu)].map(([line]) => line) };
}
