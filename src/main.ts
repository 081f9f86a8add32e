// The entry: arguments, environment and signals in, an exit code out. It loads one command and nothing of the others.
import { setMaxListeners } from "node:events";
import process from "node:process";
import { setFlagsFromString } from "node:v8";
import { whenTaken } from "./cli/when-taken.ts";
import { startTimer } from "./core/timer.ts";
import { version } from "./core/version.ts";

/** 128 and the number of SIGPIPE. */
const unreadCode = 141;
/** A pipe that was closed answers EPIPE; a socket as standard output can answer ECONNRESET to a write that waited. */
const unreadErrorCodes: ReadonlySet<string | undefined> = new Set(["EPIPE", "ECONNRESET"]);

/** An agent has little to compute: machine code of it, and the compiler that makes it, take 3.5 MB (docs/decisions/0103). */
const interpretOnly = ["--no-opt", "--no-maglev"];

const stopping = new AbortController();
setMaxListeners(0, stopping.signal);
let stoppedBy: NodeJS.Signals | undefined;
for (const name of ["SIGINT", "SIGTERM"] as const) {
  process.on(name, () => {
    // A second signal does not wait for a clean end.
    if (stopping.signal.aborted) process.exit(130);
    stoppedBy = name;
    stopping.abort(new Error(`stopped by ${name}`));
  });
}
// A child that an embedded node or a test started ends with its parent, even when that was killed.
if (process.channel) {
  process.on("disconnect", () => stopping.abort(new Error("the parent process ended")));
  process.channel.unref();
}

// Who reads the output may stop before its end, as `head` does: the command ends too, with the code that a shell gives to
// SIGPIPE.
let isUnread = false;
/** Why the output cannot be written, such as a full disk. */
let outputFailure: Error | undefined;
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: Error & { readonly code?: string }) => {
    if (!unreadErrorCodes.has(error.code)) {
      // An error that cannot be printed changes nothing else: the exit code has the result.
      if (stream === process.stderr) return;
      outputFailure = error;
      stopping.abort(new Error("the output cannot be written"));
      return;
    }
    isUnread = true;
    process.exitCode = unreadCode;
    stopping.abort(new Error("no process reads the output"));
  });
}

/** What a failed start left open must not keep the program from ending. */
const longestEndMs = 3000;

const exitCode = await main(process.argv.slice(2));
process.exitCode = isUnread ? unreadCode : exitCode;
// A person at a pager takes their time: nothing that is printed is dropped.
await whenTaken([process.stdout, process.stderr], stopping.signal);
if (outputFailure !== undefined) process.exitCode = await reportUnwritten(outputFailure);
// What was stopped waits for nothing, such as a connection that no server answers.
startTimer(stopping.signal.aborted ? 0 : longestEndMs, () => process.exit(), { isBackground: true });

async function main(argv: readonly string[]): Promise<number> {
  try {
    if (argv[0] === "agent" && argv.length === 1) {
      // An agent shares its machine with others' work: it loads no command line, only itself.
      for (const flag of interpretOnly) setFlagsFromString(flag);
      const { runLeanAgent } = await import("./cli/lean-agent.ts");
      return await runLeanAgent(stopping.signal);
    }
    const { runProgram } = await import("./cli/program.ts");
    return await runProgram(argv, stopping.signal, version);
  } catch (error) {
    if (stopping.signal.aborted) {
      if (stoppedBy !== undefined)
        process.stderr.write(`rollcall: stopped by ${stoppedBy}; run the same command again to continue\n`);
      return 130;
    }
    const { describeFailure, exitCodeOf, explainFailure } = await import("./cli/explain-failure.ts");
    const explained = explainFailure(error);
    process.stderr.write(describeFailure(explained, argv));
    return exitCodeOf(explained);
  }
}

async function reportUnwritten(error: Error): Promise<number> {
  const { describeFailure, exitCodeOf, explainUnwritten } = await import("./cli/explain-failure.ts");
  const explained = explainUnwritten(error);
  process.stderr.write(describeFailure(explained));
  return exitCodeOf(explained);
}
