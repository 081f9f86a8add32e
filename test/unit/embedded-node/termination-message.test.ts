import { expect, it } from "vitest";
import { objectAt, textAt } from "../../../src/core/read-json.ts";
import { containerOf, nodeWorld, scriptedPod } from "./node-world.ts";

const file = [{ name: "LAST", value: "/dev/termination-log" }];
const fallback = { terminationMessagePolicy: "FallbackToLogsOnError" };

it.each([
  { reason: "what its program left in the file", image: 'echo why > "$LAST"; exit 3', message: "why\n" },
  { reason: "the last 4096 bytes of it", image: 'printf "a%05000d" 0 > "$LAST"', message: "0".repeat(4096) },
  {
    reason: "that of a file of its own",
    image: 'echo why > "$OWN"',
    fields: { terminationMessagePath: "/run/why" },
    message: "why\n",
  },
  {
    reason: "the end of its log where it failed without one",
    image: "echo why; exit 3",
    fields: fallback,
    message: "why\n",
  },
  {
    reason: "the last 80 lines of that",
    image: "seq 1 100; exit 3",
    fields: fallback,
    message: `${Array.from({ length: 80 }, (_, index) => index + 21).join("\n")}\n`,
  },
  {
    reason: "the last 2048 bytes of that",
    image: 'printf "a%05000d\\n" 0; exit 3',
    fields: fallback,
    message: `${"0".repeat(2047)}\n`,
  },
  {
    reason: "the file before the log",
    image: 'echo log; echo why > "$LAST"; exit 3',
    fields: fallback,
    message: "why\n",
  },
  { reason: "no log where it succeeded", image: "echo fine", fields: fallback, message: undefined },
  { reason: "no log where it asks for none", image: "echo why; exit 3", message: undefined },
  { reason: "none of a pipe", image: 'rm "$LAST"; mkfifo "$LAST"', message: undefined },
])("the end of a container has a message: $reason", async ({ image, message, fields = {} }) => {
  const { manager, untilStatus } = await nodeWorld();
  const env = [...file, { name: "OWN", value: "/run/why" }];
  manager.take(scriptedPod([{ image, env, ...fields }], { spec: { restartPolicy: "Never" } }));
  const status = await untilStatus((seen) => objectAt(containerOf(seen), "state", "terminated") !== undefined);
  expect(textAt(containerOf(status), "state", "terminated", "message")).toBe(message);
});

it("the message of a run is not that of the next one", async () => {
  const { manager, untilStatus } = await nodeWorld();
  const image = 'test -e ran && exec sleep 1000; touch ran; echo why > "$LAST"; exit 3';
  manager.take(scriptedPod([{ image, env: file, livenessProbe: undefined }]));
  const status = await untilStatus((seen) => objectAt(containerOf(seen), "lastState", "terminated") !== undefined);
  expect(textAt(containerOf(status), "lastState", "terminated", "message")).toBe("why\n");
});
