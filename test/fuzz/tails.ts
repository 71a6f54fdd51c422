import { appendFileSync, readFileSync, renameSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ReferenceScanner, type ScannerFactory, TranscriptTail } from '../rooms/transcript';
import { createRandom, type Random } from '../support/random';
import { dumpFacts } from '../unit/transcript/dumpFacts';
import { firstDifference } from './firstDifference';
import { makeTranscript } from './generate/makeTranscript';
import { scanInOnePiece } from './scanInAllWays';

const MAX_STEPS = 40;
const NEWLINE = 10;
/** The number of a transcript that is not followed itself. */
const OTHERS = 1_000_000;

export interface TailOutcome {
  /** How often indexes were compared. */
  readonly readings: number;
  /** The difference, and the steps before it; null if there was none. */
  readonly difference: string | null;
}

/**
 * Lets a file in the folder grow in pieces that are cut anywhere, and occasionally truncates, replaces or rewrites it.
 * After each step a tail must give the same index as the reference for the file's complete lines.
 */
export function compareTail(folder: string, createScanner: ScannerFactory, seed: number, file: number): TailOutcome {
  const random = createRandom(Math.imul(seed, 31) + file);
  const path = join(folder, `${file}.jsonl`);
  const steps: string[] = [];
  const growth = new Growth(path, makeTranscript(seed, file), makeTranscript(seed, file + OTHERS), random);
  const withUsage = random.chance(0.5);
  const tail = new TranscriptTail(path, () => createScanner({ withUsage }));
  while (steps.length < MAX_STEPS && !growth.isOver) {
    steps.push(growth.step());
    // Everything written between two readings is seen at once.
    if (random.chance(0.2)) continue;
    const bytes = readFileSync(path);
    const complete = bytes.subarray(0, bytes.lastIndexOf(NEWLINE) + 1);
    const { result } = scanInOnePiece(complete, () => new ReferenceScanner({ withUsage }));
    const difference = firstDifference(result, dumpFacts(tail.read().index));
    if (difference !== null) return { readings: steps.length, difference: `${difference}, after: ${steps.join(', ')}` };
  }
  return { readings: steps.length, difference: null };
}

/** A file that grows and gets damaged. */
class Growth {
  #at = 0;
  #isReplaced = false;
  #mtimeSeconds = 1_000_000;

  constructor(
    private readonly path: string,
    private bytes: Buffer,
    private readonly other: Buffer,
    private readonly random: Random,
  ) {
    writeFileSync(path, '');
  }

  get isOver(): boolean {
    return this.#at >= this.bytes.length && this.#isReplaced;
  }

  /** Changes the file once; returns a description. */
  step(): string {
    const done = this.#change();
    // A simulated clock: no reader can distinguish two writes within one tick of the file system's clock.
    utimesSync(this.path, this.#mtimeSeconds, this.#mtimeSeconds++);
    return done;
  }

  #change(): string {
    const { random } = this;
    if (this.#at >= this.bytes.length || random.chance(0.02)) return this.#replace();
    if (this.#at > 0 && random.chance(0.05)) return this.#cut();
    if (this.#at > 0 && random.chance(0.02)) return this.#rewriteStart();
    return this.#append(1 + random.below(random.pick([3, 80, 800, this.bytes.length])));
  }

  #append(length: number): string {
    const piece = this.bytes.subarray(this.#at, this.#at + length);
    appendFileSync(this.path, piece);
    this.#at += piece.length;
    return `${piece.length} bytes`;
  }

  #replace(): string {
    const made = `${this.path}.new`;
    this.bytes = this.other;
    this.#isReplaced = true;
    this.#at = this.random.below(this.bytes.length + 1);
    writeFileSync(made, this.bytes.subarray(0, this.#at));
    renameSync(made, this.path);
    return `replaced by ${this.#at} bytes`;
  }

  #cut(): string {
    const lost = this.#at;
    const left = lost - 1 - this.random.below(this.random.pick([Math.min(lost, 300), lost]));
    this.#at = left;
    truncateSync(this.path, left);
    this.bytes = Buffer.concat([this.bytes.subarray(0, this.#at), this.other]);
    // Other bytes may appear at once, as many or more.
    const grown = this.random.chance(0.5) ? `, ${this.#append(lost - this.#at + this.random.below(50))}` : '';
    return `cut to ${left}${grown}`;
  }

  /** Other bytes at the start, and more at the end: the file only seems to have grown. */
  #rewriteStart(): string {
    this.bytes = Buffer.concat([Buffer.from('\n'.repeat(1 + this.random.below(9))), this.bytes]);
    this.#at = Math.min(this.bytes.length, this.#at + 20);
    writeFileSync(this.path, this.bytes.subarray(0, this.#at));
    return `rewritten, ${this.#at} bytes`;
  }
}
