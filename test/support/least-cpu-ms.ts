/**
 * CPU time (ms) of the quickest of three runs. Garbage of others, and the compiler, may fall into any one of them: what is
 * slow is so each time.
 */
export function leastCpuMs(work: () => unknown, rounds = 3): number {
  const times = Array.from({ length: rounds }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}
