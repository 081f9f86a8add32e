import { errorCodes } from "../core/error-codes.ts";
import { errorPage } from "../core/error-page.ts";
import { AppError, describeError, errorCodeOf } from "../core/errors.ts";
import { isDiskFull } from "../core/is-disk-full.ts";
import { printableLines } from "../core/printable.ts";

/** What Node.js adds to an error of the system. */
interface SystemError extends Error {
  readonly code: string;
  readonly syscall?: string;
  readonly path?: string;
  readonly address?: string;
  readonly port?: number;
}

const noAccess: ReadonlySet<string> = new Set(["EACCES", "EPERM", "EROFS", "ENOTDIR", "EISDIR"]);
const notInstalled: ReadonlySet<string> = new Set(["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND", "ERR_DLOPEN_FAILED"]);

/** An error that the program did not expect at its start gets a code where the system's own code identifies it. */
export function explainFailure(error: unknown): unknown {
  if (error instanceof AppError || !isSystemError(error)) return error;
  const { code, syscall = "use", path, address = "", port } = error;
  if (code === "EADDRINUSE") {
    const named = port === undefined ? {} : { remedy: errorCodes.E_PORT_BUSY.remedy.replace("PORT", String(port)) };
    return new AppError("E_PORT_BUSY", `listen on ${address}:${port ?? ""}: the port is in use`, {
      cause: error,
      ...named,
    });
  }
  if (code === "EACCES" && syscall === "listen") {
    const remedy = "Choose a port from 1024 on with the option of the command, such as --port or --hub-port.";
    return new AppError("E_PORT_BUSY", `listen on ${address}:${port ?? ""}: this user may not use the port`, {
      cause: error,
      remedy,
    });
  }
  if (notInstalled.has(code)) {
    return new AppError("E_INSTALLATION", `load the program: ${firstLine(error.message)}`, { cause: error });
  }
  if (isDiskFull(error)) return new AppError("E_DISK_WRITE", `${syscall} ${path ?? ""}: ${code}`, { cause: error });
  // A folder that cannot be made, for whatever reason, or that is not there: the remedy is another one.
  if (noAccess.has(code) || syscall === "mkdir" || (code === "ENOENT" && syscall === "open")) {
    return new AppError("E_ACCESS", `${syscall} ${path ?? ""}: ${code}`, { cause: error });
  }
  return error;
}

/** The error of a command whose output cannot be written: it is a file of a disk that is full, or a device that fails. */
export function explainUnwritten(error: Error): AppError {
  return new AppError("E_DISK_WRITE", `write the output: ${errorCodeOf(error) ?? error.message}`, {
    cause: error,
    remedy: "Free space where the output is written to, or write it to another file.",
  });
}

/**
 * What the program prints when it fails, each in one line: the error, what to do about it, and the page of its code. The names
 * of files and branches in it come from others, and cannot write to the terminal. How to use
 * a command is in the message of E_USAGE itself: after it comes where its help is. `argv`: the arguments of the command line.
 */
export function describeFailure(error: unknown, argv: readonly string[] = []): string {
  const line = `rollcall: ${printableLines(describeError(error))}\n`;
  if (!(error instanceof AppError)) return line;
  if (error.code === "E_USAGE") return `${line}See: ${helpCommand(argv, error)}\n`;
  const remedy = isAboutTime(error) ? clockRemedy : error.remedy;
  return `${line}What to do: ${printableLines(remedy)}\nSee: ${errorPage(error.code)}\n`;
}

const untimely: ReadonlySet<unknown> = new Set(["CERT_NOT_YET_VALID", "CERT_HAS_EXPIRED"]);
const clockRemedy =
  "Compare the clock of this machine with the right time: `date -u` prints it. If it is right, renew the server's certificate.";

/** A certificate is refused because of the time. */
function isAboutTime(error: unknown): boolean {
  return untimely.has(errorCodeOf(error)) || (error instanceof Error && isAboutTime(error.cause));
}

/** First words of the commands that have two. */
const groups: ReadonlySet<string> = new Set(["add", "remove", "trust"]);

function helpCommand(argv: readonly string[], error: AppError): string {
  const [first = "", second = ""] = argv[0] === "help" ? argv.slice(1) : argv;
  const named = [first, ...(groups.has(first) ? [second] : [])].filter((word) => /^[a-z][a-z-]*$/u.test(word));
  // There is no help of a command that there is not.
  const words = errorCodeOf(error.cause) === "commander.unknownCommand" ? named.slice(0, -1) : named;
  return ["rollcall", ...words, "--help"].join(" ");
}

function isSystemError(error: unknown): error is SystemError {
  return errorCodeOf(error) !== undefined;
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}

/** The exit code of a failure. */
export function exitCodeOf(error: unknown): number {
  if (!(error instanceof AppError)) return 1;
  switch (error.code) {
    case "E_USAGE":
      return 2;
    case "E_KUBE_UNREACHABLE":
    case "E_KUBE_TLS":
    case "E_KUBE_UNAUTHORIZED":
    case "E_GIT_REMOTE":
    case "E_GIT_FOLDER":
    case "E_GIT_AUTH":
    case "E_FORGE_UNREACHABLE":
    case "E_FORGE_AUTH":
    case "E_PAGE_SERVER":
    case "E_READ":
    case "E_KUBECONFIG":
      return 3;
    default:
      return 1;
  }
}
