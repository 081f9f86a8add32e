import { describe, expect, it } from "vitest";
import { describeFailure, exitCodeOf, explainFailure, explainUnwritten } from "../../../src/cli/explain-failure.ts";
import type { ErrorCode } from "../../../src/core/error-codes.ts";
import { errorCodes } from "../../../src/core/error-codes.ts";
import { AppError, describeError } from "../../../src/core/errors.ts";

describe("describeFailure", () => {
  it.each([
    [["get", "x"], "rollcall get --help"],
    [["add", "token", "--ttl"], "rollcall add token --help"],
    [["trust", "replace", "--force"], "rollcall trust replace --help"],
    [["--bad\u001b[2J"], "rollcall --help"],
    [[], "rollcall --help"],
  ])("names the help of the command after a message about its usage: %j", (argv, help) => {
    const text = describeFailure(new AppError("E_USAGE", "say where it goes: --a or --b"), argv);
    expect(text).toBe(`rollcall: E_USAGE: say where it goes: --a or --b\nSee: ${help}\n`);
  });

  it("prints for other failures what to do, and names the page of the code", () => {
    expect(describeFailure(new AppError("E_GIT_FOLDER", "open /x: it is no git repository"))).toBe(
      "rollcall: E_GIT_FOLDER: open /x: it is no git repository\n" +
        "What to do: Name the folder of a repository: a clone, or one that `git init` has made.\n" +
        "See: docs/errors/E_GIT_FOLDER.md\n",
    );
    expect(describeFailure(new Error("x"))).toBe("rollcall: x\n");
  });

  it.each(["CERT_NOT_YET_VALID", "CERT_HAS_EXPIRED"])("names the clock when a certificate is refused: %s", (code) => {
    const cause = Object.assign(new Error("certificate is not valid"), { code });
    const sent = new AppError("E_KUBE_TLS", "https://hub: TLS failed", { cause });
    const [, remedy] = describeFailure(new AppError("E_KUBE_TLS", "list Cluster", { cause: sent })).split("\n");
    expect(remedy).toContain("Compare the clock of this machine with the right time");
  });

  it("A44 writes nothing to the terminal by a name in the message", () => {
    const error = new AppError("E_READ", "read a\u001b]0;x\u0007\u202e.yaml: it is not there\nOr name another");
    const [first, second] = describeFailure(error).split("\n");
    expect(first).toBe("rollcall: E_READ: read a\\u{1b}]0;x\\u{7}\\u{202e}.yaml: it is not there");
    expect(second).toBe("Or name another");
    expect(describeFailure(new Error("a\u001b[2J"))).toBe("rollcall: a\\u{1b}[2J\n");
  });

  it("prints the remedy of the error itself, where the remedy of its code does not fit", () => {
    const error = new AppError("E_UNSUPPORTED", "the hub runs Kubernetes v1.20.0", { remedy: "Upgrade the hub." });
    expect(describeFailure(error)).toBe(
      "rollcall: E_UNSUPPORTED: the hub runs Kubernetes v1.20.0\nWhat to do: Upgrade the hub.\nSee: docs/errors/E_UNSUPPORTED.md\n",
    );
  });
});

describe("explainFailure", () => {
  const failure = { syscall: "listen", address: "127.0.0.1", port: 80 };

  it("proposes another port where this user may not use one, and no search for a process that uses it", () => {
    const error = explainFailure(Object.assign(new Error("x"), { ...failure, code: "EACCES" }));
    expect(describeFailure(error)).toBe(
      "rollcall: E_PORT_BUSY: listen on 127.0.0.1:80: this user may not use the port\n" +
        "What to do: Choose a port from 1024 on with the option of the command, such as --port or --hub-port.\n" +
        "See: docs/errors/E_PORT_BUSY.md\n",
    );
  });

  it.each(["ENOENT", "EEXIST", "ENAMETOOLONG"])("asks for another folder where one cannot be made: %s", (code) => {
    const error = explainFailure(Object.assign(new Error("x"), { syscall: "mkdir", path: "/proc/x", code }));
    expect(describeFailure(error)).toBe(
      `rollcall: E_ACCESS: mkdir /proc/x: ${code}\n` +
        "What to do: Choose another folder, or let this user read and write what the message names.\n" +
        "See: docs/errors/E_ACCESS.md\n",
    );
  });

  it.each([
    ["ERR_MODULE_NOT_FOUND", { message: "no package x\nin y" }, "E_INSTALLATION: load the program: no package x"],
    ["MODULE_NOT_FOUND", { message: "no x" }, "E_INSTALLATION: load the program: no x"],
    ["ERR_DLOPEN_FAILED", { message: "x: not an ELF file" }, "E_INSTALLATION: load the program: x: not an ELF file"],
    ["EPERM", { syscall: "rename", path: "/x" }, "E_ACCESS: rename /x: EPERM"],
    ["EROFS", { syscall: "rename", path: "/x" }, "E_ACCESS: rename /x: EROFS"],
    ["ENOTDIR", { syscall: "rename", path: "/x" }, "E_ACCESS: rename /x: ENOTDIR"],
    ["ENOSPC", { syscall: "write", path: "/x" }, "E_DISK_WRITE: write /x: ENOSPC"],
    ["ENOSPC", { syscall: "write" }, "E_DISK_WRITE: write : ENOSPC"],
    ["EACCES", { syscall: "open", path: "/x" }, "E_ACCESS: open /x: EACCES"],
    ["EISDIR", {}, "E_ACCESS: use : EISDIR"],
    ["EINVAL", { syscall: "listen", message: "listen EINVAL" }, "listen EINVAL"],
    ["ENOENT", { syscall: "stat", message: "stat ENOENT" }, "stat ENOENT"],
    ["EMFILE", { syscall: "open", message: "open EMFILE" }, "open EMFILE"],
    [undefined, { message: "another" }, "another"],
  ])("has a code of its own for %s of %j: %s", (code, properties, text) => {
    const error = Object.assign(new Error(), { ...(code === undefined ? {} : { code }), ...properties });
    expect(describeError(explainFailure(error))).toBe(text);
  });

  it("leaves an error of this program as it is", () => {
    const error = Object.assign(new AppError("E_READ", "x"), { code: "EADDRINUSE" });
    expect(explainFailure(error)).toBe(error);
  });

  it.each([
    [Object.assign(new Error("write ENOSPC"), { code: "ENOSPC" }), "E_DISK_WRITE: write the output: ENOSPC"],
    [new Error("it failed"), "E_DISK_WRITE: write the output: it failed"],
  ])("names why the output is not written: %s", (error, text) => {
    expect(describeError(explainUnwritten(error))).toBe(text);
  });

  it("asks for another folder where that of a file is not there", () => {
    const error = explainFailure(Object.assign(new Error("x"), { syscall: "open", path: "/absent/x", code: "ENOENT" }));
    expect(describeFailure(error)).toContain("E_ACCESS: open /absent/x: ENOENT\nWhat to do: Choose another folder");
  });

  it("names the way to the process that uses a port", () => {
    const error = explainFailure(Object.assign(new Error("x"), { ...failure, code: "EADDRINUSE" }));
    expect(describeFailure(error)).toContain("127.0.0.1:80: the port is in use\nWhat to do: Stop the process");
    expect(describeFailure(error)).toContain("(`lsof -i :80` names it)");
  });
});

describe("exitCodeOf", () => {
  it("is 2 for a mistake, 3 for what was not reached or read, and 1 for every other code, as in docs/commands.md", () => {
    const notReached: readonly ErrorCode[] = [
      ...(["E_KUBE_UNREACHABLE", "E_KUBE_TLS", "E_KUBE_UNAUTHORIZED", "E_KUBECONFIG"] as const),
      ...(["E_GIT_REMOTE", "E_GIT_FOLDER", "E_GIT_AUTH", "E_FORGE_UNREACHABLE", "E_FORGE_AUTH"] as const),
      ...(["E_PAGE_SERVER", "E_READ"] as const),
    ];
    const expected = (code: ErrorCode): number => (code === "E_USAGE" ? 2 : notReached.includes(code) ? 3 : 1);
    const codes = Object.keys(errorCodes) as ErrorCode[];
    const found = codes.map((code) => [code, exitCodeOf(new AppError(code, "x"))]);
    expect(found).toEqual(codes.map((code) => [code, expected(code)]));
  });
});
