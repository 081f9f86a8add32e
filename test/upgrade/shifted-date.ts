/**
 * Lets this process live at another time: what was recorded then has not expired. Returns what ends it. Timers and TLS
 * keep the machine's time.
 */
export function shiftDate(nowMs: number): () => void {
  const MachineDate = globalThis.Date;
  const shiftMs = nowMs - MachineDate.now();
  class ShiftedDate extends MachineDate {
    constructor(...parts: readonly unknown[]) {
      super(...((parts.length === 0 ? [ShiftedDate.now()] : parts) as [number]));
    }
    static override now(): number {
      return MachineDate.now() + shiftMs;
    }
  }
  globalThis.Date = ShiftedDate as DateConstructor;
  return () => {
    globalThis.Date = MachineDate;
  };
}
