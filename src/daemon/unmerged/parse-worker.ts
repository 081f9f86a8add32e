// The entry of a thread: a file in, what it says out, one after the other.
import { parentPort } from "node:worker_threads";
import type { FileContent } from "../../manifests/parse-file.ts";
import { createFileParser } from "../../manifests/parse-file.ts";

const parse = createFileParser();
parentPort?.on("message", (file: FileContent) => parentPort?.postMessage(parse(file)));
