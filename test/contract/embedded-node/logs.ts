import { describe, expect, it } from "vitest";
import type { NodeSession } from "./node-session.ts";
import { atLeast, textOf } from "./node-session.ts";
import { longestWaitMs } from "../../support/until.ts";

/** `kubectl logs`. */
export function describeLogs(node: NodeSession): void {
  const failureOf = (work: Promise<unknown>) =>
    work.then(
      () => "no failure",
      (error: Error) => error.message,
    );

  describe("a log", () => {
    it("is read whole, from the end, with times, cut, and by stream", async () => {
      const namespace = await node.newNamespace();
      await node.createPod(namespace, { args: ["noisy=5"] });
      // The two streams come in an order of their own.
      const isWhole = (text: string): boolean => text.includes("line 5\n") && text.includes("on stderr\n");
      await expect.poll(() => node.log({ namespace }).catch(() => "")).toSatisfy(isWhole);
      const printed = await node.log({ namespace, stream: "Stdout" });
      expect(printed).toMatch(/^env .*\nargs .*\nline 1\n/u);
      expect((await node.log({ namespace })).replace("on stderr\n", "")).toBe(printed);
      expect(await node.log({ namespace, tailLines: 2, stream: "Stdout" })).toBe("line 4\nline 5\n");
      expect(await node.log({ namespace, tailLines: 0 })).toBe("");
      expect(await node.log({ namespace, tailLines: 1, stream: "Stdout", timestamps: true })).toMatch(
        /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z line 5\n$/u,
      );
      expect(await node.log({ namespace, tailLines: 1, stream: "Stdout", limitBytes: 4 })).toBe("line");
      expect(await node.log({ namespace, stream: "Stderr" })).toBe("on stderr\n");
      expect(await node.log({ namespace, sinceTime: "2999-01-01T00:00:00Z" })).toBe("");
      expect(await node.log({ namespace, sinceSeconds: 3600 })).toContain("line 1\n");
    });

    it("is followed until the container ends", async () => {
      const namespace = await node.newNamespace();
      await node.createPod(namespace, {});
      // Its program prints it when it is ready for a signal to end.
      await node.envOf(namespace);
      const signal = AbortSignal.timeout(longestWaitMs);
      const following = textOf(await node.openLog({ namespace, name: "p", follow: true, signal }));
      await node.api.delete({
        type: { group: "", version: "v1", kind: "Pod", plural: "pods", isNamespaced: true },
        namespace,
        name: "p",
      });
      expect(await following).toMatch(/asked to end\n$/u);
    });

    it("ends when the reader disconnects", async () => {
      const namespace = await node.newNamespace();
      await node.createPod(namespace, {});
      await node.untilStatus(namespace, { phase: "Running" });
      const reader = new AbortController();
      const following = textOf(await node.openLog({ namespace, name: "p", follow: true, signal: reader.signal }));
      reader.abort();
      await following;
    });

    it("of the run before is kept", async () => {
      const namespace = await node.newNamespace();
      const env = [{ name: "RUN", valueFrom: { fieldRef: { fieldPath: "metadata.uid" } } }];
      await node.createPod(namespace, { args: ["exit=1"], container: { env } });
      await node.untilStatus(namespace, { containerStatuses: [{ restartCount: atLeast(2) }] });
      expect(await node.log({ namespace, previous: true })).toContain("env ");
    });

    it("that cannot be read is refused as a kubelet would", async () => {
      const namespace = await node.newNamespace();
      await node.createPod(namespace, {
        spec: {
          containers: [
            { name: "a", image: "worker:1" },
            { name: "b", image: "stranger:1" },
          ],
        },
      });
      await node.untilStatus(namespace, {
        containerStatuses: [{}, { state: { waiting: { reason: "ImagePullBackOff" } } }],
      });
      expect(await failureOf(node.log({ namespace }))).toBe(
        "a container name must be specified for pod p, choose one of: [a b]",
      );
      expect(await failureOf(node.log({ namespace, container: "c" }))).toBe("container c is not valid for pod p");
      expect(await failureOf(node.log({ namespace, container: "b" }))).toMatch(
        /^container "b" in pod "p" is waiting to start: (?:ImagePullBackOff|ErrImagePull)$/u,
      );
      expect(await failureOf(node.log({ namespace, container: "a", previous: true }))).toBe(
        'previous terminated container "a" in pod "p" not found',
      );
      expect(await failureOf(node.log({ namespace, name: "q" }))).toBe('pod "q" does not run on this node');
    });
  });
}
