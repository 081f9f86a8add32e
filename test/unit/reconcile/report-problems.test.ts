import { describe, expect, it } from "vitest";
import { errorCodes } from "../../../src/core/error-codes.ts";
import type { Log, LogFields } from "../../../src/core/log.ts";
import { silentLog } from "../../../src/core/log.ts";
import type { Problem } from "../../../src/model/problem.ts";
import { createProblemReporter } from "../../../src/reconcile/report-problems.ts";

const problem = (file: string, severity: Problem["severity"] = "error"): Problem => {
  return { code: "E_SCHEMA", severity, file, line: 3, column: 5, message: "spec.ttl is no duration" };
};

describe("createProblemReporter", () => {
  const lines: { readonly level: string; readonly message: string; readonly fields: LogFields | undefined }[] = [];
  const note = (level: string) => (message: string, fields?: LogFields) => void lines.push({ level, message, fields });
  const log: Log = { ...silentLog, warn: note("warn"), error: note("error") };
  const tellOf = () => {
    lines.length = 0;
    return createProblemReporter(log);
  };

  it("reports where, what, in which commit, and what to do", () => {
    tellOf()([problem("a.yaml"), { ...problem("b.yaml", "warning"), fix: "Write 24h." }], "c1");
    const { remedy } = errorCodes.E_SCHEMA;
    const where = { code: "E_SCHEMA", line: 3, column: 5, message: "spec.ttl is no duration", commit: "c1" };
    expect(lines).toEqual([
      { level: "error", message: "a file has a problem", fields: { ...where, file: "a.yaml", fix: remedy } },
      { level: "warn", message: "a file has a problem", fields: { ...where, file: "b.yaml", fix: "Write 24h." } },
    ]);
  });

  it("reports each once, and again when it came back", () => {
    const tell = tellOf();
    tell([problem("a.yaml")], "c1");
    tell([problem("a.yaml"), problem("b.yaml")], "c2");
    tell([], "c3");
    tell([problem("a.yaml")], "c4");
    expect(lines.map(({ fields }) => [fields?.["file"], fields?.["commit"]])).toEqual([
      ["a.yaml", "c1"],
      ["b.yaml", "c2"],
      ["a.yaml", "c4"],
    ]);
  });

  it("counts those beyond a hundred at once", () => {
    tellOf()(
      Array.from({ length: 130 }, (_, index) => problem(`${index}.yaml`)),
      "c1",
    );
    expect(lines).toHaveLength(101);
    expect(lines.at(-1)).toMatchObject({ message: "more files have problems", fields: { count: 30 } });
  });
});
