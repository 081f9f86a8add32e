import { countOf } from "../../core/count-of.ts";
import { printableJson } from "../../core/printable-json.ts";
import { runChecks } from "../../daemon/check/run-checks.ts";
import type { CheckResult } from "../../daemon/check/check-result.ts";
import { isColourful } from "../render/is-colourful.ts";
import { renderCheck } from "../render/render-check.ts";
import type { PlainContext } from "./command-context.ts";
import { repositorySpec } from "./repository-spec.ts";

/**
 * `rollcall check`: whether a daemon with these options can run here: the hub, the rights on it, the repository, the forge.
 * It reads only. Exit code 1 when one check fails.
 */
export async function runCheck({ settings, environment, stdout, signal }: PlainContext): Promise<number> {
  const isJson = settings.text("output") === "json";
  const isColour = isColourful(stdout, environment);
  const spec = settings.text("repo") === undefined ? undefined : repositorySpec(settings);
  const checks: CheckResult[] = [];
  for await (const result of runChecks({ settings, environment, spec, signal })) {
    checks.push(result);
    if (!isJson) stdout.write(renderCheck(result, isColour));
  }
  const failed = checks.filter(({ state }) => state === "failed").length;
  if (isJson) stdout.write(`${printableJson({ isOk: failed === 0, checks })}\n`);
  else stdout.write(failed === 0 ? "The daemon can run.\n" : `${countOf(failed, "check")} failed.\n`);
  return failed === 0 ? 0 : 1;
}
