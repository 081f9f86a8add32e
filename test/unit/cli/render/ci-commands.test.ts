import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { renderGithub } from "../../../../src/cli/render/render-github.ts";
import { renderProblems } from "../../../../src/cli/render/render-problems.ts";
import { renderSarif } from "../../../../src/cli/render/render-sarif.ts";
import { escapeMarkdown } from "../../../../src/core/escape-markdown.ts";
import { printable } from "../../../../src/core/printable.ts";
import { printableJson } from "../../../../src/core/printable-json.ts";
import type { Problem } from "../../../../src/model/problem.ts";

/**
 * The commands that a runner takes from the output of a step. Sources: GitHub, actions/runner, ActionCommand.cs (`::name` where
 * a line begins, blanks aside, and `##[name]` anywhere in it); Azure Pipelines, "Logging commands"; TeamCity, "Service messages".
 */
function commandsIn(output: string): string[] {
  return output.split(/\r\n|\r|\n/u).flatMap((line) => {
    const [, current] = /^\s*::([\w-]+)/u.exec(line) ?? [];
    const [, older] = /##(\w*\[[^\]]*\])/u.exec(line) ?? [];
    return current ?? older ?? [];
  });
}

const piece = fc.constantFrom(
  "::",
  "stop-commands::x",
  "error",
  "#",
  "##",
  "[add-mask]",
  "vso[task.x]",
  " ",
  "\n",
  "\r",
  "a",
  "/",
);
const hostile = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(""));

const problem: fc.Arbitrary<Problem> = fc.record({
  code: fc.constant("E_YAML" as const),
  severity: fc.constantFrom("error" as const, "warning" as const),
  file: hostile,
  line: fc.constantFrom(1, 2),
  column: fc.nat(12),
  message: hostile,
  fix: hostile,
});

describe("A44 a name, a path or a value of a file", () => {
  it("gives no command to the runner of a workflow", () => {
    fc.assert(
      fc.property(fc.array(problem, { maxLength: 3 }), hostile, (problems, text) => {
        const textOf = () => text;
        expect(commandsIn(renderProblems(problems, { isColour: false, textOf }))).toEqual([]);
        expect(commandsIn(renderSarif(problems, "1", textOf))).toEqual([]);
        expect(commandsIn(renderGithub(problems))).toEqual(problems.map(({ severity }) => severity));
        expect(commandsIn(`value: ${printable(text)}`)).toEqual([]);
        expect(commandsIn(`> ${escapeMarkdown(text)}`)).toEqual([]);
        const json = printableJson({ text });
        expect(commandsIn(json)).toEqual([]);
        expect(JSON.parse(json)).toEqual({ text });
      }),
      { numRuns: 200 },
    );
  });
});
