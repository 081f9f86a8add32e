import { join } from "node:path";
import { runPlan } from "../../src/cli/commands/plan.ts";
import { readSettings } from "../../src/settings/read-settings.ts";
import { inFolder } from "./in-folder.ts";

export interface PlanRun {
  readonly options?: Readonly<Record<string, string | boolean>>;
  readonly isTTY?: boolean;
  /** The current folder is the repository, and no option names it. Default false. */
  readonly isHere?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Runs `rollcall plan` on a repository in this process, as the program would, and resolves with what it printed. */
export async function runPlanOf(
  repository: string,
  { options = {}, isTTY = false, isHere = false, environment = {} }: PlanRun = {},
): Promise<{ readonly code: number; readonly text: string; readonly errorText: string }> {
  let text = "";
  let errorText = "";
  const place = isHere ? {} : { repo: repository };
  const given = { ...place, "cache-dir": join(repository, "../cache"), ...options };
  const code = await runPlan({
    settings: readSettings("plan", { given, environment }),
    stdout: { write: (part) => (text += part), isTTY },
    stderr: { write: (part) => (errorText += part) },
    environment,
    signal: new AbortController().signal,
  });
  return { code, text, errorText };
}

/** Plans from within a folder, as without --repo. */
export async function planWhereChecked(
  dir: string,
  options: Readonly<Record<string, string | boolean>>,
  environment: Readonly<Record<string, string>> = {},
): ReturnType<typeof runPlanOf> {
  return inFolder(dir, () => runPlanOf(dir, { options, environment, isHere: true }));
}
