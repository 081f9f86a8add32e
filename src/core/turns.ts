/**
 * Counts what begins in each turn of the event loop. `nextTurn` calls back in the next one; then the count starts again, and
 * `onTurn` is called.
 */
export class Turns {
  /** How much has begun in this turn. */
  begun = 0;
  private readonly nextTurn: (callback: () => void) => void;
  private readonly onTurn: () => void;
  private isPlanned = false;

  constructor(nextTurn: (callback: () => void) => void, onTurn: () => void) {
    this.nextTurn = nextTurn;
    this.onTurn = onTurn;
  }

  /** Has the next turn counted as one. Any number of calls in a turn plan it once. */
  plan(): void {
    if (this.isPlanned) return;
    this.isPlanned = true;
    this.nextTurn(() => {
      this.isPlanned = false;
      this.begun = 0;
      this.onTurn();
    });
  }
}
