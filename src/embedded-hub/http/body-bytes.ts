import { tooManyRequests } from "../failures/failures.ts";

const userLimitBytes = 64 * 1024 * 1024;
const totalLimitBytes = 256 * 1024 * 1024;
/** What an open request holds besides its body, and its head. */
const openBytes = 16 * 1024;

/** What the bodies of one request hold. */
export interface BodyAccount {
  /** Throws 429 when the bodies of the user, or of all, hold too much. */
  readonly add: (bytes: number) => void;
  /** The body is handled or given up. May be called again. */
  readonly release: () => void;
}

/** Counts the bytes of bodies that arrive, or that wait for their turn. A class for its counts. */
export class BodyBytes {
  private readonly ofUsers = new Map<string, number>();
  private total = 0;

  /** Throws 429 as `add` does. */
  open(username: string): BodyAccount {
    let held = 0;
    const add = (bytes: number): void => {
      const ofUser = (this.ofUsers.get(username) ?? 0) + bytes;
      if (ofUser > userLimitBytes || this.total + bytes > totalLimitBytes) throw tooManyRequests(1);
      held += bytes;
      this.total += bytes;
      this.ofUsers.set(username, ofUser);
    };
    add(openBytes);
    return {
      add,
      release: () => {
        const left = (this.ofUsers.get(username) ?? 0) - held;
        if (left > 0) this.ofUsers.set(username, left);
        else this.ofUsers.delete(username);
        this.total -= held;
        held = 0;
      },
    };
  }
}
