// The entry of a thread: reads long YAML bodies, one after the other.
import { parentPort } from "node:worker_threads";
import { readYamlText } from "./parse-yaml.ts";

parentPort?.on("message", (text: string) => parentPort?.postMessage(readYamlText(text)));
