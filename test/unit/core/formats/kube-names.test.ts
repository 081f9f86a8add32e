import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { NameCheck } from "../../../../src/core/formats/kube-names.ts";
import {
  checkConfigKey,
  checkLabel,
  checkLabel1035,
  checkLabelValue,
  checkPathSegment,
  checkQualifiedName,
  checkSubdomain,
} from "../../../../src/core/formats/kube-names.ts";

/** What apimachinery 0.34.4 reports for names. */
const answers = JSON.parse(readFileSync(join(import.meta.dirname, "../golden/kube-names.json"), "utf8")) as readonly {
  readonly check: string;
  readonly errors: readonly string[];
  readonly names: readonly string[];
}[];

const checks: Readonly<Record<string, NameCheck>> = {
  subdomain: checkSubdomain,
  label: checkLabel,
  label1035: checkLabel1035,
  qualified: checkQualifiedName,
  labelValue: checkLabelValue,
  configKey: checkConfigKey,
  path: checkPathSegment,
};

describe("names", () => {
  it.each(answers)("are checked, in the words of kube-apiserver: $check, $names", ({ check, errors, names }) => {
    for (const name of names) expect(checks[check]?.(name), name).toEqual(errors);
  });
});
