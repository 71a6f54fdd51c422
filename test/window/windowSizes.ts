/** The extent of the measurements. */
export interface WindowSizes {
  /** The limits are for this size. */
  readonly isFull: boolean;
  /** Bytes of the session that is opened, and appended to. */
  readonly sessionBytes: number;
  readonly openings: number;
  /** Number of openings of each kind. */
  readonly seedOpenings: number;
  readonly appends: number;
  /** Rows of the session that is scrolled through. */
  readonly longRows: number;
  /** Steps from its end to its beginning, and as many back. */
  readonly scrollSteps: number;
  /** Number of sessions in the list that is filtered. */
  readonly listed: number;
  /** How often a word is typed into its filter, and taken back. */
  readonly filterRounds: number;
}

export const FULL_SIZE: WindowSizes = {
  isFull: true,
  sessionBytes: 50e6,
  openings: 20,
  seedOpenings: 5,
  appends: 100,
  longRows: 100_000,
  scrollSteps: 1000,
  listed: 10_000,
  filterRounds: 4,
};

/** Enough to check that everything is measured. */
export const QUICK_SIZE: WindowSizes = {
  isFull: false,
  sessionBytes: 8e6,
  openings: 3,
  seedOpenings: 1,
  appends: 5,
  longRows: 2000,
  scrollSteps: 25,
  listed: 500,
  filterRounds: 1,
};
