/** The Leases of the daemon's two halves, in its namespace. */
export const leaseNames = { hub: "rollcall-hub", repository: "rollcall-repository" } as const;

/** A leader that was killed has a successor within 12 s: the Lease's time and one late try; one that ends, in under 2 s. */
export const leadership = { leaseDurationMs: 10_000, renewDeadlineMs: 7_000, retryPeriodMs: 2_000, askPeriodMs: 1_000 };
