import { daemonUserId, ownRepositoryId } from "../forge/simulated-forge.ts";
import type { Invariant, Scene } from "./invariant.ts";

const quietMs = 120_000;
/** In two minutes of rest: two lists of pull requests, with as many pages as there are, and what changed on the hub. */
const mostCalls = { base: 8, perPage: 3, perPull: 4 };
const pageSize = 3;

/** The daemon asks the forge for little at rest, writes to nothing of strangers, and shows no token. */
export function forgeIsUsedWithCare({ world, mirror, violate }: Scene): Invariant {
  const name = "the daemon asks the forge for little, and touches nothing of strangers";
  const others = new Map<number, string>();
  return {
    name,
    onTick: () => {
      const { forge } = world;
      if (forge === undefined) return;
      const { comments, statuses, pulls } = forge.state;
      for (const { id, authorId, body } of comments.filter((one) => one.authorId !== daemonUserId)) {
        if ((others.get(id) ?? body) !== body) violate(name, `the comment ${id} of user ${authorId} was changed`);
        others.set(id, body);
      }
      for (const id of others.keys())
        if (!comments.some((one) => one.id === id)) violate(name, `the comment ${id} of a stranger was deleted`);
      for (const { number, headCommit, headRepositoryId } of pulls) {
        if (headRepositoryId === ownRepositoryId) continue;
        if (comments.some(({ pull, authorId }) => pull === number && authorId === daemonUserId))
          violate(name, `#${number} is of a fork, and has a comment`);
        if (statuses.some(({ commit }) => commit === headCommit)) violate(name, `a commit of a fork has a status`);
      }
    },
    atRest: () => {
      const { forge } = world;
      if (forge === undefined) return;
      const { elapsedMs } = world.scheduler;
      const recent = forge.arrivals.filter(({ atMs }) => atMs > elapsedMs - quietMs);
      const open = forge.state.pulls.filter(({ isOpen }) => isOpen).length;
      const limit = mostCalls.base + mostCalls.perPage * Math.ceil(open / pageSize) + mostCalls.perPull * open;
      if (recent.length > limit)
        violate(name, `${recent.length} requests of the forge in two minutes, where ${limit} are enough`);
      const secrets = [...mirror.below("//secrets/").values()].flatMap((secret) =>
        Object.values((secret["data"] ?? {}) as Record<string, string>).map((value) =>
          Buffer.from(value, "base64").toString("utf8"),
        ),
      );
      const said = [
        ...forge.state.comments.map(({ body }) => body),
        ...forge.state.statuses.map(({ description }) => description),
        ...world.story.lines.map((line) => line.what),
      ];
      for (const secret of [forge.token, ...secrets.filter((text) => text.length > 15)])
        if (said.some((text) => text.includes(secret)))
          violate(name, "a secret stands in a comment, a status or a log");
    },
  };
}
