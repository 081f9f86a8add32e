// Starts programs for the process of a test, which gives the path of its socket. A connection is one program: the first line names
// it, what follows is its input, and its output and its end come back in frames. Nothing outlives the process of the test.
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { createServer } from "node:net";
import { dirname } from "node:path";

const path = process.argv[2];

const server = createServer({ allowHalfOpen: true }, (socket) => {
  let head = Buffer.alloc(0);
  const readHead = (chunk) => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\n");
    if (end < 0) return;
    socket.off("data", readHead).pause();
    start(socket, JSON.parse(head.toString("utf8", 0, end)), head.subarray(end + 1));
  };
  socket.on("error", () => undefined); // its client has gone: "close" follows
  socket.on("data", readHead);
});

function start(socket, { command, args, cwd, env }, input) {
  const child = spawn(command, args, { cwd, env });
  socket.on("close", () => child.kill());
  child.stdin.on("error", () => undefined); // a program may end before it has read everything
  if (input.length > 0) child.stdin.write(input);
  socket.pipe(child.stdin);
  for (const name of ["stdout", "stderr"]) {
    child[name].on("data", (chunk) => {
      if (socket.write(frame(name, chunk))) return;
      child[name].pause();
      socket.once("drain", () => child[name].resume());
    });
  }
  child.on("error", ({ message }) => socket.end(frame("failed", Buffer.from(message))));
  child.on("close", (code) => {
    socket.unpipe().resume(); // what it did not read
    socket.end(frame("ended", Buffer.from(String(code))));
  });
}

/** What it is, in ten bytes; how long; then the bytes. */
function frame(kind, bytes) {
  const head = Buffer.alloc(14, " ");
  head.write(kind);
  head.writeUInt32BE(bytes.length, 10);
  return Buffer.concat([head, bytes]);
}

process.on("disconnect", () => {
  rmSync(dirname(path), { recursive: true, force: true });
  process.exit();
});
server.listen(path, () => process.send("ready"));
