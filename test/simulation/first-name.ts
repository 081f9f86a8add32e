/** The name that a cluster had first, and by which the simulator knows its processes: of `r2-c1` it is `c1`. */
export function firstNameOf(name: string): string {
  return name.replace(/^r\d+-/u, "");
}
