/** Limits for the attempts, each of which scans a transcript many times. */
const MAX_TRIES = 5000;
const MAX_TRIED_BYTES = 50_000_000;
const NEWLINE = 10;

/**
 * The smallest transcript found for which `fails` still holds: lines are removed, then bytes, in ever smaller runs.
 * `fails` must hold for `bytes`.
 */
export function shrink(bytes: Buffer, fails: (bytes: Buffer) => boolean): Buffer {
  let tries = 0;
  let triedBytes = 0;
  const isWorn = (): boolean => tries >= MAX_TRIES || triedBytes >= MAX_TRIED_BYTES;
  const reduce = (parts: readonly Buffer[]): readonly Buffer[] => {
    let kept = parts;
    for (let run = Math.ceil(kept.length / 2); run >= 1; run = run === 1 ? 0 : Math.ceil(run / 2)) {
      for (let from = 0; from < kept.length && !isWorn();) {
        const fewer = [...kept.slice(0, from), ...kept.slice(from + run)];
        const bytes = Buffer.concat(fewer);
        tries++;
        triedBytes += bytes.length;
        if (fails(bytes)) kept = fewer;
        else from += run;
      }
    }
    return kept;
  };
  let smallest = bytes;
  for (;;) {
    const lines = reduce(splitLines(smallest));
    const smaller = Buffer.concat(reduce(splitBytes(Buffer.concat(lines))));
    if (smaller.length === smallest.length || isWorn()) return smaller;
    smallest = smaller;
  }
}

/** Each with its newline. */
function splitLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let from = 0; from < bytes.length;) {
    const newline = bytes.indexOf(NEWLINE, from);
    const to = newline < 0 ? bytes.length : newline + 1;
    lines.push(bytes.subarray(from, to));
    from = to;
  }
  return lines;
}

/** Runs of bytes, as small as the remaining attempts permit. */
function splitBytes(bytes: Buffer): Buffer[] {
  const length = Math.max(1, Math.ceil(bytes.length / (MAX_TRIES / 4)));
  return Array.from({ length: Math.ceil(bytes.length / length) }, (_, at) =>
    bytes.subarray(at * length, (at + 1) * length),
  );
}
