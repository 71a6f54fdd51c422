/** How much is measured. */
export interface WindowSizes {
  /** The limits are for this size. */
  readonly isFull: boolean;
  /** Of the session that is opened, and appended to. */
  readonly sessionBytes: number;
  readonly openings: number;
  /** Of each kind. */
  readonly seedOpenings: number;
  readonly appends: number;
  /** Of the session that is scrolled through. */
  readonly longRows: number;
  /** From its end to its beginning, and as many back. */
  readonly scrollSteps: number;
}

export const FULL_SIZE: WindowSizes = {
  isFull: true,
  sessionBytes: 50e6,
  openings: 20,
  seedOpenings: 5,
  appends: 100,
  longRows: 100_000,
  scrollSteps: 1000,
};

/** Enough to see that everything is measured. */
export const QUICK_SIZE: WindowSizes = {
  isFull: false,
  sessionBytes: 8e6,
  openings: 3,
  seedOpenings: 1,
  appends: 5,
  longRows: 2000,
  scrollSteps: 25,
};
