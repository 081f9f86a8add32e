import { describe, expect, it } from "vitest";
import { validateSysctls } from "../../../../src/embedded-hub/validation/validate-sysctls.ts";

const path = "spec.securityContext.sysctls";

function problemsOf(names: readonly string[], spec: { readonly [field: string]: boolean } = {}): string[] {
  const sysctls = names.map((name) => ({ name, value: "1" }));
  return validateSysctls({ ...spec, securityContext: { sysctls } }, path).map(
    ({ field, message }) => `${field.slice(path.length)} ${message.slice(0, 60)}`,
  );
}

describe("kernel parameters of a Pod", () => {
  it("have names of letters, digits, dots and slashes, each once", () => {
    expect(problemsOf(["kernel.shmmax", "safe-and-unsafe", "net/ipv4/conf/eno2.100/rp_filter"])).toEqual([]);
    expect(problemsOf(["a".repeat(253)])).toEqual([]);
    expect(problemsOf(["foo-", "", "bar..", "a.b", "a.b", "a".repeat(254)])).toEqual([
      '[0].name Invalid value: "foo-": must have at most 253 characters and ',
      "[1].name Required value",
      '[2].name Invalid value: "bar..": must have at most 253 characters and',
      '[4].name Duplicate value: "a.b"',
      `[5].name Invalid value: "${"a".repeat(44)}`,
    ]);
  });

  it("are not those of a namespace of the kernel that the Pod shares with its node", () => {
    const names = [
      "net.core.somaxconn",
      "net/core",
      "kernel.sem",
      "kernel.shmmax",
      "kernel.msgmax",
      "fs.mqueue.a",
      "kernel.shm_next_id",
      "kernel.msg_next_id",
      "vm.x",
    ];
    expect(problemsOf(names)).toEqual([]);
    expect(problemsOf(names, { hostNetwork: true }).map((text) => text.slice(0, 3))).toEqual(["[0]", "[1]"]);
    expect(problemsOf(names, { hostIPC: true }).map((text) => text.slice(0, 3))).toEqual(["[2]", "[3]", "[4]", "[5]"]);
  });
});
