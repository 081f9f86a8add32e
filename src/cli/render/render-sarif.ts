import { printableJson } from "../../core/printable-json.ts";
import { errorCodes } from "../../core/error-codes.ts";
import { printable } from "../../core/printable.ts";
import type { Excerpt } from "./problem-excerpt.ts";
import { excerptsFrom } from "./problem-excerpt.ts";
import type { Problem } from "../../model/problem.ts";
import { adviceOf } from "../../model/problem.ts";

/**
 * Problems as SARIF 2.1.0, which code scanning of forges and editors read. Each code that occurs is a rule.
 * Source: OASIS, Static Analysis Results Interchange Format 2.1.0.
 */
export function renderSarif(
  problems: readonly Problem[],
  version: string,
  textOf: (file: string) => string | undefined = () => undefined,
): string {
  const excerptOf = excerptsFrom(textOf);
  const codes = [...new Set(problems.map(({ code }) => code))].sort();
  const log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "rollcall",
            version,
            rules: codes.map((code) => ({
              id: code,
              shortDescription: { text: errorCodes[code].title },
              help: { text: errorCodes[code].remedy },
            })),
          },
        },
        columnKind: "utf16CodeUnits",
        results: problems.map((problem) => resultOf(problem, codes.indexOf(problem.code), excerptOf(problem))),
      },
    ],
  };
  return `${printableJson(log)}\n`;
}

function resultOf(problem: Problem, ruleIndex: number, excerpt: Excerpt | undefined) {
  const { code, severity, file, line, column, message, fix } = problem;
  return {
    ruleId: code,
    ruleIndex,
    level: severity,
    message: { text: printable(fix === undefined ? message : `${message}. ${adviceOf(problem)}`) },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: file.split("/").map(encodeURIComponent).join("/"), uriBaseId: "%SRCROOT%" },
          region: { startLine: line, startColumn: column, ...(excerpt ? { snippet: { text: excerpt.line } } : {}) },
        },
      },
    ],
  };
}
