import { printableJson } from "../../core/printable-json.ts";
import type { PlanReport } from "../../model/generated/plan-report.ts";
import { renderPlanMarkdown } from "../../planning/render-plan-markdown.ts";
import type { PlainContext } from "./command-context.ts";
import { isColourful } from "../render/is-colourful.ts";
import { renderPlan } from "../render/render-plan.ts";

/** Writes a plan in the form of --output: text for people, Markdown or JSON. */
export function writePlan(
  report: PlanReport,
  { settings, stdout, environment }: Pick<PlainContext, "settings" | "stdout" | "environment">,
): void {
  const output = settings.text("output");
  if (output === "json") stdout.write(`${printableJson(report)}\n`);
  else if (output === "markdown") stdout.write(renderPlanMarkdown(report));
  else stdout.write(renderPlan(report, { isColour: isColourful(stdout, environment) }));
}
